/* I8: a home folder and its secrets are the caller's own, or are not used; what is made is new, whole and 0600. */
#include "harness.h"
#include "home/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of the test's own, and the same opened. */
struct place {
	char path[64];
	struct kh_folder folder;
};

static void enter(struct place *p)
{
	p->folder.fd = -1;
	snprintf(p->path, sizeof(p->path), "/tmp/keyhole-test-XXXXXX");
	assert_non_null(mkdtemp(p->path));
}

static void leave(struct place *p)
{
	static const char *const names[] = {"a", "secret", "link", "pipe"};

	kh_folder_close(&p->folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];
		snprintf(path, sizeof(path), "%s/%s", p->path, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(p->path), 0);
}

static void test_folder_path(struct kh_test *t)
{
	struct kh_view path;

	unsetenv("KEYHOLE_HOME");
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	must_fail(t, KH_EINPUT, kh_folder_path(&t->arena, NULL, &path, &t->err));
	assert_string_equal(t->err.code, "home_unknown");
	setenv("HOME", "/h", 1);
	must(t, kh_folder_path(&t->arena, NULL, &path, &t->err));
	assert_view(path, "/h/.local/share/keyhole");
	setenv("XDG_DATA_HOME", "relative", 1); /* the XDG rules: a relative one does not count */
	must(t, kh_folder_path(&t->arena, NULL, &path, &t->err));
	assert_view(path, "/h/.local/share/keyhole");
	setenv("XDG_DATA_HOME", "/x", 1);
	must(t, kh_folder_path(&t->arena, NULL, &path, &t->err));
	assert_view(path, "/x/keyhole");
	setenv("KEYHOLE_HOME", "", 1); /* empty is not there */
	must(t, kh_folder_path(&t->arena, NULL, &path, &t->err));
	assert_view(path, "/x/keyhole");
	setenv("KEYHOLE_HOME", "/k", 1);
	must(t, kh_folder_path(&t->arena, NULL, &path, &t->err));
	assert_view(path, "/k");
	/* E7: programs are started in other working directories, and get folders below it. */
	assert_int_equal(chdir("/"), 0);
	must(t, kh_folder_path(&t->arena, "named", &path, &t->err));
	assert_view(path, "/named");
	must_fail(t, KH_EINPUT, kh_folder_path(&t->arena, "", &path, &t->err));
}

static void test_folder_open(struct kh_test *t)
{
	static const mode_t others[] = {0701, 0710, 0704, 0755, 0770, 0777};
	struct place p;

	must_fail(t, KH_EUNKNOWN, kh_folder_open(&t->arena, KH_LIT("/no/such/home"), &p.folder, &t->err));
	assert_string_equal(t->err.code, "home_missing");
	must_fail(t, KH_EINPUT, kh_folder_open(&t->arena, KH_LIT("/dev/null"), &p.folder, &t->err));
	enter(&p);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(chmod(p.path, others[i]), 0);
		enum kh_err e = kh_folder_open(&t->arena, kh_view_str(p.path), &p.folder, &t->err);
		assert_true(e == KH_EREFUSED || (e == KH_ENOMEM && t->fired));
		if (e == KH_EREFUSED)
			assert_string_equal(t->err.code, "home_unsafe");
	}
	assert_int_equal(chmod(p.path, 0700), 0);
	enum kh_err e = kh_folder_open(&t->arena, kh_view_str(p.path), &p.folder, &t->err);
	leave(&p);
	must(t, e);
}

/* Writes, and what was there stays. */
static enum kh_err write_twice(struct place *p, struct kh_test *t)
{
	struct kh_view text;
	struct stat st;
	enum kh_err e = kh_folder_open(&t->arena, kh_view_str(p->path), &p->folder, &t->err);

	if (e == KH_OK)
		e = kh_folder_write(&p->folder, "a", KH_LIT("one"), &t->err);
	if (e != KH_OK)
		return e;
	assert_int_equal(kh_folder_write(&p->folder, "a", KH_LIT("two"), &t->err), KH_EREFUSED);
	assert_string_equal(t->err.code, "file_exists");
	assert_int_equal(fstatat(p->folder.fd, "a", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(kh_folder_has(&p->folder, "a") && !kh_folder_has(&p->folder, "b"));
	e = kh_folder_read(&p->folder, &t->arena, "a", &text, &t->err);
	if (e == KH_OK)
		assert_view(text, "one");
	return e;
}

static void test_folder_write(struct kh_test *t)
{
	struct place p;

	enter(&p);
	enum kh_err e = write_twice(&p, t);
	leave(&p);
	must(t, e);
}

/* A file with this text and mode; what reading it as a secret says. */
static enum kh_err read_secret(struct place *p, struct kh_test *t, const char *text, mode_t mode,
			       struct kh_view *ret_text)
{
	unlinkat(p->folder.fd, "secret", 0);
	int fd = openat(p->folder.fd, "secret", O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return kh_folder_secret(&p->folder, &t->arena, "secret", ret_text, &t->err);
}

static void check_secrets(struct place *p, struct kh_test *t)
{
	struct kh_view text;

	assert_int_equal(read_secret(p, t, " kh-1-2 \n", 0600, &text), KH_OK);
	assert_view(text, "kh-1-2");
	assert_int_equal(read_secret(p, t, "x", 0400, &text), KH_OK);
	for (mode_t bit = 1; bit <= 040; bit <<= 1) { /* every bit that somebody else could use */
		assert_int_equal(read_secret(p, t, "x", 0600 | bit, &text), KH_EREFUSED);
		assert_string_equal(t->err.code, "secret_unsafe");
	}
	assert_int_equal(read_secret(p, t, "", 0600, &text), KH_EINPUT);
	assert_int_equal(read_secret(p, t, " \n ", 0600, &text), KH_EINPUT);
	assert_int_equal(read_secret(p, t, "two\nlines", 0600, &text), KH_EINPUT);
	assert_string_equal(t->err.code, "secret_invalid");
	assert_int_equal(symlinkat("secret", p->folder.fd, "link"), 0);
	assert_int_equal(kh_folder_secret(&p->folder, &t->arena, "link", &text, &t->err), KH_EINPUT);
	assert_int_equal(mkfifoat(p->folder.fd, "pipe", 0600), 0);
	assert_int_equal(kh_folder_secret(&p->folder, &t->arena, "pipe", &text, &t->err), KH_EINPUT); /* and at once */
	assert_int_equal(kh_folder_secret(&p->folder, &t->arena, "b", &text, &t->err), KH_EUNKNOWN);
}

static void test_folder_secret(struct kh_test *t)
{
	struct place p;

	enter(&p);
	assert_int_equal(kh_folder_open(&t->arena, kh_view_str(p.path), &p.folder, &t->err), KH_OK);
	check_secrets(&p, t);
	leave(&p);
}

static void test_folder_reserve(struct kh_test *t)
{
	struct place p;
	char path[128];
	int fd = -1;

	enter(&p);
	snprintf(path, sizeof(path), "%s/a", p.path);
	enum kh_err e = kh_folder_reserve(&t->arena, path, &fd, &t->err);
	if (e == KH_OK) {
		int other;
		assert_int_equal(kh_folder_reserve(&t->arena, path, &other, &t->err), KH_EREFUSED);
		assert_int_equal(kh_folder_fill(fd, path, KH_LIT("text"), &t->err), KH_OK);
		assert_int_equal(access(path, F_OK), 0);
		unlink(path);
		e = kh_folder_reserve(&t->arena, path, &fd, &t->err);
	}
	if (e == KH_OK) {
		kh_folder_discard(fd, path);
		assert_int_not_equal(access(path, F_OK), 0);
	}
	leave(&p);
	must(t, e);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_folder_path),        KH_TEST(test_folder_open),         KH_TEST(test_folder_write),
	KH_TEST_ONCE(test_folder_secret), KH_TEST_ONCE(test_folder_reserve),
};
KH_TEST_MAIN(cases)
