/*
 * keyhole.yaml changed, and secrets put into files, so that at every moment, also after a crash, there is the old
 * configuration or the new one.
 *
 *     kh_keep_begin(&keep, folder, arena, &err);   one process at a time; reads the file
 *     kh_keep_secret(&keep, ...);                  files that are there with the same content are kept
 *     kh_keep_end(&keep, text, &err);              takes the place of the file, or everything is as it was
 */
#ifndef KH_CLI_UPSTREAM_KEEP_H
#define KH_CLI_UPSTREAM_KEEP_H

#include "cli/upstream/proposal.h"
#include "home/folder.h"

struct kh_keep_made {
	struct kh_view name;
	struct kh_keep_made *next;
};

struct kh_keep {
	const struct kh_folder *folder;
	struct kh_arena *arena;
	int fd;              /* the file that will take the place, which is also the lock; -1: closed */
	int secrets;         /* the folder of secrets; -1: none was needed */
	struct kh_view text; /* of keyhole.yaml as it is */
	mode_t mode;         /* its mode */
	struct kh_keep_made *made;
};

/* KH_EREFUSED `upstream_busy` if another process changes the file; `home_unsafe` if keyhole.yaml is a link. */
enum kh_err kh_keep_begin(struct kh_keep *keep, const struct kh_folder *folder, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

/*
 * Puts a secret that has a value into its file (0600).  KH_EREFUSED `file_exists` if the file has another content,
 * unless REPLACE; `home_unsafe` if what is there is not a plain file.
 */
enum kh_err kh_keep_secret(struct kh_keep *keep, const struct kh_proposal_secret *secret, bool replace,
			   struct kh_error *err) KH_CHECKED;

/* Writes TEXT in place of keyhole.yaml, and closes. */
enum kh_err kh_keep_end(struct kh_keep *keep, struct kh_view text, struct kh_error *err) KH_CHECKED;

/* Removes the files of secrets that were made, and closes; for whoever does not come to the end. */
void kh_keep_abandon(struct kh_keep *keep);

#endif
