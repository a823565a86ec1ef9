/*
 * The home folder: where a user's keyhole.db, keyhole.yaml, audit.key and tokens are.
 *
 * The folder must belong to the caller and be closed to everybody else (mode 0700); otherwise nothing in it is used,
 * because whoever can write there can put in a policy, and whoever can read there can read a token.  Files made here
 * have mode 0600 and never replace an existing file.  All names below are relative to the open folder, so that it
 * cannot be swapped meanwhile.
 */
#ifndef KH_HOME_FOLDER_H
#define KH_HOME_FOLDER_H

#include "base/error.h"

#define KH_FOLDER_STORE     "keyhole.db"
#define KH_FOLDER_CONFIG    "keyhole.yaml"
#define KH_FOLDER_KEY       "audit.key"
#define KH_FOLDER_WORKSPACE "workspace"

struct kh_folder {
	struct kh_view path; /* NUL-terminated, in the arena */
	int fd;              /* -1: not open */
};

/* Decides which folder is meant: NAMED (an option, or NULL), else $KEYHOLE_HOME, else $XDG_DATA_HOME/keyhole, else
 * ~/.local/share/keyhole.  KH_EINPUT `home_unknown` if there is none of these. */
enum kh_err kh_folder_path(struct kh_arena *arena, const char *named, struct kh_view *ret_path,
			   struct kh_error *err) KH_CHECKED;

/* Opens it.  KH_EUNKNOWN `home_missing`; KH_EREFUSED `home_unsafe` if it is not the caller's own, or others may look
 * into it. */
enum kh_err kh_folder_open(struct kh_arena *arena, struct kh_view path, struct kh_folder *ret_folder,
			   struct kh_error *err) KH_CHECKED;
void kh_folder_close(struct kh_folder *folder);

/* Returns the path of a file in it, NUL-terminated. */
struct kh_view kh_folder_file(const struct kh_folder *folder, struct kh_arena *arena, const char *name);

/* True if there is something of this name in it. */
bool kh_folder_has(const struct kh_folder *folder, const char *name);

/* Reads a plain file in it.  KH_EUNKNOWN `home_incomplete` if it is not there. */
enum kh_err kh_folder_read(const struct kh_folder *folder, struct kh_arena *arena, const char *name,
			   struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

/* Reads a secret of one line from a file that belongs to the caller and that nobody else may read or write (else
 * KH_EREFUSED `secret_unsafe`).  Blanks around the secret are removed.  The second function reads a file anywhere. */
enum kh_err kh_folder_secret(const struct kh_folder *folder, struct kh_arena *arena, const char *name,
			     struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;
enum kh_err kh_folder_secret_at(struct kh_arena *arena, const char *path, struct kh_view *ret_text,
				struct kh_error *err) KH_CHECKED;

/* Makes a file (0600) with this text, durably.  KH_EREFUSED `file_exists` if there is one. */
enum kh_err kh_folder_write(const struct kh_folder *folder, const char *name, struct kh_view text,
			    struct kh_error *err) KH_CHECKED;

/* Makes a folder in it (0700) if it is missing.  KH_EREFUSED `home_unsafe` if something else has this name, or others may
 * look into it. */
enum kh_err kh_folder_make(const struct kh_folder *folder, const char *name, struct kh_error *err) KH_CHECKED;

/* Makes a new file for a secret, anywhere, in two steps, so that no secret is made that cannot be stored: first the
 * empty file, then its text.  If the second step fails, the file is removed. */
enum kh_err kh_folder_reserve(struct kh_arena *arena, const char *path, int *ret_fd, struct kh_error *err) KH_CHECKED;
enum kh_err kh_folder_fill(int fd, const char *path, struct kh_view text, struct kh_error *err) KH_CHECKED;
void kh_folder_discard(int fd, const char *path);

#endif
