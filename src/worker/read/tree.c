/*
 * The digest of a folder.
 *
 * Somebody else may change the folder meanwhile, and put in anything.  So each entry is opened by its name in the folder
 * that is open already, without following a link, and what it is is asked of what was opened.
 */
#include "worker/read/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECE 65536

struct tree {
	struct kh_arena *arena;
	struct kh_error *err;
	uint64_t entries, bytes;
	char piece[PIECE];
};

static enum kh_err digest_open(struct tree *t, int fd, unsigned depth, struct kh_digest *ret_digest);

static enum kh_err unreadable(const struct tree *t, int error)
{
	return kh_error_set(t->err, KH_EREFUSED, "not_readable", "reading the program's folder: %s",
			    strerrordesc_np(error));
}

static enum kh_err too_large(const struct tree *t)
{
	return kh_error_set(t->err, KH_ELIMIT, "too_large", "the program's folder is too large, or too deep");
}

static int open_in(int at, const char *name, uint64_t flags)
{
	struct open_how how = {.flags = flags | O_CLOEXEC | O_NOFOLLOW,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	int fd;

	do
		fd = (int)syscall(SYS_openat2, at, name, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	return fd;
}

static enum kh_err digest_file(struct tree *t, int fd, struct kh_canonical_state *state)
{
	for (;;) {
		ssize_t n = read(fd, t->piece, sizeof(t->piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return unreadable(t, errno);
		if (n == 0)
			return KH_OK;
		t->bytes += (uint64_t)n;
		if (t->bytes > KH_TREE_BYTES)
			return too_large(t);
		kh_canonical_more(state, kh_view_of(t->piece, (size_t)n));
	}
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	const struct kh_view *x = a, *y = b;

	return kh_view_cmp(*x, *y);
}

/* The names in a folder, in ascending order. */
static enum kh_err list_names(struct tree *t, int fd, struct kh_view **ret_names, size_t *ret_count)
{
	struct kh_view *names = NULL;
	size_t count = 0, cap = 0;

	for (;;) {
		long n = syscall(SYS_getdents64, fd, t->piece, sizeof(t->piece));
		if (n < 0)
			return unreadable(t, errno);
		if (n == 0)
			break;
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(t->piece + at);
			struct kh_view name = kh_view_str(entry->d_name);
			at += entry->d_reclen;
			if (kh_view_eq(name, KH_LIT(".")) || kh_view_eq(name, KH_LIT("..")))
				continue;
			if (++t->entries > KH_TREE_ENTRIES)
				return too_large(t);
			names = kh_arena_more(t->arena, names, count, &cap, sizeof(*names));
			if (names == NULL)
				return KH_ENOMEM;
			names[count++] = kh_arena_printf(t->arena, "%.*s", KH_FMT(name));
		}
	}
	if (count > 1)
		qsort(names, count, sizeof(*names), by_name);
	*ret_names = names;
	*ret_count = count;
	return kh_arena_check(t->arena);
}

/* The digest of the entry NAME of the folder AT. */
static enum kh_err digest_entry(struct tree *t, int at, const char *name, unsigned depth, struct kh_digest *ret_digest)
{
	int fd = open_in(at, name, O_PATH);
	struct stat st;

	if (fd < 0)
		return unreadable(t, errno);
	if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
		close(fd);
		fd = open_in(at, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			return unreadable(t, errno);
	}
	enum kh_err e = digest_open(t, fd, depth, ret_digest);
	close(fd);
	return e;
}

static enum kh_err digest_folder(struct tree *t, int fd, unsigned depth, struct kh_canonical_state *state)
{
	struct kh_view *names = NULL;
	struct kh_digest digest;
	size_t count = 0;

	if (depth == KH_TREE_DEPTH)
		return too_large(t);
	enum kh_err e = list_names(t, fd, &names, &count);
	for (size_t i = 0; i < count && e == KH_OK; i++) {
		e = digest_entry(t, fd, names[i].p, depth + 1, &digest);
		if (e != KH_OK)
			break;
		kh_canonical_more(state, kh_view_of(names[i].p, names[i].n + 1)); /* with its NUL, as an end */
		kh_canonical_more(state, kh_view_of((const char *)digest.bytes, sizeof(digest.bytes)));
	}
	return e;
}

/* --- anything ----------------------------------------------------------------------------------------------------- */

static enum kh_err digest_link(struct tree *t, int fd, struct kh_canonical_state *state)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(fd, "", target, sizeof(target));

	if (n < 0)
		return unreadable(t, errno);
	kh_canonical_more(state, kh_view_of(target, (size_t)n));
	return KH_OK;
}

/* Of what FD is: its kind, whether it is executable, and what is in it.  Pipes, sockets and devices are only a kind. */
static enum kh_err digest_open(struct tree *t, int fd, unsigned depth, struct kh_digest *ret_digest)
{
	struct kh_canonical_state state;
	struct stat st;
	enum kh_err e = KH_OK;

	if (fstat(fd, &st) != 0)
		return unreadable(t, errno);
	const char kind[2] = {S_ISREG(st.st_mode)   ? 'f'
			      : S_ISDIR(st.st_mode) ? 'd'
			      : S_ISLNK(st.st_mode) ? 'l'
						    : 'o',
			      S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0 ? 'x' : '-'};
	kh_canonical_begin(&state);
	kh_canonical_more(&state, kh_view_of(kind, sizeof(kind)));
	if (kind[0] == 'f')
		e = digest_file(t, fd, &state);
	else if (kind[0] == 'd')
		e = digest_folder(t, fd, depth, &state);
	else if (kind[0] == 'l')
		e = digest_link(t, fd, &state);
	*ret_digest = kh_canonical_end(&state);
	return e;
}

enum kh_err kh_tree_digest(int fd, struct kh_arena *arena, struct kh_digest *ret_digest, struct kh_error *err)
{
	struct tree *t = KH_NEW(arena, struct tree);

	if (t == NULL)
		return KH_ENOMEM;
	t->arena = arena;
	t->err = err;
	return digest_open(t, fd, 0, ret_digest);
}
