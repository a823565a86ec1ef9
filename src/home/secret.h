/* Secrets that the configuration names but does not contain: the key of a model's API or of a search engine, the
 * password of a database (SPEC I8).  Each is in a file that only its owner may read, or in an environment variable. */
#ifndef KH_HOME_SECRET_H
#define KH_HOME_SECRET_H

#include "core/policy/config.h"
#include "home/folder.h"

#define KH_SECRET_MAX 2048 /* bytes of one secret */

/* Secrets that were read at absolute paths.  They are kept because a gateway that reloads its configuration can no
 * longer reach these files. */
struct kh_secret_kept {
	struct kh_view path, text;
	struct kh_secret_kept *next;
};

struct kh_secret {
	struct kh_view file;        /* an absolute path, or a name in the home folder; or */
	struct kh_view environment; /* the name of a variable; neither: there is no secret */
	struct kh_view owner;       /* "reader far", "database crm", for messages */
	const char *word;           /* what it is: "key", "password" */
	bool in_header;             /* it goes into a header: visible ASCII only */
	unsigned line;              /* of keyhole.yaml, on which it is named */
};

/* Return what the configuration says of a secret.  The owner's text is in ARENA, and NULL if there is no memory: see
 * kh_secret_read(). */
struct kh_secret kh_secret_of_reader(struct kh_arena *arena, const struct kh_config_reader *reader);
struct kh_secret kh_secret_of_database(struct kh_arena *arena, const struct kh_config_database *database);
struct kh_secret kh_secret_of_search(const struct kh_config_search *search);

/*
 * Reads the secret into ARENA; the caller must wipe it.  Empty if none is named.  KEPT has what was read before, and is
 * added to.  KH_EUNKNOWN `key_missing` if the named file or variable is not there or empty, KH_EINPUT `secret_invalid`
 * if the text cannot be a secret, or the errors of folder.h.
 */
enum kh_err kh_secret_read(const struct kh_secret *secret, const struct kh_folder *folder, struct kh_arena *arena,
			   struct kh_secret_kept **kept, struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

/* Overwrites the secret; does nothing if it is empty. */
void kh_secret_wipe(struct kh_view text);

/* Overwrites all secrets that were kept. */
void kh_secret_forget(const struct kh_secret_kept *kept);

#endif
