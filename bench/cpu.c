/* Processor time, by the processes' own clocks and by who started whom in /proc. */
#include "cpu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double kh_bench_cpu(pid_t pid)
{
	struct timespec time = {0, 0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
		return 0;
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static pid_t parent_of(pid_t pid)
{
	char path[64], line[512], *end;
	long parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return 0;
	if (fgets(line, sizeof(line), file) != NULL && (end = strrchr(line, ')')) != NULL)
		parent = end[1] != '\0' && end[2] != '\0' ? strtol(end + 3, NULL, 10) : 0; /* ") S 1 ..." */
	fclose(file);
	return (pid_t)parent;
}

double kh_bench_cpu_below(pid_t top)
{
	double sum = 0;
	struct dirent *entry;
	DIR *all = opendir("/proc");

	while (all != NULL && (entry = readdir(all)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10), at = pid;
		while (at > 1 && at != top)
			at = parent_of(at);
		if (pid > 1 && at == top)
			sum += kh_bench_cpu(pid);
	}
	if (all != NULL)
		closedir(all);
	return sum;
}
