/*
 * The walk.  Trusts nothing in the folders: what was a file a moment ago may be a link, a pipe or gone now.  Every step
 * goes from an open folder to one name in it and follows no link, so it cannot leave the folder.
 */
#include "worker/search/walk.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_beneath(int fd, const char *name, uint64_t flags)
{
	struct open_how how = {
		/* If a pipe has replaced a file, opening it must not wait for its other end. */
		.flags = flags | O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, fd, name, &how, sizeof(how));
}

static int by_name(const void *a, const void *b)
{
	const struct kh_search_walk_name *x = a, *y = b;

	return strcmp(x->name, y->name); /* compares bytes, as keys are compared */
}

static bool add_name(struct kh_search_walk_level *level, size_t *cap, const char *name)
{
	struct kh_search_walk_name *more = kh_arena_more(&level->arena, level->names, level->count, cap, sizeof(*more));

	if (more == NULL)
		return false;
	level->names = more;
	size_t n = strlen(name);
	struct kh_view copy = kh_arena_dup(&level->arena, kh_view_of(name, n + 1));
	if (copy.p == NULL)
		return false;
	level->names[level->count++] = (struct kh_search_walk_name){copy.p, n};
	return true;
}

/* Sorts the names and removes duplicates: a folder that changes while it is read may list a name twice. */
static void sort_names(struct kh_search_walk_level *level)
{
	size_t n = 0;

	if (level->count == 0)
		return;
	qsort(level->names, level->count, sizeof(level->names[0]), by_name);
	for (size_t i = 1; i < level->count; i++)
		if (strcmp(level->names[n].name, level->names[i].name) != 0)
			level->names[++n] = level->names[i];
	level->count = n + 1;
}

/* All names of the folder, sorted; false if some are missing. */
static bool read_names(struct kh_search_walk_level *level)
{
	int fd = fcntl(level->fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry = NULL;
	size_t cap = 0;
	bool whole = dir != NULL;

	if (dir == NULL && fd >= 0)
		close(fd);
	while (whole && (errno = 0, entry = readdir(dir)) != NULL) {
		bool is_wanted = entry->d_type == DT_REG || entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
		if (is_wanted && entry->d_name[0] != '.')
			whole = add_name(level, &cap, entry->d_name);
	}
	if (dir != NULL && entry == NULL && errno != 0)
		whole = false;
	if (dir != NULL)
		closedir(dir);
	sort_names(level);
	return whole;
}

/* Enters the folder FD, whose key is the first KEY bytes of the walk's. */
static void enter(struct kh_search_walk *walk, int fd, size_t key)
{
	struct kh_search_walk_level *level = &walk->level[walk->depth++];
	size_t used = 0;

	*level = (struct kh_search_walk_level){.fd = fd, .key = key};
	for (size_t i = 0; i + 1 < walk->depth; i++)
		used += walk->level[i].arena.size;
	kh_arena_init(&level->arena, walk->alloc, used < KH_SEARCH_WALK_NAMES ? KH_SEARCH_WALK_NAMES - used : 0);
	if (!read_names(level))
		walk->unread++;
	/* It failed far below its limit, so the machine is out of memory; the folder is not too large. */
	if (level->arena.failed && level->arena.size < KH_SEARCH_WALK_NAMES / 16)
		walk->no_memory = true;
}

static void leave(struct kh_search_walk *walk)
{
	struct kh_search_walk_level *level = &walk->level[--walk->depth];

	close(level->fd);
	kh_arena_done(&level->arena);
}

enum kh_err kh_search_walk_init(struct kh_search_walk *walk, const struct kh_alloc *alloc, const char *folder,
				struct kh_view after, struct kh_error *err)
{
	size_t n = strlen(folder);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	memset(walk, 0, sizeof(*walk));
	if (fd < 0 || n >= sizeof(walk->key)) {
		int e = fd < 0 ? errno : ENAMETOOLONG;
		if (fd >= 0)
			close(fd);
		return kh_error_set(err, KH_EREFUSED, e == ENOENT ? "folder_missing" : "folder_unread",
				    "a folder of search.folders cannot be read: %s", strerrordesc_np(e));
	}
	walk->alloc = alloc;
	walk->after = after;
	while (n > 1 && folder[n - 1] == '/')
		n--;
	for (size_t i = 0; i < n; i++)
		walk->key[i] = folder[i] == '/' ? '\0' : folder[i];
	enter(walk, fd, n == 1 ? 0 : n); /* for "/" nothing stands before the separator */
	return KH_OK;
}

/*
 * True if the key of KEY_N bytes, and all keys below it, were passed already.  IS_FOLDER: keys below it come after it.
 */
static bool is_passed(const struct kh_search_walk *walk, bool is_folder)
{
	struct kh_view key = kh_search_walk_key(walk), after = walk->after;

	if (after.n == 0 || kh_view_cmp(key, after) > 0)
		return false;
	return !is_folder || !(after.n > key.n && memcmp(after.p, key.p, key.n) == 0 && after.p[key.n] == '\0');
}

/* Builds the key of NAME in LEVEL; false if it is too long. */
static bool make_key(struct kh_search_walk *walk, const struct kh_search_walk_level *level,
		     const struct kh_search_walk_name *name)
{
	if (level->key + 1 + name->n >= sizeof(walk->key))
		return false;
	walk->key[level->key] = '\0';
	memcpy(walk->key + level->key + 1, name->name, name->n);
	walk->key_n = level->key + 1 + name->n;
	return true;
}

bool kh_search_walk_next(struct kh_search_walk *walk)
{
	while (walk->depth > 0) {
		struct kh_search_walk_level *level = &walk->level[walk->depth - 1];
		if (level->next == level->count) {
			leave(walk);
			continue;
		}
		const struct kh_search_walk_name *name = &level->names[level->next++];
		if (!make_key(walk, level, name) ||
		    fstatat(level->fd, name->name, &walk->status, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISREG(walk->status.st_mode) && !is_passed(walk, false)) {
			walk->fd = level->fd;
			walk->name = name->name;
			return true;
		}
		if (!S_ISDIR(walk->status.st_mode) || is_passed(walk, true))
			continue;
		int fd = walk->depth < KH_SEARCH_WALK_DEPTH ? open_beneath(level->fd, name->name, O_DIRECTORY) : -1;
		if (fd >= 0)
			enter(walk, fd, walk->key_n);
		else if (errno != ENOENT)
			walk->unread++;
	}
	return false;
}

int kh_search_walk_open(const struct kh_search_walk *walk)
{
	struct stat now;
	int fd = open_beneath(walk->fd, walk->name, 0);

	if (fd >= 0 && (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

struct kh_view kh_search_walk_key(const struct kh_search_walk *walk)
{
	return kh_view_of(walk->key, walk->key_n);
}

void kh_search_walk_done(struct kh_search_walk *walk)
{
	while (walk->depth > 0)
		leave(walk);
}
