/* E9: a worker that nobody can ask to stop ends at its deadline, and has said why. */
#include "harness.h"
#include "worker/deadline.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a process of its own, because it is ended: computes for ever, or until its deadline. */
static void test_ends(struct kh_test *t)
{
	char said[200] = "";
	int ends[2], status = 0;

	(void)t;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (kh_deadline_set(50, ends[1], "statement_late", "it took too long") != KH_OK)
			_exit(2);
		for (volatile unsigned n = 0;; n++)
			;
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
	close(ends[0]);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_string_equal(said, "{\"fault\":\"statement_late\",\"detail\":\"it took too long\"}\n");
}

/* No timer is set by what is no deadline. */
static void test_refused(struct kh_test *t)
{
	char detail[300];

	(void)t;
	memset(detail, 'x', sizeof(detail) - 1);
	detail[sizeof(detail) - 1] = '\0';
	assert_int_equal(kh_deadline_set(50, 2, "late", detail), KH_ELIMIT);
	assert_int_equal(kh_deadline_set(0, 2, "late", "at once"), KH_ELIMIT);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_ends), KH_TEST_ONCE(test_refused)};
KH_TEST_MAIN(cases)
