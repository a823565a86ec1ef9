/*
 * All upstream servers that this process runs (U1): each is started when one of its tools is called or a resource is read,
 * one for every context or one for all (`shared`), and ended when nobody has called for its idle time, when the
 * configuration has it no longer, or with the process.
 *
 *     kh_fleet_new(&settings, &fleet, &err);
 *     kh_fleet_call(fleet, errand, arena, &result);        from any thread: struct kh_errand_upstreams
 *     kh_fleet_reload(fleet, config);
 *     kh_fleet_free(fleet);
 *
 * No thread and no process is started before the first call.
 */
#ifndef KH_UPSTREAM_FLEET_H
#define KH_UPSTREAM_FLEET_H

#include "upstream/holding.h"
#include "upstream/telling.h"

#define KH_FLEET_SERVERS 64 /* that run at once; the one that nobody has called for longest makes room */

struct kh_fleet;

struct kh_fleet_settings {
	const struct kh_alloc *alloc;
	const struct kh_client *client;    /* must live longer */
	const struct kh_config *config;    /* must live longer, even after kh_fleet_reload() */
	struct kh_view folder;             /* the home folder's path; logs/ is in it */
	struct kh_holding_settings leases; /* without `take`: this process alone runs them */
	struct kh_inquiry_human human;     /* who is asked what servers want to know (U3); without functions: nobody */
	bool tells;                        /* how servers are is written for other processes: it is a gateway */
	struct kh_telling tell;            /* records what a server was found to offer */
};

enum kh_err kh_fleet_new(const struct kh_fleet_settings *settings, struct kh_fleet **ret_fleet,
			 struct kh_error *err) KH_CHECKED;

/* Ends all servers.  Nobody may be calling. */
void kh_fleet_free(struct kh_fleet *fleet);

/* Carries ERRAND out, which has a tool or a resource; OF is the fleet.  Fills in *RESULT, which is a failure until then.
 * Fails only for lack of memory. */
enum kh_err kh_fleet_call(void *of, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *result) KH_CHECKED;

/*
 * CONFIG is in force from now on.  Servers whose entries have changed are ended when the calls that run have ended;
 * servers that were held down, or wait for another start, may be started again at once.
 */
void kh_fleet_reload(struct kh_fleet *fleet, const struct kh_config *config);

/* Ends every server at once, also in the middle of calls, which end as unknown (U8).  A later call starts one anew. */
void kh_fleet_halt(struct kh_fleet *fleet);

#endif
