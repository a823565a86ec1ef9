/*
 * All sandboxes of an executor: some are warm and wait for a request, some are in use, some are ending.  A sandbox
 * serves one request and is thrown away.
 *
 * A warm sandbox for our own workers has its worker running already, with libraries and certificates loaded, if the
 * worker needs no folder.  A kind is kept warm only after its first use, so an unused executor costs nothing.
 */
#ifndef KH_EXECUTOR_POOL_H
#define KH_EXECUTOR_POOL_H

#include "sandbox/sandbox.h"
#include "wire/request.h"

#define KH_POOL_SLOTS 768 /* two for a server */
#define KH_POOL_WARM  8   /* the most of each kind that are kept warm */

/* What a warm sandbox is kept for. */
enum kh_pool_kind {
	KH_POOL_PLAIN = 0, /* for a program with folders */
	KH_POOL_LOCKED,    /* for a program without folders */
	KH_POOL_RESOLVE,   /* our own worker, already running */
	KH_POOL_HTTP,      /* our own worker, already running */
	KH_POOL_SNI,       /* our own worker, already running */
	KH_POOL_UPSTREAM,  /* our own worker, already running */
	KH_POOL_READ,      /* our own worker, waiting for its folders */
	KH_POOL_TEXT,      /* our own worker, already running */
	KH_POOL_QUERY,     /* our own workers, waiting for their folders */
	KH_POOL_SEARCH,
	KH_POOL_MCP,
	KH_POOL_SERVER, /* for a program that lives long */
	KH_POOL_KINDS
};

enum kh_slot_use {
	KH_SLOT_EMPTY = 0,
	KH_SLOT_WARM,  /* not in use; it may not be warm yet */
	KH_SLOT_TAKEN, /* in use by a request */
	KH_SLOT_DYING, /* killed; its end is awaited */
};

struct kh_slot {
	enum kh_slot_use use;
	enum kh_pool_kind kind;
	struct kh_sandbox sandbox;
	enum kh_message_state state; /* state of its channel */
	int worker;                  /* the channel to our own worker, -1 for a program */
	int stream[3];               /* our ends of the input, output and errors of a worker that already runs; -1 */
	int listening[KH_REQUEST_NETWORK]; /* sockets that it handed out */
	size_t listens;
	bool gone;  /* its processes have ended and were waited for */
	bool spent; /* the kernel killed it for lack of memory */
	/* what it sent on its channel */
	enum kh_part broken; /* KH_PART_NONE: nothing */
	int error;
	char why[KH_MESSAGE_DETAIL + 1]; /* a sentence about it; may be empty */
	int status;                      /* the program's; -1 while it runs */
	uint64_t memory, processes;      /* limits that its cgroup has */
	uint64_t processor;              /* the same; 0: no bound */
};

struct kh_pool {
	const struct kh_sandbox_kit *kit;
	unsigned warm;               /* how many of each kind are wanted */
	unsigned next;               /* number of the next sandbox */
	bool used[KH_POOL_KINDS];    /* the kind was requested once: only then some are kept warm */
	bool failed[KH_POOL_KINDS];  /* the last one did not get warm: none is made in advance until one has worked */
	char buffer[KH_MESSAGE_MAX]; /* for messages from and to sandboxes that contain nothing of a request */
	/* So that nobody has to look at all slots: how many of each kind are warm, and the use of each slot. */
	unsigned count[KH_POOL_KINDS];
	unsigned char uses[KH_POOL_SLOTS]; /* enum kh_slot_use */
	struct kh_slot slots[KH_POOL_SLOTS];
};

void kh_pool_init(struct kh_pool *pool, const struct kh_sandbox_kit *kit, unsigned warm);

/* Kills everything that is left and waits for it. */
void kh_pool_done(struct kh_pool *pool);

/* Makes one sandbox in advance if MAKE_ONE; true if one was wanted. */
bool kh_pool_refill(struct kh_pool *pool, bool make_one);

/* Makes three pipes for a program's input, output and errors; our ends do not block.  False if there are no more
 * descriptors; the caller closes those that were made. */
bool kh_pool_pipes(int ret_ours[3], int ret_theirs[3]) KH_CHECKED;

/* The kind of sandbox that RUN needs. */
enum kh_pool_kind kh_pool_kind(const struct kh_run *run);

/*
 * A sandbox of KIND for PROFILE, a warm one if there is one.  NULL with the missing part in *RET_PART (KH_PART_NONE:
 * there are too many at once) and the reason in *RET_ERRNO.
 */
struct kh_slot *kh_pool_take(struct kh_pool *pool, enum kh_profile profile, enum kh_pool_kind kind,
			     enum kh_part *ret_part, int *ret_errno);

/* Sends RUN to a sandbox, using BUFFER, with the FDS that become the program's 0, 1, 2.  False if it is broken. */
bool kh_pool_start(struct kh_slot *slot, const struct kh_run *run, const int *fds, size_t count,
		   char *buffer) KH_CHECKED;

/* Reads what the sandbox sent on its channel, and checks whether it is gone. */
void kh_pool_look(struct kh_pool *pool, struct kh_slot *slot);

/* Closes the listening sockets that the sandbox handed out. */
void kh_pool_unlisten(struct kh_slot *slot);

/* Ends a request's use of SLOT: everything that still runs in it is killed. */
void kh_pool_drop(struct kh_pool *pool, struct kh_slot *slot);

#endif
