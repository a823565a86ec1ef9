/*
 * Ids of sandboxes.  Runs as root, while nothing hostile runs in the sandbox.  Reads /proc, and /etc/passwd and
 * /etc/group of the host.
 */
#include "sandbox/ids.h"

#include "base/view.h"
#include "sandbox/privileges.h"
#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK 16384
#define LINE  4096 /* longer ones are read in pieces: a piece that is no entry has no number in its third field */

bool kh_ids_has(const char *path, unsigned id)
{
	char line[128];
	bool found = false;
	FILE *map = fopen(path, "re");

	while (map && !found && fgets(line, sizeof(line), map)) {
		char *end;
		unsigned long long first = strtoull(line, &end, 10);
		(void)strtoull(end, &end, 10);
		unsigned long long count = strtoull(end, NULL, 10);
		found = id >= first && id - first < count;
	}
	if (map)
		fclose(map);
	return found;
}

/* Which range the entry in LINE is in, as a bit; entries have their number in the third field. */
static unsigned range_of(struct kh_view line)
{
	struct kh_view field = {NULL, 0};
	int64_t id = 0;

	for (int i = 0; i < 3; i++)
		if (!kh_view_split(&line, ':', &field))
			return 0;
	if (!kh_view_int(field, &id) || id < (int64_t)KH_IDS_FIRST)
		return 0;
	uint64_t index = ((uint64_t)id - KH_IDS_FIRST) / KH_IDS_COUNT;
	return index < KH_IDS_RANGES ? 1U << index : 0;
}

/* The ranges that somebody in FILE is in.  A file that is not there has nobody. */
static unsigned taken(const char *file)
{
	char line[LINE];
	unsigned ranges = 0;
	FILE *lines = fopen(file, "re");

	while (lines && fgets(line, sizeof(line), lines))
		ranges |= range_of(kh_view_trim(kh_view_str(line)));
	if (lines)
		fclose(lines);
	return ranges;
}

static bool is_mapped(unsigned first)
{
	static const char *const maps[] = {"/proc/self/uid_map", "/proc/self/gid_map"};
	bool ok = true;

	for (size_t i = 0; i < 2 && ok; i++)
		ok = kh_ids_has(maps[i], first) && kh_ids_has(maps[i], first + KH_IDS_COUNT - 1);
	return ok;
}

enum kh_err kh_ids_range(const char *passwd, const char *group, unsigned *ret_first, struct kh_error *err)
{
	unsigned busy = taken(passwd) | taken(group);

	*ret_first = 0;
	if (!is_mapped(KH_IDS_FIRST))
		return KH_OK;
	for (unsigned i = 0; i < KH_IDS_RANGES; i++) {
		unsigned first = KH_IDS_FIRST + i * KH_IDS_COUNT;
		if ((busy & 1U << i) != 0 || !is_mapped(first))
			continue;
		*ret_first = first;
		return KH_OK;
	}
	return kh_error_set(
		err, KH_EREFUSED, "sandbox",
		"users or groups of this machine are in each of the %d ranges of ids for sandboxes, %u to %u",
		KH_IDS_RANGES, KH_IDS_FIRST, KH_IDS_FIRST + KH_IDS_RANGES * KH_IDS_COUNT - 1);
}

unsigned kh_ids_own(int proc, unsigned first)
{
	char text[16];
	int64_t pid = 0;

	if (first == 0)
		return KH_IDS_NOBODY;
	ssize_t n = readlinkat(proc, "self", text, sizeof(text));
	if (n <= 0 || !kh_view_int(kh_view_of(text, (size_t)n), &pid) || pid <= 0 || pid >= (int64_t)KH_IDS_COUNT)
		return 0;
	return first + (unsigned)pid;
}

/* /proc lets a process write its own maps only while it is dumpable. */
int kh_ids_map(int proc, const unsigned inside[2], const unsigned outside[2])
{
	char map[48];

	prctl(PR_SET_DUMPABLE, 1);
	int e = kh_setting_write(proc, "self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", inside[0], outside[0]);
	if (e == 0)
		e = kh_setting_write(proc, "self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", inside[1], outside[1]);
	if (e == 0)
		e = kh_setting_write(proc, "self/gid_map", map);
	prctl(PR_SET_DUMPABLE, 0);
	if (e == 0 && (!kh_privileges_is(inside[0], inside[1]) || prctl(PR_GET_DUMPABLE) != 0))
		e = EPROTO;
	return e;
}

struct making {
	const struct kh_ids *ids;
	unsigned inside[2];
	int map;
};

/* In a process of its own, which shares memory and descriptors with the one that wants the map. */
static int make_map(void *with)
{
	struct making *m = with;
	const unsigned outside[2] = {m->ids->user, m->ids->group};

	if (kh_ids_map(m->ids->proc, m->inside, outside) == 0)
		m->map = openat(m->ids->proc, "self/ns/user", O_RDONLY | O_CLOEXEC);
	return 0;
}

/*
 * Whoever makes a user namespace may map himself into it.  So this process is that user for a moment; it remains root as
 * its saved user.  The other process runs while this one waits, and so needs no memory of its own, only a stack.
 */
static int start_map(struct making *m)
{
	static char stack[STACK] __attribute__((aligned(16)));
	const unsigned user = m->ids->user, group = m->ids->group;
	int status = 0, e = 0;

	if (setresgid(group, group, 0) < 0 || setresuid(user, user, 0) < 0)
		return errno;
	int pid = clone(make_map, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_NEWUSER | SIGCHLD,
			m);
	if (pid < 0)
		e = errno;
	if (setresuid(0, 0, 0) < 0 || setresgid(0, 0, 0) < 0)
		return errno;
	if (e == 0 && (waitpid(pid, &status, 0) != pid || m->map <= STDERR_FILENO))
		e = EPROTO;
	return e;
}

int kh_ids_shift(struct kh_ids *ids, unsigned uid, unsigned gid)
{
	for (size_t i = 0; i < ids->count; i++)
		if (ids->owner[i].uid == uid && ids->owner[i].gid == gid)
			return ids->owner[i].map;
	if (ids->count == KH_IDS_OWNERS) {
		errno = E2BIG;
		return -1;
	}
	struct making m = {.ids = ids, .inside = {uid, gid}, .map = -1};
	errno = start_map(&m);
	if (errno != 0)
		return -1;
	ids->owner[ids->count].uid = uid;
	ids->owner[ids->count].gid = gid;
	ids->owner[ids->count++].map = m.map;
	return m.map;
}

void kh_ids_forget(struct kh_ids *ids)
{
	while (ids->count > 0)
		close(ids->owner[--ids->count].map);
}
