/* U3: rounds of input of the new generation, and one elicitation at a time; a human of the test answers. */
#include "base/alloc.h"
#include "base/clock.h"
#include "harness.h"
#include "upstream/inputs.h"

#include <time.h>

#define ASKS(requests) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\"," requests "}}"
#define ELICITATION    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\"}}"

/* Whoever is asked: what he was asked last, and what he says. */
struct human {
	unsigned asked, ended;
	char params[64];
	bool refuses;
	enum kh_elicited end;
};

static enum kh_err ask(void *context, const struct kh_errand *errand, struct kh_tainted params, int64_t left_ms,
		       struct kh_arena *arena, int64_t *ret_id, struct kh_error *err)
{
	struct human *human = context;

	(void)errand;
	(void)arena;
	assert_true(left_ms >= 1000);
	if (human->refuses)
		return kh_error_set(err, KH_EREFUSED, "elicitation_unfit", "no");
	snprintf(human->params, sizeof(human->params), "%.*s", KH_FMT(kh_tainted_open(params)));
	*ret_id = ++human->asked;
	return KH_OK;
}

static enum kh_err take(void *context, int64_t id, bool is_over, struct kh_arena *arena, enum kh_elicited *ret_end,
			struct kh_view *ret_values, struct kh_error *err)
{
	struct human *human = context;

	(void)arena;
	(void)err;
	assert_int_equal(id, human->asked);
	human->ended += is_over;
	*ret_end = human->end;
	*ret_values = KH_LIT("{\"a\":1}");
	return KH_OK;
}

struct world {
	struct human human;
	struct kh_inquiry_human at;
	struct kh_inquiry inquiry;
	struct kh_inputs inputs;
};

static void begin(struct kh_test *t, struct world *w)
{
	*w = (struct world){.human = {.end = KH_ELICITED_WAITS}};
	w->at = (struct kh_inquiry_human){&w->human, ask, take};
	w->inquiry = (struct kh_inquiry){.human = &w->at, .alloc = &t->alloc, .until_ms = kh_clock_ms() + 60000};
	w->inputs = (struct kh_inputs){.arena = &t->arena, .inquiry = &w->inquiry};
}

static bool read_message(struct kh_test *t, struct world *w, const char *message)
{
	bool good = kh_inputs_read(&w->inputs, kh_tainted_wrap(kh_view_str(message)));

	must(t, kh_arena_check(&t->arena));
	return good;
}

static void assert_responses(struct kh_test *t, struct world *w, const char *json)
{
	struct kh_view text;

	must(t, kh_json_write(&t->arena, w->inputs.responses, &text));
	assert_view(text, json);
}

/* Looks until there is an answer: it is looked for at most every KH_INQUIRY_LOOK_MS. */
static void look(struct world *w)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	while (!kh_inputs_look(&w->inputs))
		nanosleep(&pause, NULL);
}

static void test_round(struct kh_test *t)
{
	struct world w;

	begin(t, &w);
	assert_true(read_message(t, &w,
				 ASKS("\"inputRequests\":{\"r\":{\"method\":\"roots/list\"},\"e\":" ELICITATION
				      ",\"f\":" ELICITATION "},\"requestState\":\"s\\\"1\"")));
	assert_int_equal(w.human.asked, 1); /* one at a time */
	assert_string_equal(w.human.params, "{\"message\":\"m\"}");
	assert_string_equal(yyjson_mut_get_str(w.inputs.state), "s\"1");
	assert_false(kh_inputs_look(&w.inputs));
	w.human.end = KH_ELICITED_ACCEPT;
	look(&w);
	must(t, kh_arena_check(&t->arena));
	assert_responses(
		t, &w,
		"{\"r\":{\"roots\":[]},\"f\":{\"action\":\"decline\"},\"e\":{\"action\":\"accept\",\"content\":{"
		"\"a\":1}}}");
	assert_false(kh_inquiry_is_open(&w.inquiry));
}

static void test_declined(struct kh_test *t)
{
	struct world w;

	begin(t, &w);
	w.human.refuses = true;
	assert_true(read_message(t, &w, ASKS("\"inputRequests\":{\"e\":" ELICITATION "}")));
	assert_true(kh_inputs_look(&w.inputs));
	assert_responses(t, &w, "{\"e\":{\"action\":\"decline\"}}");
	assert_null(w.inputs.state);
	w.inputs.inquiry = NULL; /* the rule has no word of it */
	assert_true(read_message(t, &w, ASKS("\"inputRequests\":{\"e\":" ELICITATION "}")));
	assert_true(kh_inputs_look(&w.inputs));
	assert_responses(t, &w, "{\"e\":{\"action\":\"decline\"}}");
}

/* What nothing answers, and what is no such result: nobody is asked. */
static void test_unanswerable(struct kh_test *t)
{
	static const char *const messages[] = {
		"",
		"\"input_required\"",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[\"input_required\"]}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\\\"input_required\\\"\"}}",
		ASKS("\"x\":1"),
		ASKS("\"requestState\":1"),
		ASKS("\"inputRequests\":[]"),
		ASKS("\"inputRequests\":{\"x\":{}}"),
		ASKS("\"inputRequests\":{\"e\":" ELICITATION ",\"m\":{\"method\":\"sampling/createMessage\"}}"),
		ASKS("\"inputRequests\":{\"e\":" ELICITATION ",\"m\":{\"method\":\"tools/call\"}}"),
		ASKS("\"inputRequests\":{\"e\":" ELICITATION "},\"requestState\":{}"),
	};
	struct world w;

	begin(t, &w);
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		assert_false(read_message(t, &w, messages[i]));
	assert_int_equal(w.human.asked, 0);
	/* A state alone is a round too: the server wants to be called again. */
	assert_true(read_message(t, &w, ASKS("\"requestState\":\"s\"")));
	assert_responses(t, &w, "{}");
}

/* A call has a number of them, and time for them; one that is open when the call is over ends. */
static void test_bounds(struct kh_test *t)
{
	struct kh_tainted params = kh_tainted_wrap(KH_LIT("{}"));
	struct kh_view result;
	struct world w;

	begin(t, &w);
	for (unsigned i = 0; i < KH_INQUIRY_MOST; i++) {
		assert_true(kh_inquiry_begin(&w.inquiry, params));
		assert_false(kh_inquiry_begin(&w.inquiry, params)); /* one is open */
		kh_inquiry_end(&w.inquiry);
		kh_inquiry_end(&w.inquiry);
		assert_int_equal(w.human.ended, i + 1);
	}
	assert_false(kh_inquiry_begin(&w.inquiry, params));
	assert_false(kh_inquiry_look(&w.inquiry, &t->arena, &result));
	assert_int_equal(w.human.asked, KH_INQUIRY_MOST);
	begin(t, &w);
	w.inquiry.until_ms = kh_clock_ms() + 900;
	assert_false(kh_inquiry_begin(&w.inquiry, params));
	assert_int_equal(w.human.asked, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_round), KH_TEST(test_declined), KH_TEST(test_unanswerable),
					    KH_TEST(test_bounds)};
KH_TEST_MAIN(cases)
