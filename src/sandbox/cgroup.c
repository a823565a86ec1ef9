/*
 * cgroup folders: making, limiting, filling, removing.  Reads /proc/self/cgroup and the list of mounts, which come from
 * the kernel.
 */
#include "sandbox/cgroup.h"

#include "base/clock.h"
#include "sandbox/delegate.h"
#include "sandbox/setting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX      "keyhole-"
#define LATELY_S    60   /* a folder that was changed since then is not taken for one that was left */
#define PATIENCE_MS 5000 /* how long the keeper waits for killed processes to leave */
#define ATTEMPTS    5    /* to make a folder while the last executor's keeper may be cleaning up */

/* The folders that the executor's folder may be made in: two for v2 (delegate.h), then those of v1. */
enum { OWN, ABOVE, V1_MEMORY, V1_PIDS, V1_CPU, PLACES };

/* The shares of all sandboxes together are half of the default. */
#define CPU_SHARES "512"   /* v1 */
#define WEIGHT     "50"    /* v2 */
#define PERIOD_US  100000U /* in which a group has its part of the processor */

static bool file_has(int folder, const char *file, const char *word)
{
	char text[512];

	return kh_view_find(kh_setting_read(folder, file, text, sizeof(text)), kh_view_str(word), 0) != SIZE_MAX;
}

/* Takes the next blank-separated word off LINE. */
static struct kh_view word(struct kh_view *line)
{
	struct kh_view piece = {NULL, 0};

	while (kh_view_split(line, ' ', &piece) && piece.n == 0)
		;
	return piece;
}

static bool list_has(struct kh_view list, struct kh_view item)
{
	struct kh_view piece;

	while (kh_view_split(&list, ',', &piece)) {
		if (kh_view_eq(piece, item))
			return true;
	}
	return false;
}

/* Takes LINE, if it is that of the hierarchy of CONTROLLER ("" for v2), into PATH. */
typedef bool line_fn(struct kh_view line, const char *controller, char *path, size_t size);

/* The mount point of the hierarchy. */
static bool take_mount(struct kh_view line, const char *controller, char *path, size_t size)
{
	(void)word(&line);
	struct kh_view place = word(&line), type = word(&line), options = word(&line);
	bool found = place.n < size &&
		     (controller[0] ? kh_view_eq(type, KH_LIT("cgroup")) && list_has(options, kh_view_str(controller))
				    : kh_view_eq(type, KH_LIT("cgroup2")));

	if (found)
		snprintf(path, size, "%.*s", KH_FMT(place));
	return found;
}

/* The folder of this process in the hierarchy: it is appended. */
static bool take_own(struct kh_view line, const char *controller, char *path, size_t size)
{
	struct kh_view rest = kh_view_trim(line), number = {NULL, 0}, list = {NULL, 0};
	bool found = kh_view_split(&rest, ':', &number) && kh_view_split(&rest, ':', &list) &&
		     (controller[0] ? list_has(list, kh_view_str(controller)) : list.n == 0);

	if (found && rest.n > 1)
		snprintf(path + strlen(path), size - strlen(path), "%.*s", KH_FMT(rest));
	return found;
}

/* True if TAKE takes one of the lines of FILE. */
static bool find(const char *file, line_fn *take, const char *controller, char *path, size_t size)
{
	char line[4096];
	bool found = false;
	FILE *lines = fopen(file, "re");

	while (lines && !found && fgets(line, sizeof(line), lines))
		found = take(kh_view_str(line), controller, path, size);
	if (lines)
		fclose(lines);
	return found;
}

/* The folder of this process in the hierarchy of CONTROLLER; -1 if there is none. */
static int open_own(const char *controller)
{
	char path[PATH_MAX];

	if (!find("/proc/self/mounts", take_mount, controller, path, sizeof(path)) ||
	    !find("/proc/self/cgroup", take_own, controller, path, sizeof(path)))
		return -1;
	return open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
}

/* Moves FD above the descriptors that a keeper closes. */
static int keep_high(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 4);

	if (fd >= 0)
		close(fd);
	return high;
}

/* The folder of cgroup v2 that holds OWN; -1 if there is none, or if it is not visible from here. */
static int open_above(int own)
{
	struct statfs fs;
	int fd = own < 0 ? -1 : openat(own, "..", O_DIRECTORY | O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && (fstatfs(fd, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void open_places(int places[PLACES])
{
	places[OWN] = keep_high(open_own(""));
	places[ABOVE] = keep_high(open_above(places[OWN]));
	places[V1_MEMORY] = keep_high(open_own("memory"));
	places[V1_PIDS] = keep_high(open_own("pids"));
	places[V1_CPU] = keep_high(open_own("cpu"));
}

static void close_places(const int places[PLACES])
{
	for (size_t i = 0; i < PLACES; i++) {
		if (places[i] >= 0)
			close(places[i]);
	}
}

/* Makes the executor's folder in FOLDER. */
static bool make_base(struct kh_cgroup_base *base, size_t i, int folder)
{
	base->parent[i] = folder < 0 ? -1 : fcntl(folder, F_DUPFD_CLOEXEC, 0);
	if (base->parent[i] < 0 || mkdirat(base->parent[i], base->name, 0755) < 0)
		return false;
	base->own[i] = openat(base->parent[i], base->name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	/* While it is locked, it is in use: see is_left(). */
	return base->own[i] >= 0 && flock(base->own[i], LOCK_SH | LOCK_NB) == 0;
}

static void drop_base(struct kh_cgroup_base *base, size_t i)
{
	if (base->own[i] >= 0) {
		close(base->own[i]);
		unlinkat(base->parent[i], base->name, AT_REMOVEDIR);
	}
	if (base->parent[i] >= 0)
		close(base->parent[i]);
	base->own[i] = base->parent[i] = -1;
}

/* Shares of the processor or the disk, if CONTROLLER can be passed on to the sandboxes' folders. */
static bool share_v2(const struct kh_cgroup_base *base, const char *controller, const char *file)
{
	(void)!kh_setting_write(base->parent[0], "cgroup.subtree_control", controller);
	if (kh_setting_write(base->own[0], "cgroup.subtree_control", controller) != 0)
		return false;
	(void)!kh_setting_write(base->own[0], file, WEIGHT);
	return true;
}

/* v2 is used only if both controllers can be passed on to the sandboxes' folders. */
static bool try_v2(struct kh_cgroup_base *base, const int places[PLACES])
{
	int folder = kh_delegate_find(places[OWN], places[ABOVE]);

	if (make_base(base, 0, folder) && file_has(base->own[0], "cgroup.controllers", "memory") &&
	    file_has(base->own[0], "cgroup.controllers", "pids") &&
	    kh_setting_write(base->own[0], "cgroup.subtree_control", "+memory +pids") == 0) {
		base->is_v2 = base->has_memory = base->has_pids = true;
		base->has_cpu = share_v2(base, "+cpu", "cpu.weight");
		base->has_io = share_v2(base, "+io", "io.weight");
		return true;
	}
	drop_base(base, 0);
	return false;
}

/* Of v1 each hierarchy is used that there is.  One that is mounted together with another has the folder already. */
static void try_v1(struct kh_cgroup_base *base, const int places[PLACES])
{
	bool *const has[KH_CGROUP_HIERARCHIES] = {&base->has_memory, &base->has_pids, &base->has_cpu};

	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++) {
		*has[i] = make_base(base, i, places[V1_MEMORY + i]);
		if (!*has[i])
			drop_base(base, i);
	}
	if (base->has_cpu)
		(void)!kh_setting_write(base->own[2], "cpu.shares", CPU_SHARES);
}

/* Removes every folder in OWN and then OWN itself; false if something is left. */
static bool sweep(int parent, const char *name)
{
	int own = openat(parent, name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_type == DT_DIR && kh_ascii_is_digit(entry->d_name[0]))
			unlinkat(own, entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
	else if (own >= 0)
		close(own);
	/* EACCES: whoever may not look into the folder above has made none in it. */
	return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == EACCES;
}

/*
 * True if NAME, in FOLDER, is a folder of an executor that is gone, and whose keeper is gone, too: they died together,
 * with a container or a pid namespace for example.  Its pid says nothing, because it may be another namespace's.  But an
 * executor locks its folder, and the kernel drops the lock with the executor.  One that was changed lately may belong to
 * an executor that is about to lock it.
 */
static bool is_left(int folder, const char *name)
{
	struct stat st;
	int fd = strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 && kh_ascii_is_digit(name[sizeof(PREFIX) - 1])
			 ? openat(folder, name, O_DIRECTORY | O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
			 : -1;
	bool left = fd >= 0 && fstat(fd, &st) == 0 && st.st_mtim.tv_sec + LATELY_S < kh_clock_wall_us() / 1000000 &&
		    flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return left;
}

/* Removes what such executors have left in FOLDER. */
static void sweep_left(int folder)
{
	int fd = folder < 0 ? -1 : openat(folder, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_type == DT_DIR && is_left(folder, entry->d_name))
			(void)!sweep(folder, entry->d_name);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* The keeper: removes what others have left, sleeps until the executor is gone, then removes its folders as its sandboxes die. */
static _Noreturn void keep(const struct kh_cgroup_base *base, const int places[PLACES], int wake)
{
	char byte;

	setsid(); /* signals to the executor's process group must not reach the keeper */
	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_IGN);
	for (size_t i = 0; i < PLACES; i++)
		sweep_left(places[i]);
	while (read(wake, &byte, 1) < 0 && errno == EINTR)
		;
	for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
		bool left = false;
		for (size_t i = 0; i < PLACES; i++)
			left |= places[i] >= 0 && !sweep(places[i], base->name);
		if (!left)
			break;
		usleep(10000);
	}
	kh_delegate_undo(places[OWN]);
	kh_delegate_undo(places[ABOVE]);
	_exit(0);
}

static bool start_keeper(struct kh_cgroup_base *base, const int places[PLACES])
{
	int ends[2] = {-1, -1};

	if (pipe2(ends, O_CLOEXEC) < 0 || ends[0] < 0)
		return false;
	base->keeper = fork();
	if (base->keeper == 0) {
		prctl(PR_SET_NAME, "keyhole-keeper");
		dup2(ends[0], 0);
		close_range(1, 2, 0);
		close_range(3, 3, 0); /* the control channel: the parent must see when the executor ends, not us */
		close(ends[1]);
		keep(base, places, 0);
	}
	close(ends[0]);
	base->alarm = ends[1];
	return base->keeper > 0;
}

/* The keeper of an executor that has just ended may move this process meanwhile; then it is in another folder. */
static bool try_v2_again(struct kh_cgroup_base *base)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		int places[PLACES];
		open_places(places);
		bool done = try_v2(base, places);
		bool again = kh_delegate_expected(places[OWN], places[ABOVE]);
		close_places(places);
		if (done || !again)
			return done;
		usleep(10000);
	}
	return false;
}

void kh_cgroup_base_init(struct kh_cgroup_base *base, int pid)
{
	int64_t now = kh_clock_wall_us();
	int places[PLACES];

	*base = (struct kh_cgroup_base)KH_CGROUP_NONE;
	/* The pid alone is not unique: containers that share a hierarchy have the same pids. */
	snprintf(base->name, sizeof(base->name), PREFIX "%d-%x", pid, (unsigned)(now / 1000000 ^ now % 1000000 << 12));
	/* Start the keeper before making the folders that it will remove. */
	open_places(places);
	if (start_keeper(base, places) && !try_v2_again(base))
		try_v1(base, places);
	close_places(places);
	if (!base->has_memory && !base->has_pids)
		kh_cgroup_base_done(base);
}

void kh_cgroup_base_done(struct kh_cgroup_base *base)
{
	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++)
		drop_base(base, i);
	if (base->alarm >= 0)
		close(base->alarm);
	if (base->keeper > 0)
		waitpid(base->keeper, NULL, 0);
	base->alarm = base->keeper = -1;
}

const char *kh_cgroup_base_has(const struct kh_cgroup_base *base)
{
	/* By the bits below. */
	static const char *const v1[] = {"none", "memory (v1)",      "pids (v1)",      "memory, pids (v1)",
					 "none", "memory, cpu (v1)", "pids, cpu (v1)", "memory, pids, cpu (v1)"};
	static const char *const v2[] = {"memory, pids (v2)", "memory, pids, cpu (v2)", "memory, pids, io (v2)",
					 "memory, pids, cpu, io (v2)"};

	if (base->is_v2)
		return v2[(base->has_cpu ? 1 : 0) + (base->has_io ? 2 : 0)];
	return v1[(base->has_memory ? 1 : 0) + (base->has_pids ? 2 : 0) + (base->has_cpu ? 4 : 0)];
}

bool kh_cgroup_new(const struct kh_cgroup_base *base, unsigned number, struct kh_cgroup *ret_group)
{
	struct kh_cgroup group = {.base = base};

	snprintf(group.name, sizeof(group.name), "%u", number);
	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++) {
		if (base->own[i] < 0 || mkdirat(base->own[i], group.name, 0755) == 0)
			continue;
		/* Remove only the folders that were made; one that could not be made may be another process's. */
		int why = errno;
		for (size_t made = 0; made < i; made++) {
			if (base->own[made] >= 0)
				unlinkat(base->own[made], group.name, AT_REMOVEDIR);
		}
		errno = why;
		return false;
	}
	*ret_group = group;
	return true;
}

int kh_cgroup_clone_into(const struct kh_cgroup *group)
{
	if (group->base == NULL || !group->base->is_v2)
		return -1;
	return openat(group->base->own[0], group->name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
}

static bool write_text(const struct kh_cgroup *group, size_t i, const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", group->name, file);
	return kh_setting_write(group->base->own[i], path, text) == 0;
}

static bool write_in(const struct kh_cgroup *group, size_t i, const char *file, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return write_text(group, i, file, text);
}

bool kh_cgroup_enter(const struct kh_cgroup *group)
{
	bool ok = true;

	if (group->base == NULL || group->base->is_v2)
		return true;
	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++)
		ok &= group->base->own[i] < 0 || write_in(group, i, "tasks", 0);
	return ok;
}

bool kh_cgroup_limit(const struct kh_cgroup *group, uint64_t memory, uint64_t processes)
{
	const struct kh_cgroup_base *base = group->base;
	bool ok = true;

	if (base == NULL)
		return true;
	processes += 2; /* for the first process, and the one that makes maps of ids (ids.c) */
	if (base->is_v2) {
		/* No swap, and kill the group as a whole, if possible: a kernel without swap has no such file. */
		(void)write_in(group, 0, "memory.swap.max", 0);
		(void)write_in(group, 0, "memory.oom.group", 1);
		return write_in(group, 0, "memory.max", memory) && write_in(group, 0, "pids.max", processes);
	}
	if (base->has_memory) {
		/* The limit with swap may never be below the one without.  So it is written first if the limit is
		   raised, and last if it is lowered. */
		(void)write_in(group, 0, "memory.memsw.limit_in_bytes", memory);
		ok = write_in(group, 0, "memory.limit_in_bytes", memory);
		int why = errno;
		(void)write_in(group, 0, "memory.memsw.limit_in_bytes", memory);
		errno = why;
	}
	if (!ok)
		return false;
	return !base->has_pids || write_in(group, 1, "pids.max", processes);
}

bool kh_cgroup_bound(const struct kh_cgroup *group, uint64_t processor)
{
	const struct kh_cgroup_base *base = group->base;
	uint64_t quota = processor * (PERIOD_US / 1000);
	char text[48];
	bool ok;

	if (base == NULL || !base->has_cpu || processor == 0)
		return true;
	snprintf(text, sizeof(text), base->is_v2 ? "%llu %u" : "%llu", (unsigned long long)quota, PERIOD_US);
	if (base->is_v2)
		ok = write_text(group, 0, "cpu.max", text);
	else
		ok = write_in(group, 2, "cpu.cfs_period_us", PERIOD_US) &&
		     write_text(group, 2, "cpu.cfs_quota_us", text);
	/* A kernel can have shares and no bounds. */
	return ok || errno == ENOENT;
}

bool kh_cgroup_is_spent(const struct kh_cgroup *group)
{
	char path[64];

	if (group->base == NULL || !group->base->has_memory)
		return false;
	snprintf(path, sizeof(path), "%s/%s", group->name, group->base->is_v2 ? "memory.events" : "memory.oom_control");
	return file_has(group->base->own[0], path, "oom_kill ") && !file_has(group->base->own[0], path, "oom_kill 0\n");
}

void kh_cgroup_done(struct kh_cgroup *group)
{
	if (group->base == NULL)
		return;
	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++) {
		if (group->base->own[i] >= 0)
			unlinkat(group->base->own[i], group->name, AT_REMOVEDIR);
	}
	group->base = NULL;
}
