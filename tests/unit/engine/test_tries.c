/* B16, B18: humans read what Readers sent, try by try. */
#include "asking.h"

#include "engine/query/tries.h"

#define TWICE                                                                                                 \
	"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q1\",\"question\":\"Who sent it?\"," \
	"\"expected_format\":\"short_text\",\"max_words\":2,\"rephrasings\":[\"Whose mail is it?\"]}]," JUSTIFIED

/* What an answer may have room for is long. */
#define LONG(id)                                                                                \
	"{\"id\":\"" id "\",\"question\":\"What else does it say there?\",\"expected_format\":" \
	"\"short_text\",\"max_words\":50}"
#define HEAD "\"category\":2,\"target\":\"scripted\",\"questions\":["
#define MUCH HEAD LONG("q1") "," LONG("q2") "," LONG("q3") "]," JUSTIFIED

static yyjson_val *tries_of(struct kh_asking *w, struct kh_view query, int64_t number, int64_t page)
{
	struct kh_tries call = {.query = query, .number = number, .page = page};

	must(w->f->t, kh_fixture_call(w->f, w->f->reviewer, kh_tries_run, &call));
	return kh_json_get(kh_fixture_json(w->f, call.json), "tries");
}

static void assert_try(yyjson_val *tries, size_t i, const char *verdict, const char *code, const char *text)
{
	yyjson_val *try = yyjson_arr_get(tries, i);
	yyjson_val *reason = yyjson_arr_get_first(kh_json_get(try, "reasons"));

	assert_int_equal(yyjson_get_uint(kh_json_get(try, "number")), i + 1);
	assert_view(kh_json_str(kh_json_get(try, "verdict")), verdict);
	assert_view(kh_json_str(kh_json_get(try, "text")), text);
	assert_view(kh_json_str(kh_json_get(try, "reader")), "scripted");
	if (code != NULL)
		assert_view(kh_json_str(kh_json_get(reason, "code")), code);
}

/* Rejected, failed and accepted, in their order, with the code of each. */
static void test_tries(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, "CANARY");
	kh_fixture_fault(w.f, KH_READER_DEAD);
	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, YES);
	yyjson_val *tries = tries_of(&w, look.query, 0, 1);
	assert_int_equal(yyjson_arr_size(tries), 3);
	assert_try(tries, 0, "reject", "not_json", "CANARY");
	assert_try(tries, 1, "dead", "dead", "");
	assert_try(tries, 2, "deliver", NULL, YES_TRUE);
	tries = tries_of(&w, look.query, 1, 1);
	assert_int_equal(yyjson_arr_size(tries), 1);
	assert_try(tries, 0, "reject", "not_json", "CANARY");
}

/* B14: answers that disagree are both there. */
static void test_disagreeing(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, WHO_SAYS("anna smith"));
	kh_fixture_answer(w.f, WHO_SAYS("bob jones"));
	struct kh_look look = kh_asking_ask(&w, TWICE);
	assert_int_equal(look.outcome, KH_OUTCOME_PENDING);
	yyjson_val *tries = tries_of(&w, look.query, 0, 1);
	assert_int_equal(yyjson_arr_size(tries), 2);
	assert_try(tries, 0, "deliver", NULL, WHO_SAYS("anna smith"));
	assert_try(tries, 1, "hold", "disagree", WHO_SAYS("bob jones"));
	assert_int_equal(yyjson_get_uint(kh_json_get(yyjson_arr_get(tries, 1), "round")), 1);
}

/* Whatever bytes it sent, what leaves is text, in pages. */
static void test_pages(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_tries past = {.number = 1, .page = 4}, none = {.number = 9, .page = 1};
	size_t n = 10000;
	char *text = kh_arena_alloc(&w.f->arena, n + 1);

	must(t, kh_arena_check(&w.f->arena));
	memset(text, 'x', n);
	text[0] = '\xff';
	text[n] = '\0';
	kh_fixture_answer(w.f, text);
	kh_fixture_answer(w.f, "CANARY");
	kh_fixture_answer(w.f, "CANARY");
	struct kh_look look = kh_asking_ask(&w, MUCH);
	size_t all = 0;
	for (int64_t page = 1; page <= 3; page++) {
		yyjson_val *try = yyjson_arr_get_first(tries_of(&w, look.query, 1, page));
		assert_int_equal(yyjson_get_uint(kh_json_get(try, "pages")), 3);
		assert_true(yyjson_get_bool(kh_json_get(try, "binary")));
		assert_int_equal(yyjson_get_uint(kh_json_get(try, "size")), n);
		all += kh_json_str(kh_json_get(try, "text")).n;
	}
	assert_int_equal(all, n + 2); /* U+FFFD has three bytes */
	past.query = none.query = look.query;
	must_fail(t, KH_EINPUT, kh_fixture_call(w.f, w.f->reviewer, kh_tries_run, &past));
	assert_code(t, "no_such_page");
	must_fail(t, KH_EINPUT, kh_fixture_call(w.f, w.f->reviewer, kh_tries_run, &none));
	assert_code(t, "no_such_try");
}

/* For everybody but a human it is as if there were no such query. */
static void test_refused(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view others[] = {w.f->controller, w.f->hosted, w.f->reader, w.f->host};

	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, YES);
	struct kh_view ids[] = {look.query, KH_LIT("q0123456789abcdef"), KH_LIT("nonsense")};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char detail[sizeof(t->err.detail)] = "";
		for (size_t j = 0; j < 3; j++) {
			struct kh_tries call = {.query = ids[j]};
			must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, others[i], kh_tries_run, &call));
			assert_code(t, "forbidden");
			if (j > 0)
				assert_string_equal(t->err.detail, detail);
			memcpy(detail, t->err.detail, sizeof(detail));
		}
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_tries), KH_TEST(test_disagreeing), KH_TEST(test_pages),
					    KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
