/*
 * Walks a tree of processes in /proc.  The processes are hostile, and may come and go meanwhile; what is read of them
 * comes from the kernel.  What each process has is cheap to read, and too much if processes share memory; only if it is
 * more than the limit, the kernel is asked to share it out.
 */
#include "sandbox/usage.h"

#include "base/view.h"
#include "sandbox/setting.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#define PROCESSES 4200  /* more than a sandbox can have */
#define TEXT      40960 /* as many children */

struct walk {
	bool exact;
	uint64_t kib;
	size_t count;
	int pid[PROCESSES]; /* found so far; those that a process is the parent of come after it */
	char text[TEXT];
};

/* The number of the line of TEXT that begins with NAME; 0 if there is none. */
static uint64_t number_of(struct kh_view text, struct kh_view name)
{
	struct kh_view line;
	int64_t value = 0;

	while (kh_view_split(&text, '\n', &line)) {
		if (line.n <= name.n || !kh_view_eq(kh_view_of(line.p, name.n), name))
			continue;
		struct kh_view rest = kh_view_trim(kh_view_from(line, name.n)), word = {NULL, 0};
		return kh_view_split(&rest, ' ', &word) && kh_view_int(word, &value) && value > 0 ? (uint64_t)value : 0;
	}
	return 0;
}

/*
 * What the process has; the exact number is not told of a process that cannot be traced.  Page tables count: a process
 * can have gigabytes of them for addresses behind which there is nothing else.
 */
static uint64_t look(struct walk *walk, int pid)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	struct kh_view text = kh_setting_read(AT_FDCWD, path, walk->text, sizeof(walk->text));
	uint64_t tables = number_of(text, KH_LIT("VmPTE:"));
	uint64_t pages = number_of(text, KH_LIT("RssAnon:")) + number_of(text, KH_LIT("RssShmem:")) +
			 number_of(text, KH_LIT("VmSwap:"));
	if (!walk->exact)
		return tables + pages;
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	text = kh_setting_read(AT_FDCWD, path, walk->text, sizeof(walk->text));
	if (text.n > 0)
		pages = number_of(text, KH_LIT("Pss_Anon:")) + number_of(text, KH_LIT("Pss_Shmem:")) +
			number_of(text, KH_LIT("SwapPss:"));
	return tables + pages;
}

/* Finds the children of thread TID of PID. */
static void find_children(struct walk *walk, int pid, const char *tid)
{
	char path[320];
	struct kh_view word;
	int64_t child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, tid);
	struct kh_view list = kh_setting_read(AT_FDCWD, path, walk->text, sizeof(walk->text));
	while (walk->count < PROCESSES && kh_view_split(&list, ' ', &word))
		if (kh_view_int(word, &child) && child > 0)
			walk->pid[walk->count++] = (int)child;
}

static void visit(struct walk *walk, int pid)
{
	char path[48];
	const struct dirent *entry;

	walk->kib += look(walk, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	while (tasks != NULL && (entry = readdir(tasks)) != NULL)
		if (kh_ascii_is_digit(entry->d_name[0]))
			find_children(walk, pid, entry->d_name);
	if (tasks != NULL)
		closedir(tasks);
}

/* A process can be found twice while its parent ends; the number that are looked at is bounded. */
static uint64_t sum(int first, bool exact)
{
	static struct walk walk;

	walk.exact = exact;
	walk.kib = 0;
	walk.count = 1;
	walk.pid[0] = first;
	for (size_t i = 0; i < walk.count; i++)
		visit(&walk, walk.pid[i]);
	return walk.kib;
}

uint64_t kh_usage_of_machine(void)
{
	char text[4096];
	struct kh_view lines = kh_setting_read(AT_FDCWD, "/proc/meminfo", text, sizeof(text));

	return number_of(lines, KH_LIT("AnonPages:")) + number_of(lines, KH_LIT("Shmem:")) +
	       number_of(lines, KH_LIT("PageTables:"));
}

bool kh_usage_exceeds(int first, uint64_t limit, uint64_t *ret_kib)
{
	*ret_kib = sum(first, false);
	return *ret_kib > limit / 1024 && sum(first, true) > limit / 1024;
}
