/* What external operations need from this process (errand/errand.h), made from the home folder and the
 * configuration: the secrets, read while their files can still be reached, and the folders that operations work in. */
#ifndef KH_HOME_SUPPLIES_H
#define KH_HOME_SUPPLIES_H

#include "errand/errand.h"
#include "home/secret.h"

struct kh_supplies {
	struct kh_errand_tools tools;
	struct kh_view *passwords; /* of tools; wiped at the end */
};

/* Makes workspace/, cache/ and index/ (0700) if they are missing.  KH_EREFUSED `home_unsafe` if something else has
 * one of these names, or others may look into it. */
enum kh_err kh_supplies_folders(const struct kh_folder *folder, struct kh_error *err) KH_CHECKED;

/* Reads the secrets of CONFIG.  *RET_SUPPLIES lives in the arena; CLIENT may be NULL.  If this fails, what was read
 * is wiped. */
enum kh_err kh_supplies_open(struct kh_arena *arena, const struct kh_folder *folder, const struct kh_config *config,
			     const struct kh_client *client, struct kh_secret_kept **kept,
			     struct kh_supplies **ret_supplies, struct kh_error *err) KH_CHECKED;

/* Overwrites the secrets; SUPPLIES may be NULL. */
void kh_supplies_wipe(struct kh_supplies *supplies);

#endif
