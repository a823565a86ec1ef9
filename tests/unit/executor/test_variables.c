/* U1: the environment of a server, and the files of its secrets: who may have written and who may read them. */
#include "harness.h"

#include "executor/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct kh_veil veil;
static char folder[] = "/tmp/keyhole-variables-XXXXXX", path[64], secret[80];

static void make(const char *bytes, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

/* The environment of RUN, or "" and t->err. */
static struct kh_view environment(struct kh_test *t, const struct kh_run *run)
{
	static char text[8 * KH_REQUEST_SECRET];
	int fd = -1;

	t->err = (struct kh_error){0};
	veil = (struct kh_veil){.n = 0};
	if (kh_variables_write(run, &veil, &fd, &t->err) != KH_OK) {
		assert_int_equal(fd, -1);
		return KH_LIT("");
	}
	if (fd < 0)
		return KH_LIT("");
	ssize_t n = pread(fd, text, sizeof(text), 0);
	assert_true(n >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	return kh_view_of(text, (size_t)n);
}

static struct kh_run with_secret(void)
{
	snprintf(secret, sizeof(secret), "KEY=%s", path);
	return (struct kh_run){
		.environment = {KH_LIT_INIT("A=1")}, .variables = 1, .secret = {kh_view_str(secret)}, .secrets = 1};
}

static void set_up(void)
{
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/key", folder);
}

static void tear_down(void)
{
	(void)unlink(path);
	(void)rmdir(path);
	assert_int_equal(rmdir(folder), 0);
}

static void test_nothing(struct kh_test *t)
{
	struct kh_run run = {0};
	int fd = 7;

	must(t, kh_variables_write(&run, &veil, &fd, &t->err));
	assert_int_equal(fd, -1);
}

static void test_values(struct kh_test *t)
{
	static const struct {
		const char *bytes, *value;
	} good[] = {{"abc", "abc"},
		    {"abc\n", "abc"},
		    {" a b \r\n\n", "a b"},
		    {"two\nlines\n", "two\nlines"},
		    {"\xff\x01", "\xff\x01"}};

	set_up();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct kh_run run = with_secret();
		char want[64];
		make(good[i].bytes, strlen(good[i].bytes), i % 2 ? 0600 : 0400);
		int n = snprintf(want, sizeof(want), "A=1%cKEY=%s", 0, good[i].value);
		struct kh_view got = environment(t, &run);
		assert_int_equal(got.n, n + 1); /* with the last NUL */
		assert_memory_equal(got.p, want, got.n);
	}
	static char longest[KH_REQUEST_SECRET + 1];
	memset(longest, 'x', sizeof(longest));
	struct kh_run run = with_secret();
	make(longest, KH_REQUEST_SECRET, 0600);
	assert_int_equal(environment(t, &run).n, 4 + 4 + KH_REQUEST_SECRET + 1);
	tear_down();
}

/* The content of a file that is refused is not in the error. */
static void refuse(struct kh_test *t, const char *words)
{
	struct kh_run run = with_secret();

	assert_int_equal(environment(t, &run).n, 0);
	assert_string_equal(t->err.code, "secret_refused");
	assert_non_null(strstr(t->err.detail, words));
	assert_non_null(strstr(t->err.detail, "KEY"));
	assert_null(strstr(t->err.detail, "hush"));
}

static void test_refused(struct kh_test *t)
{
	static const mode_t modes[] = {0604, 0640, 0620, 0610, 0601, 0660, 0666, 0777};
	static char much[KH_REQUEST_SECRET + 1];

	set_up();
	refuse(t, "is not there");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		make("hush", 4, modes[i]);
		refuse(t, "by others");
	}
	make("", 0, 0600);
	refuse(t, "is empty");
	make(" \n\t\n", 4, 0600);
	refuse(t, "is empty");
	make("hush\0hush", 9, 0600);
	refuse(t, "NUL");
	memset(much, 'x', sizeof(much));
	make(much, sizeof(much), 0600);
	refuse(t, "too long");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	refuse(t, "no plain file");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	refuse(t, "no plain file");
	rmdir(path);
	if (geteuid() == 0) { /* only root can give a file away */
		make("hush", 4, 0600);
		assert_int_equal(chown(path, 65533, 65533), 0);
		refuse(t, "somebody else");
	}
	tear_down();
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_nothing),
	KH_TEST_ONCE(test_values),
	KH_TEST_ONCE(test_refused),
};

KH_TEST_MAIN(cases)
