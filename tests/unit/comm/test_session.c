#include "core/comm/session.h"
#include "harness.h"

/* E3, E10: an id that cannot say anything but itself. */
static void test_ids(struct kh_test *t)
{
	static const char *const good[] = {"s", "abc123", "session-123", "unique-session-identifier", "_a.b:c-d", "7"};
	static const char *const bad[] = {
		"", "-a", ".a", ":a", "a b", " a", "a ", "a\n", "a) in session b", "\xc3\xa9", "a\xe2\x80\x8b", "a/b"};
	char id[KH_SESSION_ID_MAX + 1];

	(void)t;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(kh_session_is_id(kh_view_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_session_is_id(kh_view_str(bad[i])));
	assert_false(kh_session_is_id(KH_LIT("a\0")));
	memset(id, 'a', sizeof(id));
	assert_true(kh_session_is_id(kh_view_of(id, KH_SESSION_ID_MAX)));
	assert_false(kh_session_is_id(kh_view_of(id, KH_SESSION_ID_MAX + 1)));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_ids)};
KH_TEST_MAIN(cases)
