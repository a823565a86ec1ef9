#include "core/policy/grant.h"
#include "harness.h"

static struct kh_digest digest(const char *text)
{
	return kh_canonical_digest(kh_view_str(text));
}

static struct kh_grant make(void)
{
	return (struct kh_grant){.context = KH_LIT("c1"),
				 .task = KH_LIT("t1"),
				 .operation = KH_LIT("comm.fetch"),
				 .arguments = digest("args"),
				 .content = digest("content"),
				 .definition = digest("tool"),
				 .policy = digest("policy"),
				 .expiry = 1000,
				 .uses = 1};
}

static struct kh_grant_call match(void)
{
	return (struct kh_grant_call){.context = KH_LIT("c1"),
				      .task = KH_LIT("t1"),
				      .operation = KH_LIT("comm.fetch"),
				      .arguments = digest("args"),
				      .content = digest("content"),
				      .definition = digest("tool"),
				      .policy = digest("policy"),
				      .host = KH_LIT("example.com")};
}

/* A2: anything changed makes the grant useless, and the answer says what. */
static void test_covers(struct kh_test *t)
{
	struct kh_grant grant = make();
	struct kh_grant_call call = match();

	(void)t;
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 999), KH_GRANTED);
	assert_int_equal(kh_grant_covers(&grant, &call, 1, 999), KH_GRANT_USED); /* A2: one use unless widened */
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 1000), KH_GRANT_EXPIRED);
	call = match(), call.context = KH_LIT("c2");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_CONTEXT);
	call = match(), call.task = KH_LIT("t10");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_TASK);
	call = match(), call.operation = KH_LIT("comm.read");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_OPERATION);
	call = match(), call.arguments = digest("other");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_ARGUMENTS);
	call = match(), call.content = digest("other");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_CONTENT);
	assert_true(kh_grant_is_void(KH_GRANT_OTHER_CONTENT));
	call = match(), call.definition = digest("other");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_DEFINITION);
	call = match(), call.policy = digest("other");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_POLICY);
	assert_true(kh_grant_is_void(KH_GRANT_OTHER_POLICY));
	call = match(), call.fenced = true; /* I-20: only what was shown */
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_NOT_FENCED);
	assert_false(kh_grant_is_void(KH_GRANT_NOT_FENCED));
	grant.fenced = true;
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANTED);
	call.fenced = false;
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANTED);
	grant.fenced = false;
	assert_false(kh_grant_is_void(KH_GRANT_EXPIRED) || kh_grant_is_void(KH_GRANTED));
}

/* A2: "this host, this task, n uses, until t". */
static void test_widened(struct kh_test *t)
{
	struct kh_grant grant = make();
	struct kh_grant_call call = match();

	(void)t;
	grant.host = KH_LIT("example.com");
	grant.uses = 3;
	call.arguments = digest("any other page");
	assert_int_equal(kh_grant_covers(&grant, &call, 2, 999), KH_GRANTED);
	assert_int_equal(kh_grant_covers(&grant, &call, 3, 999), KH_GRANT_USED);
	call.host = KH_LIT("www.example.com");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_HOST);
	call.host = KH_LIT("");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_HOST);
	call = match(), call.task = KH_LIT("t2");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_TASK);
	call = match(), call.policy = digest("other");
	assert_int_equal(kh_grant_covers(&grant, &call, 0, 0), KH_GRANT_OTHER_POLICY);
}

/* E6: what may be approved in one batch differs in its arguments and nothing else. */
static void test_similar(struct kh_test *t)
{
	struct kh_grant_call a = match(), b = match();

	(void)t;
	b.arguments = digest("another page");
	assert_true(kh_grant_similar(&a, &b));
	b = match(), b.host = KH_LIT("evil.org");
	assert_false(kh_grant_similar(&a, &b));
	b = match(), b.task = KH_LIT("t2");
	assert_false(kh_grant_similar(&a, &b));
	b = match(), b.operation = KH_LIT("comm.exec");
	assert_false(kh_grant_similar(&a, &b));
	b = match(), b.definition = digest("x");
	assert_false(kh_grant_similar(&a, &b));
}

/* A3: the whole table of transitions. */
static void test_states(struct kh_test *t)
{
	static const char *const want[] = {
		[KH_APPROVAL_PENDING] = "approved rejected edited expired void ",
		[KH_APPROVAL_APPROVED] = "expired used void ",
		[KH_APPROVAL_REJECTED] = "",
		[KH_APPROVAL_EDITED] = "expired used void ",
		[KH_APPROVAL_EXPIRED] = "",
		[KH_APPROVAL_USED] = "",
		[KH_APPROVAL_VOID] = "",
	};

	(void)t;
	for (unsigned from = 0; from <= KH_APPROVAL_VOID; from++) {
		char got[128] = "";
		size_t n = 0;
		for (unsigned to = 0; to <= KH_APPROVAL_VOID; to++) {
			const char *word = kh_words_name(&kh_grant_approval_words, to);
			if (!kh_grant_may_become(from, to))
				continue;
			memcpy(got + n, word, strlen(word));
			n += strlen(word);
			got[n++] = ' ';
		}
		assert_string_equal(got, want[from]);
	}
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_covers), KH_TEST_ONCE(test_widened),
					    KH_TEST_ONCE(test_similar), KH_TEST_ONCE(test_states)};
KH_TEST_MAIN(cases)
