/* U1: files of secrets are read only if nobody else may use them, and nothing of them gets into an error. */
#include "executor/keyfile.h"

#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/keyhole-keyfile.XXXXXX", path[128];

static void make(const char *text, size_t n, mode_t mode)
{
	snprintf(path, sizeof(path), "%s/key", folder);
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static enum kh_err read_path(struct kh_test *t, const char *file, bool links, struct kh_view *ret_value)
{
	static char room[16];

	return kh_keyfile_read(KH_LIT("Authorization"), kh_view_str(file), links, room, sizeof(room), ret_value,
			       &t->err);
}

static enum kh_err read_key(struct kh_test *t, struct kh_view *ret_value)
{
	return read_path(t, path, false, ret_value);
}

static void test_read(struct kh_test *t)
{
	struct kh_view value;

	make("  Bearer a\r\n\n", 12, 0600);
	must(t, read_key(t, &value));
	assert_view(value, "Bearer a");
	make("0123456789abcdef", 16, 0400); /* as long as there is room */
	must(t, read_key(t, &value));
	assert_view(value, "0123456789abcdef");
}

static void test_refused(struct kh_test *t)
{
	static const struct {
		const char *text;
		size_t n;
		mode_t mode;
		const char *why;
	} all[] = {
		{"secret", 6, 0640, "others"}, {"secret", 6, 0604, "others"},
		{"secret", 6, 0610, "others"}, {" \n", 2, 0600, "empty"},
		{"", 0, 0600, "empty"},        {"sec\0ret", 7, 0600, "NUL"},
		{"secret", 6, 0666, "others"}, {"0123456789abcdefg", 17, 0600, "long"},
	};
	struct kh_view value;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		make(all[i].text, all[i].n, all[i].mode);
		must_fail(t, KH_EREFUSED, read_key(t, &value));
		assert_string_equal(t->err.code, "secret_refused");
		assert_non_null(strstr(t->err.detail, all[i].why));
		assert_non_null(strstr(t->err.detail, "Authorization"));
		assert_null(strstr(t->err.detail, "secret,"));
	}
	unlink(path);
	must_fail(t, KH_EREFUSED, read_key(t, &value));
	assert_int_equal(mkfifo(path, 0600), 0);
	must_fail(t, KH_EREFUSED, read_key(t, &value)); /* without waiting */
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	must_fail(t, KH_EREFUSED, read_key(t, &value));
	rmdir(path);
	if (geteuid() == 0) {
		make("secret", 6, 0600);
		assert_int_equal(chown(path, 12345, 0), 0);
		must_fail(t, KH_EREFUSED, read_key(t, &value));
		assert_non_null(strstr(t->err.detail, "somebody else"));
		unlink(path);
	}
}

/* A link on the way may have come after whoever asks has looked at the path. */
static void test_links(struct kh_test *t)
{
	char link[140], behind[160];
	struct kh_view value;

	make("secret", 6, 0600);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(folder, link), 0);
	snprintf(behind, sizeof(behind), "%s/key", link);
	must_fail(t, KH_EREFUSED, read_path(t, behind, false, &value));
	assert_non_null(strstr(t->err.detail, "symbolic link"));
	must(t, read_path(t, behind, true, &value));
	assert_view(value, "secret");
	unlink(link);
	assert_int_equal(symlink(path, link), 0);
	must_fail(t, KH_EREFUSED, read_path(t, link, false, &value));
	must(t, read_path(t, link, true, &value));
	unlink(link);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_read), KH_TEST_ONCE(test_refused),
					    KH_TEST_ONCE(test_links)};

int main(void)
{
	assert_non_null(mkdtemp(folder));
	int failed = kh_test_main(__FILE__, cases, sizeof(cases) / sizeof(cases[0]));
	unlink(path);
	rmdir(folder);
	return failed;
}
