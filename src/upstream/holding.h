/*
 * The leases of this process: which programs of upstream servers it may run (U1).  With several gateways on one store a
 * lease names the one that runs a server for a context, or for all contexts if it is shared.
 *
 *     kh_holding_await(all, &server, until_ms, &err);     before the server is started, by every call
 *     kh_holding_drop(all, &server);                      the server has ended, or is told to end
 *     kh_holding_tend(all);                               now and then: gives back what was dropped
 *
 * A lease is taken durably before a program is started, and given back a little after the program was told to end, because
 * the executor kills it without being waited for.  For the same reason a lease whose holder has died is not used at once.
 * ALL may be NULL: no other process can run the same servers, and no lease is needed.
 *
 * Within the process a lease has one user at a time, so that a server that is ending and its successor do not overlap.
 */
#ifndef KH_UPSTREAM_HOLDING_H
#define KH_UPSTREAM_HOLDING_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdatomic.h>

#define KH_HOLDING_SETTLE_MS 500 /* how long a program that was told to end may take */

struct kh_holding_all;

/* What becomes of a try to take a lease. */
enum kh_holding_taken {
	KH_HOLDING_NOT,  /* another process has it, and knows that it is wanted */
	KH_HOLDING_HEIR, /* taken from a process that has died */
	KH_HOLDING_YES,
};

struct kh_holding_settings {
	const struct kh_alloc *alloc;
	void *context; /* for the functions, each of which is a transaction */
	enum kh_err (*take)(void *context, struct kh_view server, int64_t of, enum kh_holding_taken *ret_taken,
			    struct kh_error *err);
	enum kh_err (*give)(void *context, struct kh_view server, int64_t of, struct kh_error *err);
	/* Calls EACH with every lease of this process that another one waits for. */
	enum kh_err (*wanted)(void *context, void (*each)(void *arg, struct kh_view server, int64_t of), void *arg);
};

/* One user of a lease; zero, with the first two filled in. */
struct kh_holding {
	struct kh_view server; /* its name in the configuration, which must live longer */
	int64_t of;            /* a context's row; 0: all of them */
	bool is_held;          /* of holding.c */
};

/* *RET_ALL is NULL if the settings have no `take`. */
enum kh_err kh_holding_all_new(const struct kh_holding_settings *settings, struct kh_holding_all **ret_all,
			       struct kh_error *err) KH_CHECKED;

/* Gives everything back.  All users must have dropped what they had. */
void kh_holding_all_free(struct kh_holding_all *all);

/*
 * Waits until HOLDING has its lease, at the longest until UNTIL_MS of kh_clock_ms() or until *STOP.  KH_EREFUSED with
 * `held_elsewhere` or `server_held`; KH_ESTORE if it cannot be recorded.  Any number of threads may wait for one user.
 */
enum kh_err kh_holding_await(struct kh_holding_all *all, struct kh_holding *holding, int64_t until_ms,
			     const atomic_bool *stop, struct kh_error *err) KH_CHECKED;

/* HOLDING does not need its lease any more, if it has it. */
void kh_holding_drop(struct kh_holding_all *all, struct kh_holding *holding);

/* Whether another process waits for the lease of HOLDING, as kh_holding_tend() found last. */
bool kh_holding_is_wanted(struct kh_holding_all *all, const struct kh_holding *holding);

/* Gives back what was dropped long enough ago, and finds out what is wanted.  True if there is more to give back. */
bool kh_holding_tend(struct kh_holding_all *all);

#endif
