/* E7: what a spawner and all that it starts cannot do, tried in a child; and that it can do the rest. */
#include "harness.h"
#include "sandbox/harm.h"

#include <errno.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each call with arguments that do nothing, whoever makes it; the exit status is the one that was not refused. */
static int try_all(void)
{
	const char *name;

	if (kh_harm_refuse() != 0)
		return 255;
	for (size_t i = 0; (name = kh_harm_at(i)) != NULL; i++) {
		int number = seccomp_syscall_resolve_name(name);
		if (number >= 0 && (syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) != -1 || errno != EPERM))
			return (int)i + 1;
	}
	return 0;
}

static int in_child(int (*fn)(void))
{
	int status = 0, pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fn());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_refused(struct kh_test *t)
{
	(void)t;
	int status = in_child(try_all);
	if (status != 0)
		print_error("%s is not refused\n", status == 255 ? "anything" : kh_harm_at((size_t)status - 1));
	assert_int_equal(status, 0);
}

/* What it starts inherits it, and can start programs. */
static int try_rest(void)
{
	if (kh_harm_refuse() != 0)
		return 1;
	execl("/bin/sh", "sh", "-c", "grep -q '^Seccomp:.*2' /proc/self/status && exec true", NULL);
	return 2;
}

static void test_inherited(struct kh_test *t)
{
	(void)t;
	assert_int_equal(in_child(try_rest), 0);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_refused), KH_TEST_ONCE(test_inherited)};

KH_TEST_MAIN(cases)
