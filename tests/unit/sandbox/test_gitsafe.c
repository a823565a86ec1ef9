/* E7: git works in the granted folders, and its ownership check is told of no others. */
#include "harness.h"
#include "sandbox/gitsafe.h"

#include <string.h>

static struct kh_grants grants;

static void grant(const char *place, bool is_dir)
{
	grants.at[grants.count++] = (struct kh_grants_path){.host = "/host", .place = place, .is_dir = is_dir};
}

static void test_folders(struct kh_test *t)
{
	(void)t;
	grants.count = 0;
	assert_null(kh_gitsafe_text(&grants));
	grant("/etc/hosts", false);
	assert_null(kh_gitsafe_text(&grants));
	grant("/work", true);
	grant("/srv/a \"b\"\\c", true);
	assert_string_equal(kh_gitsafe_text(&grants), "[safe]\n"
						      "\tdirectory = \"/work\"\n"
						      "\tdirectory = \"/work/*\"\n"
						      "\tdirectory = \"/srv/a \\\"b\\\"\\\\c\"\n"
						      "\tdirectory = \"/srv/a \\\"b\\\"\\\\c/*\"\n");
}

/* A path with a line break in it adds no line of its own. */
static void test_hostile(struct kh_test *t)
{
	(void)t;
	grants.count = 0;
	grant("/srv/x\n[core]\n\tfsmonitor = /srv/x/evil", true);
	grant("/srv/y", true);
	assert_string_equal(kh_gitsafe_text(&grants), "[safe]\n"
						      "\tdirectory = \"/srv/y\"\n"
						      "\tdirectory = \"/srv/y/*\"\n");
}

/* What does not fit is left out, line by line. */
static void test_long(struct kh_test *t)
{
	static char path[4000];

	(void)t;
	memset(path, '\\', sizeof(path) - 1);
	path[0] = '/';
	grants.count = 0;
	for (int i = 0; i < 40; i++)
		grant(path, true);
	grant("/srv/y", true);
	const char *text = kh_gitsafe_text(&grants);
	assert_non_null(text);
	assert_true(kh_view_ends(kh_view_str(text), KH_LIT("\tdirectory = \"/srv/y/*\"\n")));
	assert_true(strlen(text) < 2 * KH_MESSAGE_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_folders), KH_TEST_ONCE(test_hostile),
					    KH_TEST_ONCE(test_long)};
KH_TEST_MAIN(cases)
