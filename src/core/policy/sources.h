/*
 * The sections of keyhole.yaml that say what external operations can reach, and who verifies them: `databases`,
 * `search`, `network` and `verification` (SPEC E9, K7, I8).  Their tables of keys, their defaults, and the checks
 * across keys.
 */
#ifndef KH_CORE_POLICY_SOURCES_H
#define KH_CORE_POLICY_SOURCES_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_sources_database;     /* of struct kh_config_database */
extern const struct kh_shape kh_sources_search;       /* of struct kh_config_search */
extern const struct kh_shape kh_sources_network;      /* of struct kh_config_network */
extern const struct kh_shape kh_sources_verification; /* of struct kh_config_verification */

/* Sets these sections of a configuration to their values before anything is read into them. */
void kh_sources_start(struct kh_config *config);

/*
 * Reports what does not fit together (KH_EINPUT, `policy_invalid`), and fills in the defaults of keys that were left
 * out.  The Readers have been read already.  If POLICY_ALONE and the file has no section `databases`, the policy's
 * statements may name any database, because explaining a policy needs none.
 */
enum kh_err kh_sources_finish(const struct kh_outline_source *source, struct kh_config *config, bool policy_alone,
			      struct kh_error *err) KH_CHECKED;

#endif
