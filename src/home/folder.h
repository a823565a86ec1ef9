/*
 * The home folder: where a user's keyhole.db, keyhole.yaml, audit.key and tokens are.
 *
 * It is the caller's own and nobody else's (mode 0700), or nothing in it is used: whoever could write there could put
 * in a policy, whoever could read there could read a token.  What is made here has mode 0600 and is never made over
 * something that is there.  All names below are relative to the open folder, so that it cannot be swapped on the way.
 */
#ifndef KH_HOME_FOLDER_H
#define KH_HOME_FOLDER_H

#include "base/error.h"

#define KH_FOLDER_STORE  "keyhole.db"
#define KH_FOLDER_CONFIG "keyhole.yaml"
#define KH_FOLDER_KEY    "audit.key"

struct kh_folder {
	struct kh_view path; /* NUL-terminated, in the arena */
	int fd;              /* -1: not open */
};

/*
 * Which folder is meant: NAMED (an option, or NULL), else $KEYHOLE_HOME, else $XDG_DATA_HOME/keyhole, else
 * ~/.local/share/keyhole.  KH_EINPUT `home_unknown` where there is none of these.
 */
enum kh_err kh_folder_path(struct kh_arena *arena, const char *named, struct kh_view *ret_path,
			   struct kh_error *err) KH_CHECKED;

/* Opens it.  KH_EUNKNOWN `home_missing`; KH_EREFUSED `home_unsafe` where it is not the caller's own, or others may look
 * into it. */
enum kh_err kh_folder_open(struct kh_arena *arena, struct kh_view path, struct kh_folder *ret_folder,
			   struct kh_error *err) KH_CHECKED;
void kh_folder_close(struct kh_folder *folder);

/* The path of a file in it, NUL-terminated. */
struct kh_view kh_folder_file(const struct kh_folder *folder, struct kh_arena *arena, const char *name);

/* Whether there is something of this name in it. */
bool kh_folder_has(const struct kh_folder *folder, const char *name);

/* The text of a plain file in it.  KH_EUNKNOWN `home_incomplete` where it is not there. */
enum kh_err kh_folder_read(const struct kh_folder *folder, struct kh_arena *arena, const char *name,
			   struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

/*
 * A secret of one line: a file of the caller's own that nobody else may read or write (KH_EREFUSED `secret_unsafe`).
 * Blanks around it are not part of it.  The second form is of a file anywhere.
 */
enum kh_err kh_folder_secret(const struct kh_folder *folder, struct kh_arena *arena, const char *name,
			     struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;
enum kh_err kh_folder_secret_at(struct kh_arena *arena, const char *path, struct kh_view *ret_text,
				struct kh_error *err) KH_CHECKED;

/* Makes a file (0600) with this text, durably.  KH_EREFUSED `file_exists` where there is one. */
enum kh_err kh_folder_write(const struct kh_folder *folder, const char *name, struct kh_view text,
			    struct kh_error *err) KH_CHECKED;

/*
 * A secret's new file anywhere, in two steps, so that no secret is made that then has no place: the empty file, then
 * its text.  Where the second step fails the file is gone again.
 */
enum kh_err kh_folder_reserve(struct kh_arena *arena, const char *path, int *ret_fd, struct kh_error *err) KH_CHECKED;
enum kh_err kh_folder_fill(int fd, const char *path, struct kh_view text, struct kh_error *err) KH_CHECKED;
void kh_folder_discard(int fd, const char *path);

#endif
