/*
 * Finds a folder that passes controllers on, and moves processes out of one so that it can.  Reads only files of the
 * kernel.
 */
#include "sandbox/delegate.h"

#include "base/view.h"
#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NEST     "keyhole-own" /* for processes that would be in the way */
#define ATTEMPTS 10            /* to empty a folder in which processes are still started */

static bool has_both(int folder, const char *file)
{
	char text[512];
	struct kh_view list = kh_setting_read(folder, file, text, sizeof(text));

	return kh_view_find(list, KH_LIT("memory"), 0) != SIZE_MAX && kh_view_find(list, KH_LIT("pids"), 0) != SIZE_MAX;
}

/* Cloning a process into a folder below needs the right to write to cgroup.procs here. */
static bool can_lend(int folder)
{
	if (!has_both(folder, "cgroup.controllers") || faccessat(folder, ".", W_OK, AT_EACCESS) != 0 ||
	    faccessat(folder, "cgroup.procs", W_OK, AT_EACCESS) != 0)
		return false;
	return has_both(folder, "cgroup.subtree_control") ||
	       kh_setting_write(folder, "cgroup.subtree_control", "+memory +pids") == 0;
}

static bool is_nest(int own, int above)
{
	struct stat here, nest;

	return above >= 0 && fstat(own, &here) == 0 && fstatat(above, NEST, &nest, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_dev == nest.st_dev && here.st_ino == nest.st_ino;
}

/* systemd's mark: this folder and everything below it are delegated to the processes that run there. */
static bool is_given(int folder)
{
	char value = 0;

	return folder >= 0 && ((fgetxattr(folder, "user.delegate", &value, 1) == 1 && value == '1') ||
			       (fgetxattr(folder, "trusted.delegate", &value, 1) == 1 && value == '1'));
}

static int64_t parent_of(int64_t pid)
{
	char path[48], text[512];
	int64_t parent = -1;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	struct kh_view stat = kh_setting_read(AT_FDCWD, path, text, sizeof(text)), field;
	/* The name, in brackets, may contain anything; nothing after it has brackets. */
	size_t name_end = 0;
	for (size_t i = 0; i < stat.n; i++)
		name_end = stat.p[i] == ')' ? i : name_end;
	struct kh_view rest = kh_view_from(stat, name_end);
	for (int i = 0; i < 3; i++) {
		if (!kh_view_split(&rest, ' ', &field))
			return -1;
	}
	return kh_view_int(field, &parent) ? parent : -1;
}

/* True if the executor's parent is a spawner, whose own parent is the gateway. */
static bool is_spawned(int64_t parent)
{
	char path[48], text[64];

	snprintf(path, sizeof(path), "/proc/%lld/comm", (long long)parent);
	return kh_view_eq(kh_view_trim(kh_setting_read(AT_FDCWD, path, text, sizeof(text))), KH_LIT("keyhole-spawn"));
}

/* True for the executor, its children, its parent and its parent's children; and if its parent is a spawner, for the
 * gateway that this belongs to and the gateway's children. */
static bool is_ours(int64_t pid)
{
	int64_t self = getpid(), parent = getppid(), gateway = is_spawned(parent) ? parent_of(parent) : parent;

	if (pid == self || pid == parent || pid == gateway)
		return true;
	int64_t of = parent_of(pid);
	return of > 0 && (of == self || (of > 1 && (of == parent || of == gateway)));
}

/* Moves the processes of FROM to TO: ALL of them, or only if all of them are ours.  True if none is left. */
static bool move(int from, int to, bool all)
{
	char text[4096], number[24];
	struct kh_view procs = {NULL, 0}, line;
	int64_t pid;

	for (int i = 0; i < ATTEMPTS; i++) {
		procs = kh_setting_read(from, "cgroup.procs", text, sizeof(text));
		if (procs.n == 0 || procs.n == sizeof(text)) /* we never have that many */
			break;
		for (struct kh_view rest = procs; !all && kh_view_split(&rest, '\n', &line);) {
			if (line.n > 0 && (!kh_view_int(line, &pid) || !is_ours(pid)))
				return false;
		}
		/* A process that has ended meanwhile cannot be moved, and need not be. */
		for (struct kh_view rest = procs; kh_view_split(&rest, '\n', &line);) {
			snprintf(number, sizeof(number), "%.*s", KH_FMT(line));
			if (line.n > 0)
				(void)!kh_setting_write(to, "cgroup.procs", number);
		}
	}
	return procs.n == 0;
}

static bool move_out(int own)
{
	if (!has_both(own, "cgroup.controllers") || (mkdirat(own, NEST, 0755) != 0 && errno != EEXIST))
		return false;
	int nest = openat(own, NEST, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	bool moved = nest >= 0 && move(own, nest, false) && can_lend(own);
	if (nest >= 0)
		close(nest);
	if (!moved)
		kh_delegate_undo(own);
	return moved;
}

int kh_delegate_find(int own, int above)
{
	if (own < 0)
		return -1;
	if (can_lend(own))
		return own;
	bool nested = is_nest(own, above);
	if ((nested || is_given(above)) && can_lend(above))
		return above;
	return !nested && move_out(own) ? own : -1;
}

bool kh_delegate_expected(int own, int above)
{
	return own >= 0 && (is_nest(own, above) || is_given(own) || is_given(above));
}

/* Passes on CONTROLLER no more, if it was passed on for shares (cgroup.c). */
static void drop_share(int folder, struct kh_view controller)
{
	char text[512], change[16];
	struct kh_view list = kh_setting_read(folder, "cgroup.subtree_control", text, sizeof(text)), word;

	snprintf(change, sizeof(change), "-%.*s", KH_FMT(controller));
	for (list = kh_view_trim(list); kh_view_split(&list, ' ', &word);)
		if (kh_view_eq(word, controller))
			(void)!kh_setting_write(folder, "cgroup.subtree_control", change);
}

void kh_delegate_undo(int folder)
{
	int nest = folder < 0 ? -1 : openat(folder, NEST, O_DIRECTORY | O_RDONLY | O_CLOEXEC);

	if (nest < 0)
		return;
	/* The kernel refuses while the folder of another executor below needs them. */
	if (!has_both(folder, "cgroup.subtree_control") ||
	    kh_setting_write(folder, "cgroup.subtree_control", "-memory -pids") == 0) {
		drop_share(folder, KH_LIT("cpu"));
		drop_share(folder, KH_LIT("io"));
		(void)move(nest, folder, true);
		unlinkat(folder, NEST, AT_REMOVEDIR);
	}
	close(nest);
}
