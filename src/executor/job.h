/*
 * One request in the executor, from its channel to its END.  A job never blocks: kh_step() does whatever can be done
 * now, and kh_step_watch() says what to wait for next, depending on the job's phase.
 *
 *     NEW ──RUN────────────────────────────> RUN ─────┐
 *      │                                      ^         │
 *      ├──RUN, with a connection──┐           │         │
 *      └──FETCH─────────────────> LOOKUP ──> CONNECT ──> TALK ──> STOPPING ──> ENDING ──> FREE
 *                                   ^──────── redirect ───┘
 */
#ifndef KH_EXECUTOR_JOB_H
#define KH_EXECUTOR_JOB_H

#include "core/comm/url.h"
#include "executor/nameserver.h"
#include "executor/pool.h"
#include "wire/address.h"
#include "wire/fault.h"

#include <poll.h>

#define KH_JOB_ADDRESSES 16
#define KH_JOB_WATCHES   10 /* most descriptors that one job waits for */
#define KH_JOB_DETAIL    200
#define KH_JOB_SPENT     "the sandbox was killed: it used more memory than it may"
#define KH_JOB_URL       (KH_URL_MAX + 64)
#define KH_JOB_TURN      16 /* packets that a job passes on before other jobs and the deadlines get their turn */

enum kh_job_phase {
	KH_JOB_FREE = 0,
	KH_JOB_NEW,      /* its request has not come yet */
	KH_JOB_RUN,      /* a program runs */
	KH_JOB_LOOKUP,   /* a worker asks a name server */
	KH_JOB_CONNECT,  /* to one address after the other */
	KH_JOB_REACHED,  /* its connection is open; the request decides what comes next */
	KH_JOB_TALK,     /* a worker speaks HTTP */
	KH_JOB_STOPPING, /* its sandbox is being ended */
	KH_JOB_ENDING,   /* END waits to be sent */
};

struct kh_job;

/* What one kind of request does in each phase: run.h, fetch.h. */
struct kh_job_kind {
	/* Reads the request MESSAGE into the job; KH_EINPUT with a detail if it is not valid. */
	enum kh_err (*read)(struct kh_job *job, const struct kh_message *message, struct kh_error *err);
	void (*begin)(struct kh_job *job);
	/* The connection is open. */
	void (*use)(struct kh_job *job);
	/* Does what can be done now, in phase RUN or TALK. */
	void (*step)(struct kh_job *job);
	/* Adds to WATCH, which has N entries, what that phase waits for; returns the new count. */
	size_t (*watch)(const struct kh_job *job, struct pollfd *watch, size_t n);
	/* Tells how it ended, in place of END.  NULL: the parent gets END. */
	void (*tell)(struct kh_job *job);
};

/* The forwarder of a request that has network by name (forward.h). */
struct kh_job_forward {
	int channel, pidfd, pid; /* pid 0: there is none */
	enum kh_message_state state;
	bool is_stopping;
	int64_t deadline_us;      /* when it is killed, if it is stopping */
	uint64_t sent, received;  /* bytes, as it told */
	char note[KH_JOB_DETAIL]; /* the first connection that was refused, and why */
};

struct kh_job {
	enum kh_job_phase phase;
	const struct kh_job_kind *kind; /* NULL until its request has come */
	int channel;
	enum kh_message_state state; /* of the channel */
	struct kh_pool *pool;
	struct kh_slot *slot;
	struct kh_limits limits;
	int64_t begun_us, deadline_us;

	int in, out, errs; /* our ends of a program's standard streams; -1 */
	bool fed;          /* no more input will come */
	bool told;         /* and the worker was told so */
	uint64_t used;     /* bytes of output */

	/* one packet waiting for the parent, and one piece of input waiting for the worker */
	char to_parent[KH_MESSAGE_MAX], input[KH_MESSAGE_MAX];
	size_t to_parent_n, input_at, input_n;

	/* how it ended */
	enum kh_fault fault;
	int status;
	bool has_status, cancelled;
	char detail[KH_JOB_DETAIL];

	char request[KH_MESSAGE_MAX]; /* the two below borrow from this */
	struct kh_run run;
	struct kh_fetch fetch;
	const struct kh_view *granted; /* hosts whose addresses may be in any range: from one of these two */
	size_t granted_count;

	/* for a fetch, or a connection */
	char url[KH_JOB_URL], next_url[KH_JOB_URL]; /* the current URL; room for the target of a redirect */
	struct kh_url where;                        /* of url, parsed */
	unsigned redirects;
	struct kh_nameservers servers;
	size_t server; /* the one that is queried now */
	bool asked;    /* a worker has looked the name up */
	bool over_tcp; /* the answer did not fit in a datagram */
	struct kh_address address[KH_JOB_ADDRESSES];
	size_t addresses, next_address;
	int connection; /* being connected, or connected; -1 */
	int64_t connect_deadline_us;
	enum kh_message_state worker_state;

	struct kh_job_forward forward;
	struct kh_job *peers; /* all jobs of the executor */
	size_t peer_count;
	/* for a question of a forwarder, which is a job of its own */
	struct kh_job *owner; /* whose forwarder asked; NULL: it does not matter any more */
	uint64_t ticket;
	size_t index; /* of the owner's network */
};

/* A job for a request that comes over CHANNEL, which is the job's from now on. */
void kh_job_begin(struct kh_job *job, struct kh_pool *pool, int channel);

/* Sets what the request may use, counted from when it was opened, and the hosts whose addresses may be in any range. */
void kh_job_grant(struct kh_job *job, const struct kh_limits *limits, const struct kh_view *hosts, size_t count);

/* Ends the job with FAULT; the detail is our own text.  The sandbox is killed, and END follows. */
void kh_job_end(struct kh_job *job, enum kh_fault fault, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same, if a sandbox is not available or is broken. */
void kh_job_end_part(struct kh_job *job, enum kh_part part, int error);

/* True if the packet for the parent has been sent, so that the next may be made. */
bool kh_job_flush(struct kh_job *job);

/* The next message of the parent, into BUFFER; true if there is one and it is permitted now. */
bool kh_job_receive(struct kh_job *job, char *buffer, struct kh_message *ret_message) KH_CHECKED;

/* Takes the next piece of input from the parent, if there is room for it. */
void kh_job_take_input(struct kh_job *job);

/* Closes *FD, unless it is -1, and sets it to -1. */
void kh_job_close(int *fd);

/* Adds FD, unless it is -1, to LIST, which has N entries; returns the new count. */
size_t kh_job_watch(struct pollfd *list, size_t n, int fd, short events);

#endif
