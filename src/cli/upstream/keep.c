/* Files.  The home folder is the user's own and closed to others; what is in it may still be anything. */
#include "cli/upstream/keep.h"

#include "home/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW    KH_FOLDER_CONFIG ".new"
#define OTHERS 077

static enum kh_err no_memory(struct kh_error *err)
{
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

static enum kh_err fail(const char *what, struct kh_error *err)
{
	return kh_error_set(err, KH_EINPUT, "file_unwritable", "%s in the home folder: %s", what, strerror(errno));
}

/* Opens the file that will take the place, and locks it.  After a crash it is there already. */
static enum kh_err lock(struct kh_keep *keep, struct kh_error *err)
{
	int fd = openat(keep->folder->fd, NEW, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	struct stat own, named;

	if (fd < 0)
		return fail(NEW, err);
	bool is_mine = flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &own) == 0 &&
		       fstatat(keep->folder->fd, NEW, &named, AT_SYMLINK_NOFOLLOW) == 0 && own.st_ino == named.st_ino &&
		       own.st_dev == named.st_dev && S_ISREG(own.st_mode) && own.st_nlink == 1;
	if (!is_mine) {
		close(fd);
		return kh_error_set(err, KH_EREFUSED, "upstream_busy",
				    "another command changes keyhole.yaml, or " NEW
				    " in the home folder is not a plain file: try again");
	}
	keep->fd = fd;
	return KH_OK;
}

enum kh_err kh_keep_begin(struct kh_keep *keep, const struct kh_folder *folder, struct kh_arena *arena,
			  struct kh_error *err)
{
	struct stat st;

	*keep = (struct kh_keep){.folder = folder, .arena = arena, .fd = -1, .secrets = -1};
	if (fstatat(folder->fd, KH_FOLDER_CONFIG, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_nlink != 1)
		return kh_error_set(err, KH_EREFUSED, "home_unsafe",
				    KH_FOLDER_CONFIG
				    " in the home folder is a link, or not a plain file: it is not replaced; "
				    "edit it by hand");
	keep->mode = st.st_mode & 07777;
	enum kh_err e = lock(keep, err);
	if (e == KH_OK)
		e = kh_folder_read(folder, arena, KH_FOLDER_CONFIG, &keep->text, err);
	if (e != KH_OK)
		kh_keep_abandon(keep);
	return e;
}

/* --- secrets ------------------------------------------------------------------------------------------------------ */

static enum kh_err open_secrets(struct kh_keep *keep, struct kh_error *err)
{
	enum kh_err e = keep->secrets >= 0 ? KH_OK : kh_folder_make(keep->folder, KH_PROPOSAL_FOLDER, err);

	if (e == KH_OK && keep->secrets < 0) {
		keep->secrets = openat(keep->folder->fd, KH_PROPOSAL_FOLDER,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (keep->secrets < 0)
			e = fail(KH_PROPOSAL_FOLDER, err);
	}
	return e;
}

/* Whether the plain file at FD has VALUE, with or without an end of line. */
static bool has_value(int fd, struct kh_view value)
{
	char piece[4096];
	size_t at = 0;
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		struct kh_view part = kh_view_of(piece, (size_t)n);
		struct kh_view same = kh_view_sub(value, at, at + part.n);
		bool is_same = kh_view_eq(kh_view_sub(part, 0, same.n), same) &&
			       kh_view_trim(kh_view_from(part, same.n)).n == 0;
		explicit_bzero(piece, sizeof(piece));
		if (!is_same)
			return false;
		at += same.n;
	}
	return n == 0 && at == value.n;
}

/* What is at NAME: *RET_SAME if it is a file with VALUE; *RET_THERE if it has another. */
static enum kh_err look(struct kh_keep *keep, const char *name, struct kh_view value, bool *ret_there, bool *ret_same,
			struct kh_error *err)
{
	int fd = openat(keep->secrets, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st = {0};

	*ret_there = fd >= 0 || errno != ENOENT;
	if (!*ret_there)
		return KH_OK;
	bool is_file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		       st.st_nlink == 1;
	*ret_same = is_file && (st.st_mode & OTHERS) == 0 && has_value(fd, value);
	kh_file_close(fd);
	if (!is_file)
		return kh_error_set(err, KH_EREFUSED, "home_unsafe",
				    KH_PROPOSAL_FOLDER
				    "/%s in the home folder is a link, not a plain file, or not yours: "
				    "remove it",
				    name);
	return KH_OK;
}

/* Makes the file whole under another name first, so that no half of it is ever there. */
static enum kh_err put(struct kh_keep *keep, const char *name, struct kh_view value, struct kh_error *err)
{
	struct kh_view temporary = kh_arena_printf(keep->arena, ".%s.new", name);

	if (temporary.p == NULL)
		return no_memory(err);
	unlinkat(keep->secrets, temporary.p, 0); /* of a command that was ended in between */
	int fd = openat(keep->secrets, temporary.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool is_done = fd >= 0 && kh_file_write(fd, value);
	int why = errno;
	kh_file_close(fd);
	if (is_done && renameat(keep->secrets, temporary.p, keep->secrets, name) == 0)
		return KH_OK;
	if (is_done)
		why = errno;
	unlinkat(keep->secrets, temporary.p, 0);
	errno = why;
	return fail(KH_PROPOSAL_FOLDER, err);
}

enum kh_err kh_keep_secret(struct kh_keep *keep, const struct kh_proposal_secret *secret, bool replace,
			   struct kh_error *err)
{
	struct kh_view name = kh_arena_printf(keep->arena, "%.*s", KH_FMT(secret->file));
	struct kh_keep_made *made = KH_NEW(keep->arena, struct kh_keep_made);
	bool is_there = false, is_same = false;

	if (name.p == NULL || made == NULL)
		return no_memory(err);
	if (secret->value.n == 0)
		return KH_OK;
	enum kh_err e = open_secrets(keep, err);
	if (e == KH_OK)
		e = look(keep, name.p, secret->value, &is_there, &is_same, err);
	if (e != KH_OK || is_same)
		return e;
	if (is_there && !replace)
		return kh_error_set(err, KH_EREFUSED, "file_exists",
				    KH_PROPOSAL_FOLDER "/%s is there with another content: remove it, or say --replace",
				    name.p);
	e = put(keep, name.p, secret->value, err);
	if (e == KH_OK && !is_there) {
		*made = (struct kh_keep_made){.name = name, .next = keep->made};
		keep->made = made;
	}
	return e;
}

/* --- the configuration -------------------------------------------------------------------------------------------- */

static void close_all(struct kh_keep *keep)
{
	kh_file_close(keep->secrets);
	kh_file_close(keep->fd);
	keep->fd = keep->secrets = -1;
}

enum kh_err kh_keep_end(struct kh_keep *keep, struct kh_view text, struct kh_error *err)
{
	bool is_done = (keep->secrets < 0 || fsync(keep->secrets) == 0) && ftruncate(keep->fd, 0) == 0 &&
		       lseek(keep->fd, 0, SEEK_SET) == 0 && fchmod(keep->fd, keep->mode) == 0 &&
		       kh_file_write(keep->fd, text) &&
		       renameat(keep->folder->fd, NEW, keep->folder->fd, KH_FOLDER_CONFIG) == 0;

	if (!is_done) {
		enum kh_err e = fail(KH_FOLDER_CONFIG, err);
		kh_keep_abandon(keep);
		return e;
	}
	is_done = fsync(keep->folder->fd) == 0;
	close_all(keep);
	return is_done ? KH_OK : fail(KH_FOLDER_CONFIG, err);
}

void kh_keep_abandon(struct kh_keep *keep)
{
	for (const struct kh_keep_made *made = keep->made; made != NULL; made = made->next)
		unlinkat(keep->secrets, made->name.p, 0);
	if (keep->fd >= 0)
		unlinkat(keep->folder->fd, NEW, 0);
	keep->made = NULL;
	close_all(keep);
}
