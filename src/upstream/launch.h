/*
 * From an entry of `upstreams` to the request that starts it (SPEC U1, U2): a program in the profile `server`, or a
 * worker that speaks HTTP with one server.
 *
 * The request names files of secrets by their absolute paths; nothing here opens them.  What the section cannot know,
 * because the rules for requests stand in wire/, is found here and reported with the line of the file.
 */
#ifndef KH_UPSTREAM_LAUNCH_H
#define KH_UPSTREAM_LAUNCH_H

#include "base/canonical.h"
#include "core/policy/settings.h"
#include "wire/upstream.h"

/* Where the configuration was read: names in it that are not absolute are relative to FOLDER. */
struct kh_launch {
	struct kh_arena *arena; /* the request's texts are in it, or in the configuration */
	struct kh_view folder;  /* the home folder's path */
	struct kh_view file;    /* the configuration's name, for messages */
};

/*
 * The request for a program (`command`).  It sees its own folder and its program, read-only; of the rest what `read` and
 * `write` name.  KH_EINPUT, `policy_invalid` with the line, if the executor would refuse it.
 */
enum kh_err kh_launch_run(const struct kh_launch *launch, const struct kh_config_upstream *up, struct kh_run *ret_run,
			  struct kh_error *err) KH_CHECKED;

/* The request for a server over HTTP (`url`). */
enum kh_err kh_launch_http(const struct kh_launch *launch, const struct kh_config_upstream *up,
			   struct kh_upstream *ret_upstream, struct kh_error *err) KH_CHECKED;

/* A digest of all that an entry says: of the same digest are the same servers, run the same way.  Needs no arena. */
enum kh_err kh_launch_entry(const struct kh_launch *launch, const struct kh_config_upstream *up,
			    struct kh_digest *ret_digest, struct kh_error *err) KH_CHECKED;

/* Makes the request of every entry, and keeps none: for whoever reads a configuration. */
enum kh_err kh_launch_check(const struct kh_launch *launch, const struct kh_config *config,
			    struct kh_error *err) KH_CHECKED;

#endif
