/* E7, I6: what a machine lacks is found by trying, is named, and leaves nothing behind. */
#include "harness.h"
#include "sandbox/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct kh_diagnosis *find(const struct kh_diagnosis *probes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(probes[i].name, name) == 0)
			return &probes[i];
	fail_msg("no probe is called %s", name);
	return NULL;
}

/* False also where there is none of that name, which is for processes that cannot fail a test. */
static bool has(const struct kh_diagnosis *probes, size_t n, const char *name, const char *detail)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(probes[i].name, name) == 0)
			return probes[i].has && strstr(probes[i].detail, detail) != NULL;
	return false;
}

static bool lacks(const struct kh_diagnosis *probes, size_t n, const char *name, const char *detail)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(probes[i].name, name) == 0)
			return !probes[i].has && strstr(probes[i].detail, detail) != NULL;
	return false;
}

static size_t count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t lines = 0;
	int c;

	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

/* Every probe has a name of its own and words for its lack; a required one names its part. */
static void test_table(struct kh_test *t)
{
	struct kh_diagnosis probes[KH_PROBES];
	size_t n = kh_probe_all(probes);

	(void)t;
	assert_true(n > 10 && n <= KH_PROBES);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(find(probes, n, probes[i].name), &probes[i]);
		assert_true(strlen(probes[i].without) > 10 && strlen(probes[i].remedy) > 10);
		assert_true(!probes[i].is_required || probes[i].part != KH_PART_NONE);
		assert_true(probes[i].has || probes[i].detail[0] != '\0');
	}
}

/* A try is undone: no process, no mount, no descriptor is left, and this process is where it was. */
static void test_undone(struct kh_test *t)
{
	struct kh_diagnosis probes[KH_PROBES];
	char before[64] = "", after[64] = "";
	size_t mounts = count_lines("/proc/self/mountinfo");
	int fd = dup(0);

	(void)t;
	close(fd);
	assert_true(readlink("/proc/self/ns/user", before, sizeof(before) - 1) > 0);
	kh_probe_all(probes);
	assert_true(readlink("/proc/self/ns/user", after, sizeof(after) - 1) > 0);
	assert_string_equal(before, after);
	assert_int_equal(count_lines("/proc/self/mountinfo"), mounts);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	int next = dup(0);
	assert_int_equal(next, fd);
	close(next);
}

/* In a process for which CALL fails with ERROR (as in a container whose engine refuses it): the exit status is a bit
 * for each of two probes that lack it, and 64 where another that should not be concerned does. */
static int without_call(const char *call, int error, const char *const names[2], const char *keeps)
{
	struct kh_diagnosis probes[KH_PROBES];
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	const char *detail = strcmp(names[0], "Landlock") == 0 ? "" : strerror(error);
	int number = seccomp_syscall_resolve_name(call);
	int status = 0;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (filter == NULL || seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), number, 0) != 0 ||
	    seccomp_load(filter) != 0)
		return 32;
	size_t n = kh_probe_all(probes);
	for (int i = 0; i < 2; i++)
		if (names[i] != NULL && lacks(probes, n, names[i], detail))
			status |= 1 << i;
	return status | (has(probes, n, keeps, "") ? 0 : 64);
}

static void test_lack(struct kh_test *t)
{
	static const struct {
		const char *call;
		int error;
		const char *names[2], *keeps;
	} cases[] = {
		{"clone3", ENOSYS, {"clone3, pidfd", "pid namespace"}, "Landlock"},
		{"unshare", EPERM, {"time namespace", NULL}, "pid namespace"},
		{"mount", EPERM, {"mount namespace", "pid namespace"}, "ipc namespace"},
		{"pivot_root", EPERM, {"pivot_root", NULL}, "mount namespace"},
		{"landlock_create_ruleset", ENOSYS, {"Landlock", NULL}, "seccomp"},
		{"landlock_restrict_self", EPERM, {"Landlock", NULL}, "seccomp"},
		{"capset", EPERM, {"privileges", NULL}, "user namespace"},
		{"close_range", ENOSYS, {"close_range", NULL}, "openat2"},
		{"openat2", ENOSYS, {"openat2", NULL}, "close_range"},
		{"prlimit64", EPERM, {"limits", NULL}, "seccomp"},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status = -1;
		pid_t pid = fork();
		if (pid == 0)
			_exit(without_call(cases[i].call, cases[i].error, cases[i].names, cases[i].keeps));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) != (cases[i].names[1] != NULL ? 3 : 1))
			fail_msg("without %s: %d", cases[i].call, WEXITSTATUS(status));
	}
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

/* An administrator's limit of no user namespaces is found, and so named that he finds it. */
static int without_namespaces(void)
{
	struct kh_diagnosis probes[KH_PROBES];
	char uids[32], gids[32];

	snprintf(uids, sizeof(uids), "0 %u 1", geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1", getegid());
	if (unshare(CLONE_NEWUSER) != 0 || !put("/proc/self/setgroups", "deny") || !put("/proc/self/uid_map", uids) ||
	    !put("/proc/self/gid_map", gids) || !put("/proc/sys/user/max_user_namespaces", "0"))
		return 1;
	size_t n = kh_probe_all(probes);
	return lacks(probes, n, "user namespace", strerror(ENOSPC)) && has(probes, n, "clone3, pidfd", "") ? 0 : 2;
}

static void test_setting(struct kh_test *t)
{
	int status = -1;
	pid_t pid = fork();

	(void)t;
	if (pid == 0)
		_exit(without_namespaces());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_table),
	KH_TEST_ONCE(test_undone),
	KH_TEST_ONCE(test_lack),
	KH_TEST_ONCE(test_setting),
};
KH_TEST_MAIN(cases)
