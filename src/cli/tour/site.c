/* Runs openssl.  Its environment is made here, so that the caller's openssl configuration is not used, and it ends
 * with the tour. */
#include "cli/tour/site.h"

#include "base/buf.h"
#include "cli/tour/typed.h"
#include "home/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM   "openssl"
#define NOT_THERE 127  /* exit status: openssl could not be started */
#define PATIENCE  1000 /* times 10 ms until it listens */

/* Runs in the child; never returns. */
static void become(const char *folder, const char *log, const char *const *words, pid_t parent)
{
	const char *path = getenv("PATH");
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0 || chdir(folder) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
	    getppid() != parent)
		_exit(NOT_THERE);
	signal(SIGPIPE, SIG_DFL);
	/* This changes only the child's environment. */
	if (clearenv() != 0 || setenv("PATH", path != NULL ? path : "/usr/bin:/bin", 1) != 0)
		_exit(NOT_THERE);
	execvp(PROGRAM, (char *const *)(uintptr_t)words);
	_exit(NOT_THERE);
}

static pid_t start(const struct kh_site *site, const char *const *words)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		become(site->folder, site->log, words, parent);
	return pid;
}

static enum kh_err run(const struct kh_site *site, const char *const *words, struct kh_error *err)
{
	pid_t pid = start(site, words);
	int status = pid > 0 ? kh_typed_wait(pid) : NOT_THERE;

	if (status == NOT_THERE)
		return kh_error_set(err, KH_EUNKNOWN, "cannot_run", "there is no " PROGRAM " to run");
	if (status != 0)
		return kh_error_set(err, KH_EINPUT, "cannot_run", PROGRAM " %s ended with %d", words[1], status);
	return KH_OK;
}

#define RUN(site, err, ...) run((site), (const char *const[]){PROGRAM, __VA_ARGS__, NULL}, (err))
#define KEY                 "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"

/* -config /dev/null, because otherwise the certificate would depend on the machine's configuration. */
static enum kh_err certify(const struct kh_site *site, struct kh_error *err)
{
	enum kh_err e = RUN(site, err, "req", "-config", "/dev/null", "-x509", KEY, "-keyout", "authority.key", "-out",
			    "authority.pem", "-days", "2", "-subj", "/CN=authority of the tour", "-addext",
			    "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign");

	return e == KH_OK ? RUN(site, err, "req", "-config", "/dev/null", "-x509", "-CA", "authority.pem", "-CAkey",
				"authority.key", KEY, "-keyout", "site.key", "-out", "site.pem", "-days", "2", "-subj",
				"/CN=site of the tour", "-addext", "basicConstraints=critical,CA:FALSE", "-addext",
				("subjectAltName=" KH_SITE_NAMES))
			  : e;
}

static enum kh_err read_log(const struct kh_site *site, struct kh_arena *arena, struct kh_view *ret_text)
{
	struct kh_error err;

	return kh_file_named(arena, kh_view_str(site->log), ret_text, &err);
}

/* Reads the port from a line of the log: "ACCEPT 127.0.0.1:34929". */
static unsigned port_of(struct kh_view log)
{
	struct kh_view line;

	while (log.n > 0 && kh_view_split(&log, '\n', &line)) {
		unsigned port = 0;
		size_t at = line.n;
		if (!kh_view_starts(line, KH_LIT("ACCEPT ")))
			continue;
		while (at > 0 && kh_ascii_is_digit(line.p[at - 1]))
			at--;
		for (; at < line.n && port <= 65535; at++)
			port = port * 10 + (unsigned)(line.p[at] - '0');
		return port <= 65535 ? port : 0;
	}
	return 0;
}

static enum kh_err await(struct kh_site *site, struct kh_arena *arena, struct kh_error *err)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	struct kh_view log;

	for (int i = 0; i < PATIENCE && site->port == 0; i++) {
		if (waitpid(site->pid, NULL, WNOHANG) == site->pid) {
			site->pid = 0;
			break;
		}
		nanosleep(&pause, NULL);
		if (read_log(site, arena, &log) == KH_OK)
			site->port = port_of(log);
	}
	if (site->port != 0)
		return KH_OK;
	kh_site_stop(site);
	return kh_error_set(err, KH_EINPUT, "cannot_run", PROGRAM " s_server does not listen: see %s", site->log);
}

enum kh_err kh_site_start(struct kh_arena *arena, const char *folder, struct kh_site *ret_site, struct kh_error *err)
{
	struct kh_site site = {.folder = kh_arena_printf(arena, "%s", folder).p,
			       .authority = kh_arena_printf(arena, "%s/authority.pem", folder).p,
			       .log = kh_arena_printf(arena, "%s/site.log", folder).p};
	enum kh_err e = kh_arena_check(arena);

	if (e != KH_OK)
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	if (mkdir(folder, 0700) != 0)
		return kh_error_set(err, KH_EINPUT, "cannot_run", "cannot make %s: %s", folder, strerror(errno));
	e = certify(&site, err);
	if (e != KH_OK)
		return e;
	site.pid = start(&site, (const char *const[]){PROGRAM, "s_server", "-accept", "127.0.0.1:0", "-cert",
						      "site.pem", "-key", "site.key", "-HTTP", NULL});
	if (site.pid <= 0)
		return kh_error_set(err, KH_EINPUT, "cannot_run", "cannot start a process: %s", strerror(errno));
	e = await(&site, arena, err);
	if (e == KH_OK)
		*ret_site = site;
	return e;
}

/* Returns the text in LINE between BEFORE and AFTER (empty: its end); empty if they are not there. */
static struct kh_view between(struct kh_view line, struct kh_view before, struct kh_view after)
{
	size_t from = kh_view_find(line, before, 0);

	if (from == SIZE_MAX)
		return (struct kh_view){NULL, 0};
	from += before.n;
	size_t to = after.n > 0 ? kh_view_find(line, after, from) : line.n;
	return to == SIZE_MAX ? (struct kh_view){NULL, 0} : kh_view_of(line.p + from, to - from);
}

/* The log has a line "FILE:offer.html" for a page that exists, and an error of fopen() for one that does not. */
enum kh_err kh_site_asked(const struct kh_site *site, struct kh_arena *arena, struct kh_view *ret_lines)
{
	struct kh_view log, line;
	struct kh_buf buf;
	enum kh_err e = read_log(site, arena, &log);

	if (e != KH_OK)
		return e;
	kh_buf_init(&buf, arena, 1U << 20);
	while (log.n > 0 && kh_view_split(&log, '\n', &line)) {
		struct kh_view page = kh_view_starts(line, KH_LIT("FILE:"))
					      ? kh_view_of(line.p + 5, line.n - 5)
					      : between(line, KH_LIT("fopen("), KH_LIT(", r)"));
		if (page.n > 0)
			kh_buf_printf(&buf, "/%.*s\n", KH_FMT(page));
	}
	return kh_buf_end(&buf, ret_lines);
}

void kh_site_stop(struct kh_site *site)
{
	if (site->pid <= 0)
		return;
	kill(site->pid, SIGKILL); /* it has no state to lose */
	kh_typed_wait(site->pid);
	site->pid = 0;
}
