#include "core/comm/phase.h"
#include "harness.h"

static void passes(struct kh_test *t, const char *operation, const char *phase)
{
	must(t, kh_phase_allows(&t->arena, kh_view_str(operation), kh_view_str(phase), &t->err));
}

static void blocks(struct kh_test *t, const char *operation, const char *phase, const char *code)
{
	enum kh_err e = kh_phase_allows(&t->arena, kh_view_str(operation), kh_view_str(phase), &t->err);

	if (e == KH_ENOMEM)
		must(t, e);
	if (e == KH_OK)
		fail_msg("%s passed in %s", operation, phase);
	assert_string_equal(t->err.code, code);
}

static const char *const external[] = {"comm.search", "comm.fetch", "comm.query",
				       "comm.read",   "comm.exec",  "comm.mcp.files.read_file"};
static const char *const own[] = {"task_open", "task_status", "begin_execution", "declare",           "BCPQuery",
				  "BCPNext",   "BCPRespond",  "approval_wait",   "verification_next", "blocks"};

/* E1, E13 (Phase Gate: block comm.* in planning phase; red line: planning-phase external operations). */
static void test_planning(struct kh_test *t)
{
	for (size_t i = 0; i < 6; i++)
		blocks(t, external[i], "planning", "OUTBOUND_FORBIDDEN_IN_PLANNING");
}

/* E1, E13 (Phase Gate: allow comm.* in execution phase). */
static void test_execution(struct kh_test *t)
{
	for (size_t i = 0; i < 6; i++)
		passes(t, external[i], "execution");
}

/* E1, E13 (Phase Gate: block comm.* in unknown phase).  The running system's gate let every unknown phase pass. */
static void test_unknown_phase(struct kh_test *t)
{
	static const char *const words[] = {"",
					    "unknown",
					    "Execution",
					    "EXECUTION",
					    " execution",
					    "execution ",
					    "execution\n",
					    "exec",
					    "executions",
					    "planning,execution",
					    "\xd0\xb5xecution",
					    "execut\xe2\x80\x8bion"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		blocks(t, "comm.fetch", words[i], "phase_unknown");
		blocks(t, "task_status", words[i], "phase_unknown");
	}
	must_fail(t, KH_EREFUSED, kh_phase_allows(&t->arena, KH_LIT("comm.fetch"), KH_LIT("execution\0"), &t->err));
}

/* E1, E13 (Phase Gate: allow non-comm operations in all phases): Keyhole's own pass in both. */
static void test_own(struct kh_test *t)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		assert_true(kh_phase_is_own(kh_view_str(own[i])));
		passes(t, own[i], "planning");
		passes(t, own[i], "execution");
	}
}

/*
 * E1, E2, E13 (red line: phase gate bypass by renaming).  The running system's gate was a case-sensitive deny-list of
 * the prefix "comm.": whatever did not begin with it passed in planning.
 */
static void test_not_a_prefix(struct kh_test *t)
{
	static const char *const strangers[] = {"internal_search", "search",       "web_search",  "os.system", "",
						"comm.delete",     "commfetch",    "xcomm.fetch", "comm",      "comm.",
						"Task_Status",     "task_status ", "comm.fetchx"};
	static const char *const lookalikes[] = {"COMM.fetch",
						 "Comm.Fetch",
						 " comm.fetch",
						 "comm.fetch ",
						 "comm .fetch",
						 "c\xd0\xbemm.fetch",
						 "comm.fet\xe2\x80\x8b\x63h",
						 "\xef\xbd\x83omm.fetch",
						 "comm\xef\xbc\x8e\x66\x65tch"};

	for (int phase = 0; phase < 2; phase++) {
		const char *word = kh_words_name(&kh_phase_words, (enum kh_phase)phase);
		for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
			blocks(t, strangers[i], word, "operation_unknown");
		for (size_t i = 0; i < sizeof(lookalikes) / sizeof(lookalikes[0]); i++)
			blocks(t, lookalikes[i], word, "operation_malformed");
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_planning), KH_TEST(test_execution),
					    KH_TEST(test_unknown_phase), KH_TEST(test_own), KH_TEST(test_not_a_prefix)};
KH_TEST_MAIN(cases)
