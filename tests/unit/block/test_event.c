#include "core/block/event.h"
#include "harness.h"

/* K3: the table of blocks.md, row by row. */
static void test_table(struct kh_test *t)
{
	static const struct {
		const char *name;
		enum kh_trust trust;
		enum kh_type type;
	} table[] = {
		{"system_prompt", KH_TRUSTED, KH_INSTRUCTION}, {"goal", KH_VETTED, KH_INSTRUCTION},
		{"commitment", KH_TRUSTED, KH_INSTRUCTION},    {"tool_result", KH_UNTRUSTED, KH_DATA},
		{"file_read", KH_UNTRUSTED, KH_DATA},          {"web_fetch", KH_UNTRUSTED, KH_DATA},
		{"mcp_response", KH_UNTRUSTED, KH_DATA},       {"supervisor_message", KH_TRUSTED, KH_INSTRUCTION},
	};

	(void)t;
	assert_int_equal(sizeof(table) / sizeof(table[0]) + 1, KH_EVENT_COUNT);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		enum kh_event_kind event;
		assert_true(kh_words_parse(&kh_event_words, kh_view_str(table[i].name), &event));
		/* What is configured for users changes nothing else. */
		for (int user = KH_TRUSTED; user <= KH_UNTRUSTED; user++) {
			struct kh_event_label label = kh_event_labels(event, (enum kh_trust)user);
			assert_int_equal(label.trust, table[i].trust);
			assert_int_equal(label.type, table[i].type);
		}
	}
}

/* K3: a user message has the trust that is configured; K1: an untrusted one is data. */
static void test_user_message(struct kh_test *t)
{
	(void)t;
	for (int user = KH_TRUSTED; user <= KH_UNTRUSTED; user++) {
		struct kh_event_label label = kh_event_labels(KH_EVENT_USER_MESSAGE, (enum kh_trust)user);
		assert_int_equal(label.trust, user);
		assert_int_equal(label.type, user == KH_UNTRUSTED ? KH_DATA : KH_INSTRUCTION);
	}
	struct kh_event_label label = kh_event_labels(KH_EVENT_USER_MESSAGE, (enum kh_trust)7);
	assert_int_equal(label.trust, KH_UNTRUSTED);
	assert_int_equal(label.type, KH_DATA);
}

/* K3: names both ways, exactly. */
static void test_names(struct kh_test *t)
{
	static const char *const bad[] = {"", "Goal", "goal ", "tool", "system_prompt_"};
	enum kh_event_kind event = KH_EVENT_COUNT;

	(void)t;
	for (int i = 0; i < KH_EVENT_COUNT; i++) {
		assert_true(kh_words_parse(&kh_event_words,
					   kh_view_str(kh_words_name(&kh_event_words, (enum kh_event_kind)i)), &event));
		assert_int_equal(event, i);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_words_parse(&kh_event_words, kh_view_str(bad[i]), &event));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_table), KH_TEST_ONCE(test_user_message),
					    KH_TEST_ONCE(test_names)};
KH_TEST_MAIN(cases)
