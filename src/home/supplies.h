/* What external operations need from this process (errand/errand.h), made from the home folder and the
 * configuration: the secrets, read while their files can still be reached, and the folders that operations work in. */
#ifndef KH_HOME_SUPPLIES_H
#define KH_HOME_SUPPLIES_H

#include "errand/errand.h"
#include "home/home.h"

struct kh_supplies {
	struct kh_errand_tools tools;
	struct kh_view *passwords; /* of tools; wiped at the end */
};

/* Makes workspace/, cache/, index/ and logs/ (0700) if they are missing.  KH_EREFUSED `home_unsafe` if something else has
 * one of these names, or others may look into it. */
enum kh_err kh_supplies_folders(const struct kh_folder *folder, struct kh_error *err) KH_CHECKED;

/* Reads the secrets of the home's configuration; home->supplies lives in its arena, and home->client may be NULL.  If
 * this fails, what was read is wiped, and home->supplies is as it was. */
enum kh_err kh_supplies_open(struct kh_home *home, struct kh_error *err) KH_CHECKED;

/* Overwrites the secrets; SUPPLIES may be NULL. */
void kh_supplies_wipe(struct kh_supplies *supplies);

#endif
