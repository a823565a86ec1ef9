/*
 * Secrets that the configuration names and does not hold: the key of a model's API or of a search engine, the password
 * of a database (SPEC I8).  Each is in a file of its owner's alone, or in a variable of the environment.
 */
#ifndef KH_HOME_SECRET_H
#define KH_HOME_SECRET_H

#include "home/folder.h"

#define KH_SECRET_MAX 2048 /* bytes of one */

/* What was read at absolute paths: a gateway that reads its configuration again can reach these files no more. */
struct kh_secret_kept {
	struct kh_view path, text;
	struct kh_secret_kept *next;
};

struct kh_secret {
	struct kh_view file;        /* an absolute path, or a name in the home folder; or */
	struct kh_view environment; /* the name of a variable; neither: there is none */
	struct kh_view owner;       /* "reader far", "database crm", for messages */
	const char *word;           /* what it is: "key", "password" */
	bool in_header;             /* it goes into a header: visible ASCII alone */
	unsigned line;              /* of keyhole.yaml, where it is named */
};

/*
 * Reads it, into ARENA: whoever is given it wipes it.  Empty where there is none.  KEPT has what was read before, and
 * is added to.  KH_EUNKNOWN `key_missing` where what is named is not there or empty, KH_EINPUT `secret_invalid` where
 * it cannot be one, or what folder.h says of the file.
 */
enum kh_err kh_secret_read(const struct kh_secret *secret, const struct kh_folder *folder, struct kh_arena *arena,
			   struct kh_secret_kept **kept, struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

/* Overwrites it; an empty one is left as it is. */
void kh_secret_wipe(struct kh_view text);

/* Overwrites all that was kept. */
void kh_secret_forget(const struct kh_secret_kept *kept);

#endif
