/* I8: a secret is in a file of its owner's or in the environment; it is read, never shown, and wiped. */
#include "harness.h"
#include "home/secret.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char path[64];
	struct kh_folder folder;
	struct kh_secret_kept *kept;
};

static void put(const struct place *p, const char *name, const char *text, mode_t mode)
{
	int fd = openat(p->folder.fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void enter(struct place *p)
{
	*p = (struct place){.path = "/tmp/keyhole-test-XXXXXX"};
	assert_non_null(mkdtemp(p->path));
	p->folder = (struct kh_folder){.path = kh_view_str(p->path), .fd = open(p->path, O_RDONLY | O_DIRECTORY)};
	assert_true(p->folder.fd >= 0);
	put(p, "a.key", "  sk-1\n", 0600);
	put(p, "spaced", "two words\n", 0600);
	put(p, "open.key", "sk-2\n", 0644);
	put(p, "empty", "\n", 0600);
}

static void leave(struct place *p)
{
	static const char *const names[] = {"a.key", "spaced", "open.key", "empty"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(unlinkat(p->folder.fd, names[i], 0), 0);
	close(p->folder.fd);
	assert_int_equal(rmdir(p->path), 0);
}

static enum kh_err read_one(struct kh_test *t, struct place *p, const char *file, const char *environment,
			    bool in_header, struct kh_view *ret)
{
	struct kh_secret secret = {.file = kh_view_str(file),
				   .environment = kh_view_str(environment),
				   .owner = KH_LIT("database crm"),
				   .word = "password",
				   .in_header = in_header,
				   .line = 7};

	return kh_secret_read(&secret, &p->folder, &t->arena, &p->kept, ret, &t->err);
}

/* The code that it is refused with, "" where it was read as WANT, or "memory" where the test let an allocation fail. */
static const char *outcome(struct kh_test *t, struct place *p, const char *file, const char *environment,
			   bool in_header, const char *want)
{
	struct kh_view text;
	enum kh_err e = read_one(t, p, file, environment, in_header, &text);

	if (e == KH_OK)
		assert_view(text, want);
	return e == KH_OK ? "" : e == KH_ENOMEM && t->fired ? "memory" : t->err.code;
}

static void test_secret(struct kh_test *t)
{
	static const struct {
		const char *file, *environment;
		bool in_header;
		const char *text, *code;
	} all[] = {
		{"", "", true, "", ""},
		{"a.key", "", true, "sk-1", ""},
		{"spaced", "", false, "two words", ""},
		{"spaced", "", true, "", "secret_invalid"},
		{"open.key", "", true, "", "secret_unsafe"},
		{"empty", "", true, "", "secret_invalid"},
		{"none", "", true, "", "key_missing"},
		{"", "KEYHOLE_TEST_SECRET", true, "sk-3", ""},
		{"", "KEYHOLE_TEST_EMPTY", true, "", "key_missing"},
		{"", "KEYHOLE_TEST_NONE", true, "", "key_missing"},
		{"", "KEYHOLE_TEST_CONTROL", false, "", "secret_invalid"},
	};
	struct place p;

	enter(&p);
	setenv("KEYHOLE_TEST_SECRET", "sk-3", 1);
	setenv("KEYHOLE_TEST_EMPTY", "", 1);
	setenv("KEYHOLE_TEST_CONTROL",
	       "a\x01"
	       "b",
	       1);
	unsetenv("KEYHOLE_TEST_NONE");
	bool memory = false;
	for (size_t i = 0; !memory && i < sizeof(all) / sizeof(all[0]); i++) {
		const char *code = outcome(t, &p, all[i].file, all[i].environment, all[i].in_header, all[i].text);
		memory = strcmp(code, "memory") == 0;
		if (!memory)
			assert_string_equal(code, all[i].code);
		if (!memory && strcmp(code, "key_missing") == 0)
			assert_non_null(strstr(t->err.detail, "keyhole.yaml:7: database crm has no password: the "));
	}
	leave(&p);
}

/* What was read at an absolute path is kept for when it cannot be reached any more, and forgotten at the end. */
static void test_kept(struct kh_test *t)
{
	struct place p;
	char path[80];
	struct kh_view first, again;

	enter(&p);
	snprintf(path, sizeof(path), "%s/a.key", p.path);
	enum kh_err e = read_one(t, &p, path, "", true, &first);
	if (e == KH_OK) {
		assert_view(first, "sk-1");
		assert_non_null(p.kept);
		assert_view(p.kept->text, "sk-1");
		/* A folder in its place: there, and not to be read. */
		assert_int_equal(unlinkat(p.folder.fd, "a.key", 0), 0);
		assert_int_equal(mkdirat(p.folder.fd, "a.key", 0700), 0);
		e = read_one(t, &p, path, "", true, &again);
		if (e == KH_OK) {
			assert_view(again, "sk-1");
			assert_ptr_not_equal(again.p, first.p);
			kh_secret_forget(p.kept);
			assert_int_equal(again.p[0], 0);
			assert_int_equal(first.p[3], 0);
		}
		assert_int_equal(unlinkat(p.folder.fd, "a.key", AT_REMOVEDIR), 0);
		put(&p, "a.key", "sk-1\n", 0600);
	}
	assert_true(e == KH_OK || (e == KH_ENOMEM && t->fired));
	kh_secret_wipe((struct kh_view){NULL, 0});
	leave(&p);
}

static const struct kh_test_case cases[] = {KH_TEST(test_secret), KH_TEST(test_kept)};
KH_TEST_MAIN(cases)
