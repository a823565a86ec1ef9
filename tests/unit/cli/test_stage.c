/* I6: what the tour's steps stand on: a step that does not come out is said so; files, and nothing left of them. */
#include "cli/tour/stage.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct kh_stage stage;
static struct kh_frame frame;
static struct kh_terminal out;
static char folder[32], home[48];

static void set(struct kh_test *t)
{
	snprintf(folder, sizeof(folder), "/tmp/keyhole-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(home, sizeof(home), "%s/home", folder);
	assert_int_equal(mkdir(home, 0700), 0);
	kh_terminal_init(&out, open("/dev/null", O_WRONLY | O_CLOEXEC), false);
	frame = (struct kh_frame){.out = &out};
	stage = (struct kh_stage){.frame = &frame, .arena = &t->arena, .folder = folder, .home = home};
}

static void unset(void)
{
	close(out.fd);
	kh_stage_remove(folder);
	assert_int_equal(access(folder, F_OK), -1);
}

static void test_stage_expect(struct kh_test *t)
{
	set(t);
	kh_stage_expect(&stage, true, "all is well");
	bool before = stage.has_failed;
	stage.output = KH_LIT("delivered  q0123456789abcdef");
	kh_stage_expect_text(&stage, "delivered");
	bool said = stage.has_failed;
	kh_stage_expect_text(&stage, "rejected");
	unset();
	assert_false(before);
	assert_false(said);
	assert_true(stage.has_failed);
}

static void test_stage_finds(struct kh_test *t)
{
	set(t);
	stage.output = KH_LIT("pending  d0123456789abcdef\n  keyhole approvals show a0123456789abcdef\n");
	const char *declaration = kh_stage_id(&stage, 'd'), *approval = kh_stage_id(&stage, 'a');
	unset();
	must(t, kh_arena_check(&t->arena));
	assert_string_equal(declaration, "d0123456789abcdef");
	assert_string_equal(approval, "a0123456789abcdef");
	assert_true(kh_stage_wrote(&stage, "approvals show"));
}

/* A file is put once; the configuration is added to; folders in folders go too, and a link is not followed. */
static void test_stage_files(struct kh_test *t)
{
	char path[128], text[64] = "";
	struct stat st;

	set(t);
	snprintf(path, sizeof(path), "%s/keyhole.yaml", home);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && write(fd, "policy:\n", 8) == 8 && close(fd) == 0);
	kh_stage_put(&stage, "page.html", KH_LIT("<p>"));
	kh_stage_configure(&stage, KH_LIT("network:\n"));
	bool failed = stage.has_failed;
	kh_stage_put(&stage, "page.html", KH_LIT("<p>")); /* it is there */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	snprintf(path, sizeof(path), "%s/workspace/t1", home);
	char parent[128];
	snprintf(parent, sizeof(parent), "%s/workspace", home);
	assert_int_equal(mkdir(parent, 0700) | mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/workspace/t1/link", home);
	char beside[] = "/tmp/keyhole-test-XXXXXX"; /* what the link leads to stays */
	assert_non_null(mkdtemp(beside));
	assert_int_equal(symlink(beside, path), 0);
	unset();
	assert_int_equal(stat(beside, &st), 0);
	rmdir(beside);
	assert_true(stage.has_failed);
	must(t, kh_arena_check(&t->arena));
	assert_false(failed);
	assert_true(n == 17);
	assert_string_equal(text, "policy:\nnetwork:\n");
}

static const struct kh_test_case cases[] = {KH_TEST(test_stage_expect), KH_TEST(test_stage_finds),
					    KH_TEST(test_stage_files)};
KH_TEST_MAIN(cases)
