/*
 * The command line from the outside: start-up against /bin/true and jq, lines a second with --batch, resident memory.
 *
 * This program stays small: a child's peak begins with what its parent had.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES 20000

extern char **environ;

struct command {
	char *argv[5];
	char input[64]; /* a file */
	size_t peak;    /* KiB, of the last run */
};

static double time_ns(struct timeval t)
{
	return (double)t.tv_sec * 1e9 + (double)t.tv_usec * 1e3;
}

/* The child's own time, user and system, from its first instruction to its end. */
static double run(void *ctx)
{
	struct command *c = ctx;
	posix_spawn_file_actions_t files;
	struct rusage usage;
	int status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, c->input, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	int e = posix_spawn(&pid, c->argv[0], &files, NULL, c->argv, environ);
	posix_spawn_file_actions_destroy(&files);
	kh_bench_must(e == 0 && wait4(pid, &status, 0, &usage) == pid ? KH_OK : KH_EUNKNOWN, c->argv[0]);
	kh_bench_must(status == 0 ? KH_OK : KH_EREFUSED, c->argv[0]);
	c->peak = (size_t)usage.ru_maxrss;
	return time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
}

/* TEXT, TIMES times, in a file of its own for COMMAND to read. */
static void give(struct command *c, const char *text, size_t times)
{
	snprintf(c->input, sizeof(c->input), "/tmp/keyhole-bench-XXXXXX");
	int fd = mkstemp(c->input);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	kh_bench_must(file ? KH_OK : KH_EUNKNOWN, "a temporary file");
	for (size_t i = 0; i < times; i++)
		fputs(text, file);
	kh_bench_must(fclose(file) == 0 ? KH_OK : KH_EUNKNOWN, "a temporary file");
}

static const struct {
	const char *name, *command, *sub, *line;
} calls[] = {
	{"bcp check", "bcp", "check",
	 "{\"category\":1,\"fields\":[{\"name\":\"is_urgent\",\"type\":\"boolean\"},{\"name\":\"sentiment\",\"type\":"
	 "\"enum\",\"values\":[\"positive\",\"neutral\",\"negative\"]}]}\n"},
	{"bcp validate", "bcp", "validate",
	 "{\"query\":{\"category\":1,\"fields\":[{\"name\":\"is_urgent\",\"type\":\"boolean\"},{\"name\":\"sentiment\","
	 "\"type\":\"enum\",\"values\":[\"positive\",\"neutral\",\"negative\"]}]},\"response\":{\"fields\":{"
	 "\"is_urgent\":true,\"sentiment\":\"neutral\"}}}\n"},
	{"bcp validate, category 2", "bcp", "validate",
	 "{\"query\":{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"What is the sender's full name?\","
	 "\"max_words\":5,\"expected_format\":\"person_name\"}]},\"response\":{\"answers\":[{\"id\":\"q1\",\"answer\":"
	 "\"Ada Lovelace\"}]}}\n"},
	{"screen", "screen", NULL,
	 "{\"text\":\"The meeting moved to Thursday, and the agenda is on the shared drive.\"}\n"},
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static char *word(const char *s)
{
	return (char *)(uintptr_t)s; /* argv is not const, and nobody writes to it */
}

static struct command command_of(char *keyhole, size_t i, const char *option)
{
	struct command c = {.argv = {keyhole, word(calls[i].command)}};
	size_t n = 2;

	if (calls[i].sub != NULL)
		c.argv[n++] = word(calls[i].sub);
	c.argv[n] = word(option);
	return c;
}

static void measure_start(char *keyhole)
{
	struct command nothing = {.argv = {word("/bin/true")}}, jq = {.argv = {word("/usr/bin/jq"), word(".")}};
	bool have_jq = access(jq.argv[0], X_OK) == 0;

	for (size_t i = 0; i < CALLS; i++) {
		struct command own = command_of(keyhole, i, NULL);
		give(&own, calls[i].line, 1);
		memcpy(nothing.input, own.input, sizeof(own.input));
		memcpy(jq.input, own.input, sizeof(own.input));
		struct kh_bench_case c[] = {{run, &own, 0}, {run, &nothing, 0}, {run, &jq, 0}};
		kh_bench_time(c, have_jq ? 3 : 2);
		kh_bench_ratio(kh_bench_printf("one %s", calls[i].name).s, c[0].ns, "/bin/true", c[1].ns, 0);
		if (have_jq)
			kh_bench_ratio("  the same", c[0].ns, "jq .", c[2].ns, 0);
		kh_bench_row("  peak resident memory", kh_bench_printf("%zu KiB", own.peak).s,
			     have_jq ? kh_bench_printf("jq . %zu KiB", jq.peak).s : "",
			     have_jq ? (double)own.peak / (double)jq.peak : 0, "", "");
		unlink(own.input);
	}
}

static void measure_batch(char *keyhole)
{
	struct command jq = {.argv = {word("/usr/bin/jq"), word("-c"), word(".")}};
	bool have_jq = access(jq.argv[0], X_OK) == 0;

	for (size_t i = 0; i < CALLS; i++) {
		struct command own = command_of(keyhole, i, "--batch");
		give(&own, calls[i].line, LINES);
		memcpy(jq.input, own.input, sizeof(own.input));
		struct kh_bench_case c[] = {{run, &own, 0}, {run, &jq, 0}};
		kh_bench_time(c, have_jq ? 2 : 1);
		struct kh_bench_text figure = kh_bench_printf("%.0f lines/s", LINES / c[0].ns * 1e9);
		struct kh_bench_text other = kh_bench_printf("jq -c . %.0f lines/s", LINES / c[1].ns * 1e9);
		kh_bench_row(kh_bench_printf("%s --batch", calls[i].name).s, figure.s, have_jq ? other.s : "",
			     have_jq ? c[1].ns / c[0].ns : 0, "", "");
		unlink(own.input);
	}
}

/* {"text":"..."} of 1 MiB. */
static void measure_large(char *keyhole)
{
	struct command c = {.argv = {keyhole, word("screen")}};
	const char *piece =
		"The meeting moved to Thursday and the agenda is on the drive.\\n "; /* 64 bytes but for one */
	FILE *file;

	give(&c, "{\"text\":\"", 1);
	file = fopen(c.input, "a");
	kh_bench_must(file ? KH_OK : KH_EUNKNOWN, "a temporary file");
	for (size_t i = 0; i < (1U << 20) / 63; i++)
		fputs(piece, file);
	fputs("\"}\n", file);
	kh_bench_must(fclose(file) == 0 ? KH_OK : KH_EUNKNOWN, "a temporary file");
	double ns = kh_bench_once(run, &c);
	kh_bench_row("screen of 1 MiB, peak resident memory",
		     kh_bench_printf("%zu KiB, %s", c.peak, kh_bench_ns(ns).s).s, "", 0, "", "");
	unlink(c.input);
}

/* Resident memory of a process that has answered one line and waits for the next. */
static void measure_idle(char *keyhole, size_t call)
{
	int to[2], from[2], status;
	char text[4096];
	unsigned long pages = 0;
	struct command c = command_of(keyhole, call, "--batch");
	posix_spawn_file_actions_t files;
	pid_t pid;

	kh_bench_must(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0 ? KH_OK : KH_EUNKNOWN, "pipe2");
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, to[0], 0);
	posix_spawn_file_actions_adddup2(&files, from[1], 1);
	kh_bench_must(posix_spawn(&pid, keyhole, &files, NULL, c.argv, environ) == 0 ? KH_OK : KH_EUNKNOWN, keyhole);
	posix_spawn_file_actions_destroy(&files);
	close(to[0]);
	close(from[1]);
	bool wrote = write(to[1], calls[call].line, strlen(calls[call].line)) > 0;
	kh_bench_must(wrote && read(from[0], text, sizeof(text)) > 0 ? KH_OK : KH_EUNKNOWN, "--batch");
	FILE *statm = fopen(kh_bench_printf("/proc/%d/statm", (int)pid).s, "r");
	if (statm != NULL && fgets(text, sizeof(text), statm) != NULL) {
		char *second = strchr(text, ' ');
		pages = second ? strtoul(second, NULL, 10) : 0;
	}
	if (statm != NULL)
		fclose(statm);
	close(to[1]);
	close(from[0]);
	waitpid(pid, &status, 0);
	kh_bench_row(kh_bench_printf("%s --batch, idle, resident memory", calls[call].name).s,
		     kh_bench_printf("%lu KiB", pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024).s, "", 0, "", "");
}

int main(int argc, char **argv)
{
	if (argc != 2 || access(argv[1], X_OK) != 0) {
		fprintf(stderr, "usage: bench-cli PATH-OF-KEYHOLE\n");
		return 2;
	}
	kh_bench_section("The command line");
	measure_start(argv[1]);
	measure_batch(argv[1]);
	measure_large(argv[1]);
	measure_idle(argv[1], 0);
	measure_idle(argv[1], CALLS - 1);
	return 0;
}
