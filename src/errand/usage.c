/* Counts the blocks of a folder's files.  Names and modes come from hostile programs; only the kernel reads them. */
#include "errand/usage.h"

#include "base/clock.h"
#include "base/diskroom.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK    512 /* bytes of a unit of st_blocks */
#define SHARE    10  /* of the time, a tenth is for counting */
#define EVERY_MS 100 /* at most so often */

struct count {
	struct kh_usage *usage;
	uint64_t bytes, files;
	dev_t device;
};

static bool fail(struct count *c, const char *over)
{
	c->usage->over = over;
	return false;
}

static bool add(struct count *c, const struct stat *st)
{
	c->bytes += (uint64_t)st->st_blocks * BLOCK;
	c->files++;
	if (c->bytes > c->usage->most)
		return fail(c, "the workspace is larger than it may be");
	return c->files <= KH_USAGE_FILES || fail(c, "the workspace has more files than it may");
}

static bool count_folder(struct count *c, int parent, const char *name, unsigned depth);

/* A file that is gone by now is not counted. */
static bool count_entry(struct count *c, int folder, const char *name, unsigned depth)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return true;
	if (!add(c, &st))
		return false;
	return !S_ISDIR(st.st_mode) || st.st_dev != c->device || count_folder(c, folder, name, depth + 1);
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static bool count_folder(struct count *c, int parent, const char *name, unsigned depth)
{
	bool goes_on = true;

	if (depth > KH_USAGE_DEPTH)
		return fail(c, "the workspace has folders that are too deep to be counted");
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
		       fail(c, "the workspace has a folder that cannot be counted");
	DIR *dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		return fail(c, "the workspace has a folder that cannot be counted");
	}
	for (const struct dirent *entry; goes_on && (entry = readdir(dir)) != NULL;)
		goes_on = is_dots(entry->d_name) || count_entry(c, fd, entry->d_name, depth);
	closedir(dir);
	return goes_on;
}

bool kh_usage_look(struct kh_usage *usage)
{
	struct count c = {.usage = usage};
	struct stat st;
	int64_t now = kh_clock_ms();

	if (kh_diskroom_is_low(usage->path)) {
		usage->over = "the disk has less room than is kept free";
		return false;
	}
	if (now < usage->counts_ms || stat(usage->path, &st) != 0)
		return true;
	c.device = st.st_dev;
	bool goes_on = count_folder(&c, AT_FDCWD, usage->path, 0);
	int64_t took = kh_clock_ms() - now, pause = took * SHARE;
	usage->counts_ms = now + (pause > EVERY_MS ? pause : EVERY_MS);
	return goes_on;
}
