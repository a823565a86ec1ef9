/*
 * The sections of keyhole.yaml that say what external operations find, and who verifies them: `databases`, `search`,
 * `network` and `verification` (SPEC E9, K7, I8).  Their tables of keys, their defaults, and what must fit together.
 */
#ifndef KH_CORE_POLICY_SOURCES_H
#define KH_CORE_POLICY_SOURCES_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_sources_database;     /* of struct kh_config_database */
extern const struct kh_shape kh_sources_search;       /* of struct kh_config_search */
extern const struct kh_shape kh_sources_network;      /* of struct kh_config_network */
extern const struct kh_shape kh_sources_verification; /* of struct kh_config_verification */

/* A configuration's sections as they are before anything was read into them. */
void kh_sources_start(struct kh_config *config);

/*
 * Finds what does not fit together (KH_EINPUT, `policy_invalid`), and puts in the defaults of what was left out.  The
 * Readers are there already.  Where POLICY_ALONE and the file has no section `databases`, the policy's statements may
 * name any: who only asks what a policy says needs no database.
 */
enum kh_err kh_sources_finish(const struct kh_outline_source *source, struct kh_config *config, bool policy_alone,
			      struct kh_error *err) KH_CHECKED;

#endif
