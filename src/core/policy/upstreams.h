/*
 * The section `upstreams` of keyhole.yaml (SPEC U1, U2): the MCP servers that stand behind Keyhole.  Its table of keys,
 * its defaults, and the checks across keys.
 */
#ifndef KH_CORE_POLICY_UPSTREAMS_H
#define KH_CORE_POLICY_UPSTREAMS_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_upstreams_shape; /* of struct kh_config_upstream */

#define KH_UPSTREAMS_NAME 32 /* bytes of a name */

/* True for a name that an upstream can have: [a-z][a-z0-9-]{0,31}, and not `host`. */
bool kh_upstreams_is_name(struct kh_view text);

/* True for "host:port" that a sandboxed server can be granted: a name in lower case, no address. */
bool kh_upstreams_is_target(struct kh_view text);

/*
 * The file of a header's secret, and what stands before its content: `Bearer far.token` is the file `far.token` after
 * "Bearer ".  False if TEXT is neither a file nor a word, a blank and a file.
 */
bool kh_upstreams_secret(struct kh_view text, struct kh_view *ret_scheme, struct kh_view *ret_file);

/*
 * Reports what does not fit together (KH_EINPUT, `policy_invalid`), and fills in the defaults of keys that were left
 * out.  If the section is there and not POLICY_ALONE, the policy's rules may name only servers of it, and `host`.
 */
enum kh_err kh_upstreams_finish(const struct kh_outline_source *source, struct kh_config *config, bool policy_alone,
				struct kh_error *err) KH_CHECKED;

#endif
