/*
 * The upstream servers of a home (U1, U4): what runs them in this process, and how what they offer gets onto the record.
 */
#ifndef KH_HOME_UPSTREAMS_H
#define KH_HOME_UPSTREAMS_H

#include "errand/errand.h"
#include "home/home.h"
#include "upstream/running.h"

/* Makes home->fleet, for which the home must not move.  No thread is started before the first call. */
enum kh_err kh_upstreams_open(struct kh_home *home, struct kh_error *err) KH_CHECKED;

/* The way from operations to the servers of the home. */
struct kh_errand_upstreams kh_upstreams_of(const struct kh_home *home);

/* Records what a server was found to offer, and holds what is not as it was approved. */
enum kh_err kh_upstreams_note(struct kh_engine *engine, const struct kh_running_found *found, struct kh_view about,
			      struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
