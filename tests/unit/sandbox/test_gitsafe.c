/* E7: git works in the granted folders, and its ownership check is told of no others. */
#include "harness.h"
#include "sandbox/gitsafe.h"
#include "wire/request.h"

#include <string.h>

static char packet_of[KH_MESSAGE_MAX];

/* A message with the folders of RUN, as a sandbox reads it. */
static struct kh_message message_of(struct kh_test *t, const struct kh_run *run)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;
	struct kh_view packet;

	must(t, kh_request_write_run(run, packet_of, &packet, &t->err));
	must(t, kh_message_read(packet, 0, &state, &message, &t->err));
	return message;
}

static void test_folders(struct kh_test *t)
{
	struct kh_run run = {.argv = {KH_LIT("/usr/bin/git")}, .argc = 1};
	struct kh_message message = message_of(t, &run);

	assert_null(kh_gitsafe_text(&message));
	run.work = KH_LIT("/home/w");
	run.read[run.reads++] = KH_LIT("/srv/repo");
	run.write[run.writes++] = KH_LIT("/srv/a \"b\"\\c");
	message = message_of(t, &run);
	const char *text = kh_gitsafe_text(&message);
	assert_non_null(text);
	assert_string_equal(text, "[safe]\n"
				  "\tdirectory = \"/work\"\n"
				  "\tdirectory = \"/srv/repo\"\n"
				  "\tdirectory = \"/srv/repo/*\"\n"
				  "\tdirectory = \"/srv/a \\\"b\\\"\\\\c\"\n"
				  "\tdirectory = \"/srv/a \\\"b\\\"\\\\c/*\"\n");
}

/* A path with a line break in it adds no line of its own. */
static void test_hostile(struct kh_test *t)
{
	struct kh_run run = {.argv = {KH_LIT("/usr/bin/git")}, .argc = 1, .reads = 2};

	run.read[0] = KH_LIT("/srv/x\n[core]\n\tfsmonitor = /srv/x/evil");
	run.read[1] = KH_LIT("/srv/y");
	struct kh_message message = message_of(t, &run);
	assert_string_equal(kh_gitsafe_text(&message), "[safe]\n"
						       "\tdirectory = \"/srv/y\"\n"
						       "\tdirectory = \"/srv/y/*\"\n");
}

/* What does not fit is left out, line by line. */
static void test_long(struct kh_test *t)
{
	static char path[4000];
	struct kh_run run = {.argv = {KH_LIT("/usr/bin/git")}, .argc = 1};

	memset(path, '\\', sizeof(path));
	path[0] = '/';
	while (run.reads < 16)
		run.read[run.reads++] = kh_view_of(path, sizeof(path));
	run.read[run.reads - 1] = KH_LIT("/srv/y");
	struct kh_message message = message_of(t, &run);
	const char *text = kh_gitsafe_text(&message);
	assert_true(kh_view_ends(kh_view_str(text), KH_LIT("\tdirectory = \"/srv/y/*\"\n")));
	assert_true(strlen(text) < 2 * KH_MESSAGE_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST(test_folders), KH_TEST(test_hostile), KH_TEST_ONCE(test_long)};
KH_TEST_MAIN(cases)
