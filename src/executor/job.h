/*
 * One request in the executor, from its channel to its END.  A job never blocks: kh_step() does whatever can be done
 * now, and kh_step_watch() says what to wait for next, depending on the job's phase.
 *
 *     NEW ──RUN────────────────────────────> RUN ─────┐           also of a server
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
#include "executor/veil.h"
#include "wire/address.h"
#include "wire/fault.h"
#include "wire/upstream.h"

#include <poll.h>

#define KH_JOB_ADDRESSES 16
#define KH_JOB_WATCHES   12 /* most descriptors that one job waits for */
#define KH_JOB_DETAIL    200
#define KH_JOB_SPENT     "the sandbox was killed: it used more memory than it may"
#define KH_JOB_URL       (KH_URL_MAX + 64)
#define KH_JOB_FILES     12 /* descriptors of a request, with those of output that is not sent yet */
#define KH_JOB_SERVER    20 /* descriptors of a server, with two sandboxes and a forwarder */
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

/* All jobs of an executor, and the room that is left for more.  Nothing of a request is in it. */
struct kh_job_house {
	struct kh_job *jobs;
	size_t count;
	unsigned char *busy;                /* for each of them: it is not free */
	size_t requests, servers;           /* how many there are now; a server counts as one after its request came */
	size_t most_requests, most_servers; /* how many there may be */
	void (*step)(struct kh_job *job);   /* one step of one of them (step.h) */
	size_t descriptors, most_descriptors; /* what they may take together */
};

/* What one kind of request does in each phase: run.h, serve.h, fetch.h, upstream.h. */
struct kh_job_kind {
	/* Reads the request MESSAGE into the job; KH_EINPUT with a detail if it is not valid. */
	enum kh_err (*read)(struct kh_job *job, const struct kh_message *message, struct kh_error *err);
	void (*begin)(struct kh_job *job);
	/* The connection is open. */
	void (*use)(struct kh_job *job);
	/* Does what can be done now, in phase RUN or TALK. */
	void (*step)(struct kh_job *job);
	/* Adds to WATCH, which has N entries, what that phase waits for; returns the new count.  Lowers *WAKE_US to the
	   time at which there is something to do in any case. */
	size_t (*watch)(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us);
	/* Tells how it ended, in place of END.  NULL: the parent gets END. */
	void (*tell)(struct kh_job *job);
	/* Not NULL: its worker asks for connections itself (forward.h), and ends with this message. */
	void (*worker_ends)(struct kh_job *job, const struct kh_message *message);
};

/* The forwarder of a request that has network by name (forward.h). */
struct kh_job_forward {
	int channel, pidfd, pid; /* pid 0: there is none */
	enum kh_message_state state;
	bool is_stopping;
	size_t questions;         /* that are open */
	int64_t deadline_us;      /* when it is killed, if it is stopping */
	uint64_t sent, received;  /* bytes, as it told */
	bool is_spent;            /* the program wanted to send more than it may */
	char note[KH_JOB_DETAIL]; /* the first connection that was refused, and why */
};

/* How much has come lately: the level falls by the rate, and what would raise it above ten seconds of that waits. */
struct kh_job_meter {
	uint64_t level;
	int64_t at_us; /* when the level was that */
};

/* What a server has besides (serve.h). */
struct kh_job_serve {
	struct kh_slot *reader; /* the sandbox of the worker that reads its output */
	int reason;             /* our end of that worker's standard error; -1 */
	bool is_counted;        /* as a server */
	bool is_steady;         /* everything is open: until it stops, descriptors are closed, but no more are opened */
	bool recalled;          /* the parent wants what is kept */
	int64_t moved_us;       /* when the last byte went either way */
	int64_t closed_us;      /* when its output ended while it runs; 0 */
	struct kh_job_meter output, errors;
	uint64_t written; /* bytes of standard error */
	size_t why_n;
	char why[KH_MESSAGE_REASON];    /* what the worker said when it ended */
	struct kh_veil veil;            /* its secrets */
	struct kh_cover_state covering; /* how far it has got in its output */
	size_t held_n;
	char held[KH_VEIL_LONGEST]; /* of its output, not sent yet: it may be the beginning of a secret */
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
	int64_t look_us; /* when something is looked at next, the machine or its memory; INT64_MAX: a cgroup bounds it */
	int64_t due_us;  /* when its memory is, whatever the machine has */
	int64_t pause_us; /* between that and the look before */
	uint64_t kib;     /* that it had then */
	uint64_t machine; /* KiB that the machine had then, or has had less since */

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

	char request[KH_MESSAGE_MAX]; /* the three below borrow from this */
	struct kh_run run;
	struct kh_fetch fetch;
	struct kh_upstream upstream;
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
	struct kh_job_serve serve;
	struct kh_job_house *house; /* NULL: it is alone */
	/* for a question of a forwarder, which is a job of its own */
	struct kh_job *owner; /* whose forwarder asked; NULL: it does not matter any more */
	uint64_t ticket;
	size_t index; /* of the owner's network */

	/* For a server: the newest bytes of its standard error, the WRITTEN-th at the remainder.  Last, because only
	   what was used is wiped. */
	char kept[KH_MESSAGE_TAIL];
};

/* A job for a request that comes over CHANNEL, which is the job's from now on.  HOUSE may be NULL. */
void kh_job_begin(struct kh_job *job, struct kh_job_house *house, struct kh_pool *pool, int channel);

/* A job that is free; NULL if there is none. */
struct kh_job *kh_job_find(const struct kh_job_house *house);

/* True if there is room for one more request that is not a server. */
bool kh_job_has_room(const struct kh_job_house *house);

/* Decides, when its request has come, whether there is room for JOB, which is perhaps a server.  False: it has ended. */
bool kh_job_admit(struct kh_job *job, bool is_server) KH_CHECKED;

/* The job is over: nothing of it stays in memory. */
void kh_job_release(struct kh_job *job);

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

/* True if the parent may still send something. */
bool kh_job_listens(const struct kh_job *job);

/* Takes the next piece of input from the parent, if there is room for it. */
void kh_job_take_input(struct kh_job *job);

/* Closes *FD, unless it is -1, and sets it to -1. */
void kh_job_close(int *fd);

/* Adds FD, unless it is -1, to LIST, which has N entries; returns the new count. */
size_t kh_job_watch(struct pollfd *list, size_t n, int fd, short events);

#endif
