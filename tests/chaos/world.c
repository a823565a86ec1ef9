/* Looking at processes, mounts, namespaces, cgroups and files, by way of /proc.  See world.h. */
#include "world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES  4096
#define NAMESPACES 1024
#define SETTLE_MS  10000 /* the keeper of cgroup folders alone may take five seconds */

static struct {
	unsigned long passed, failed;
	char alone[64]; /* how this program is run by itself */
} count;

struct process {
	int pid, parent;
	char state;
};

uint64_t world_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t world_below(uint64_t *state, uint64_t end)
{
	return world_random(state) % end;
}

void world_sleep(uint64_t nanoseconds)
{
	struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

uint64_t world_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static _Noreturn void die(const char *what)
{
	printf("FAIL %s: %s\n0 passed, 1 failed\n", what, strerror(errno));
	exit(1);
}

/* Opens a folder of /proc or elsewhere and hands out its entries one by one. */
static struct dirent *next_entry(DIR *dir)
{
	struct dirent *entry;

	do
		entry = dir ? readdir(dir) : NULL;
	while (entry && entry->d_name[0] == '.');
	return entry;
}

static bool read_process(int pid, struct process *ret_process)
{
	char path[64], text[512], *after;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	after = strrchr(text, ')'); /* the name may hold anything */
	if (after == NULL || after[1] == '\0')
		return false;
	*ret_process = (struct process){.pid = pid, .state = after[2], .parent = (int)strtol(after + 3, NULL, 10)};
	return true;
}

static size_t read_processes(struct process *list)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	while ((entry = next_entry(dir)) != NULL && n < PROCESSES) {
		int pid = (int)strtol(entry->d_name, NULL, 10);
		n += pid > 0 && read_process(pid, &list[n]);
	}
	if (dir)
		closedir(dir);
	return n;
}

static int parent_of(const struct process *list, size_t n, int pid)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i].pid == pid)
			return list[i].parent;
	}
	return 0;
}

/* In a place of our own everything is ours; else this process and what descends from it. */
static bool is_ours(const struct world *world, const struct process *list, size_t n, int pid)
{
	int self = getpid();

	if (world->is_own)
		return true;
	for (int depth = 0; depth < 64 && pid > 0; depth++) {
		if (pid == self)
			return true;
		pid = parent_of(list, n, pid);
	}
	return false;
}

size_t world_children(int pid, int *ret_pids, size_t most)
{
	static struct process list[PROCESSES];
	size_t n = read_processes(list), found = 0;

	for (size_t i = 0; i < n && found < most; i++) {
		if (list[i].parent == pid)
			ret_pids[found++] = list[i].pid;
	}
	return found;
}

/* Adds the namespaces of PID to the SET of N; how many there are then.  Some are not ours to see: those count with
 * their process. */
static size_t add_namespaces(int pid, ino_t *set, size_t n)
{
	static const char *const names[] = {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup", "time"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[64];
		struct stat st;
		size_t k = 0;
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, names[i]);
		if (stat(path, &st) < 0)
			continue;
		while (k < n && set[k] != st.st_ino)
			k++;
		if (k == n && n < NAMESPACES)
			set[n++] = st.st_ino;
	}
	return n;
}

static size_t count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t n = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

/* Entries of FOLDER whose name begins with PREFIX. */
static size_t count_entries(const char *folder, const char *prefix)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	while ((entry = next_entry(dir)) != NULL)
		n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	if (dir)
		closedir(dir);
	return n;
}

size_t world_groups(const struct world *world)
{
	size_t n = 0;

	for (size_t i = 0; i < world->cgroups; i++) {
		DIR *dir = opendir(world->cgroup[i]);
		struct dirent *entry;
		while ((entry = next_entry(dir)) != NULL) {
			char path[PATH_MAX];
			snprintf(path, sizeof(path), "%s/%s", world->cgroup[i], entry->d_name);
			for (char digit[] = "0"; digit[0] <= '9' && strncmp(entry->d_name, "keyhole-", 8) == 0;
			     digit[0]++)
				n += count_entries(path, digit);
		}
		if (dir)
			closedir(dir);
	}
	return n;
}

size_t world_descriptors(void)
{
	return count_entries("/proc/self/fd", "") - 1; /* the folder itself */
}

long world_status(int pid, const char *name)
{
	char path[64], line[256];
	long value = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
			value = strtol(line + strlen(name) + 1, NULL, 10);
	}
	if (file)
		fclose(file);
	return value;
}

void world_look(const struct world *world, struct world_look *ret_look)
{
	static struct process list[PROCESSES];
	static ino_t set[NAMESPACES];
	struct world_look look = {0};
	size_t n = read_processes(list);

	for (size_t i = 0; i < n; i++) {
		if (!is_ours(world, list, n, list[i].pid))
			continue;
		look.processes++;
		look.zombies += list[i].state == 'Z';
		look.namespaces = add_namespaces(list[i].pid, set, look.namespaces);
	}
	look.mounts = count_lines("/proc/self/mountinfo");
	for (size_t i = 0; i < world->cgroups; i++)
		look.cgroups += count_entries(world->cgroup[i], "keyhole-");
	look.files = count_entries("/tmp", world->is_own ? "" : "keyhole");
	look.descriptors = world_descriptors();
	*ret_look = look;
}

/* One line of what is left, so that it can be looked for. */
static void describe(const struct world *world, char *text, size_t size)
{
	static struct process list[PROCESSES];
	size_t n = read_processes(list), used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && used + 1 < size; i++) {
		char path[64], line[64] = "";
		if (list[i].pid == getpid() || !is_ours(world, list, n, list[i].pid))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/cmdline", list[i].pid);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
		if (fd >= 0)
			close(fd);
		for (ssize_t k = 0; k + 1 < got; k++)
			line[k] = line[k] == '\0' ? ' ' : line[k];
		used += (size_t)snprintf(text + used, size - used, " [%d of %d, %c: %s]", list[i].pid, list[i].parent,
					 list[i].state, line);
	}
}

bool world_settles(const struct world *world, const struct world_look *before, char *text, size_t size)
{
	uint64_t end = world_now_ms() + SETTLE_MS;
	struct world_look now;
	char left[512];

	do {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		world_look(world, &now);
		if (memcmp(&now, before, sizeof(now)) == 0)
			return true;
		world_sleep(1000000);
	} while (world_now_ms() < end);
	describe(world, left, sizeof(left));
	snprintf(text, size,
		 "left behind: %zd processes (%zd zombies), %zd mounts, %zd namespaces, %zd cgroups, %zd files, "
		 "%zd descriptors:%s",
		 (ssize_t)(now.processes - before->processes), (ssize_t)(now.zombies - before->zombies),
		 (ssize_t)(now.mounts - before->mounts), (ssize_t)(now.namespaces - before->namespaces),
		 (ssize_t)(now.cgroups - before->cgroups), (ssize_t)(now.files - before->files),
		 (ssize_t)(now.descriptors - before->descriptors), left);
	return false;
}

bool world_check(bool ok, uint64_t seed, const char *name, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	count.passed += ok;
	count.failed += !ok;
	if (ok)
		return true;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	printf("FAIL %s, seed %llu: %s\n     alone: tests/system/chaos build/keyhole %s --only %s --seed %llu --rounds "
	       "1\n",
	       name, (unsigned long long)seed, text, count.alone, name, (unsigned long long)seed);
	fflush(stdout);
	return false;
}

int world_finish(void)
{
	printf("%lu passed, %lu failed\n", count.passed, count.failed);
	return count.failed > 0;
}

static void take_option(struct world *world, const char *name, const char *value)
{
	if (strcmp(name, "--program") == 0)
		world->program = value;
	else if (strcmp(name, "--port") == 0)
		world->port = (int)strtol(value, NULL, 10);
	else if (strcmp(name, "--uid") == 0)
		world->uid = (unsigned)strtoul(value, NULL, 10);
	else if (strcmp(name, "--seed") == 0)
		world->seed = strtoull(value, NULL, 10);
	else if (strcmp(name, "--rounds") == 0)
		world->rounds = strtoull(value, NULL, 10);
	else if (strcmp(name, "--only") == 0)
		world->only = value;
	else if (strcmp(name, "--cgroup") == 0 && world->cgroups < WORLD_CGROUPS)
		world->cgroup[world->cgroups++] = value;
	else
		die(name);
}

/* The first process of a pid namespace; the one outside waits for it and ends as it does. */
static void make_place(void)
{
	int status = 0;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) < 0)
		die("a pid and a mount namespace of our own");
	int pid = fork();
	if (pid < 0)
		die("fork");
	if (pid > 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("proc", "/proc", "proc", 0, NULL) < 0 ||
	    mount("tmp", "/tmp", "tmpfs", 0, "mode=1777,size=16m") < 0)
		die("a /proc and a /tmp of our own");
}

void world_init(struct world *world, int argc, char **argv)
{
	const char *name = strrchr(argv[0], '-');

	*world = (struct world){.seed = 1, .rounds = 1};
	for (int i = 1; i + 1 < argc; i += 2) {
		take_option(world, argv[i], argv[i + 1]);
	}
	snprintf(count.alone, sizeof(count.alone), "%s --uid %u", name ? name + 1 : argv[0], world->uid);
	if (world->program == NULL)
		die("--program is missing");
	if (geteuid() == 0) {
		make_place();
		world->is_own = true;
	}
	if (world->uid > 0 && (setgroups(0, NULL) < 0 || setresgid(world->uid, world->uid, world->uid) < 0 ||
			       setresuid(world->uid, world->uid, world->uid) < 0))
		die("another user");
	prctl(PR_SET_DUMPABLE, 1); /* a change of user has taken that away, and with it a look at ourselves */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
}
