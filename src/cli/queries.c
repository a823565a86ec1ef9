/* Queries on the command line.  The output is what a Controller may know (B16, B18): an outcome, and the delivery if
 * there is one. */
#include "cli/queries.h"

#include "base/clock.h"
#include "cli/frame.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "engine/engine.h"
#include "engine/outbox.h"
#include "engine/query/admit.h"
#include "engine/waiting.h"

#define QUERY_LIMIT  (64U << 10)
#define WAIT_DEFAULT 60000

static const char statuses[] = "0 delivered; 1 not delivered, and the outcome is written; 2 not usable, refused or "
			       "failed.";

struct arguments {
	const char *task;
	uint64_t wait_ms;
};

/* What is shown of a query. */
struct result {
	struct kh_view query, advice;
	struct kh_look look;
};

/* --- writing ------------------------------------------------------------------------------------------------------ */

static const char *outcome_word(enum kh_outcome outcome)
{
	return outcome == KH_OUTCOME_NONE ? "waiting" : kh_words_name(&kh_rows_outcome_words, outcome);
}

static void add_json(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view json)
{
	yyjson_val *value;

	if (json.n > 0 && kh_json_read(&f->arena, json, &value, &f->err) == KH_OK)
		yyjson_mut_obj_add_val(doc, obj, key, yyjson_val_mut_copy(doc, value));
}

static int write_json(struct kh_frame *f, const struct result *r)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "outcome", outcome_word(r->look.outcome));
	if (r->query.n > 0)
		kh_json_add(doc, obj, "query", r->query);
	if (r->look.waits.n > 0)
		kh_json_add(doc, obj, "approval", r->look.waits);
	if (r->look.block.n > 0)
		kh_json_add(doc, obj, "block", r->look.block);
	add_json(f, doc, obj, "delivery", r->look.delivery);
	add_json(f, doc, obj, "advice", r->advice);
	return kh_frame_object(f, obj);
}

static void print_value(struct kh_buf *buf, struct kh_view name, yyjson_val *value)
{
	kh_buf_lit(buf, "  ");
	kh_buf_add(buf, name);
	for (size_t n = name.n; n < 16; n++)
		kh_buf_byte(buf, ' ');
	kh_buf_lit(buf, "  ");
	if (yyjson_is_bool(value))
		kh_buf_add(buf, yyjson_get_bool(value) ? KH_LIT("true") : KH_LIT("false"));
	else
		kh_buf_add(buf, kh_table_cell(buf->arena, value, KH_TABLE_TEXT));
	kh_buf_byte(buf, '\n');
}

/* Prints a delivery (bcp_response_delivery) for people: its answers, a line each. */
static void print_answers(struct kh_buf *buf, yyjson_val *delivery)
{
	yyjson_val *response = kh_json_get(delivery, "response"), *fields = kh_json_get(response, "fields");
	yyjson_val *answers = kh_json_get(response, "answers"), *summary = kh_json_get(response, "summary");
	yyjson_val *name, *value, *answer;
	size_t i, max;

	yyjson_obj_foreach (fields, i, max, name, value)
		print_value(buf, kh_json_str(name), value);
	yyjson_arr_foreach (answers, i, max, answer)
		print_value(buf, kh_json_str(kh_json_get(answer, "id")), kh_json_get(answer, "answer"));
	if (summary != NULL)
		print_value(buf, KH_LIT("summary"), summary);
}

static void print_delivery(struct kh_frame *f, struct kh_buf *buf, const struct result *r)
{
	yyjson_val *delivery;

	if (kh_json_read(&f->arena, r->look.delivery, &delivery, &f->err) != KH_OK)
		return;
	print_answers(buf, delivery);
	struct kh_view taint = kh_json_str(kh_json_get(delivery, "taint"));
	kh_buf_printf(buf, "Untrusted data, taint %.*s, block %.*s: its form was checked, its truth was not.\n",
		      KH_FMT(taint), KH_FMT(r->look.block));
}

static void print_advice(struct kh_frame *f, struct kh_buf *buf, struct kh_view advice)
{
	yyjson_val *list, *item;
	size_t i, max;

	if (advice.n == 0 || kh_json_read(&f->arena, advice, &list, &f->err) != KH_OK)
		return;
	yyjson_arr_foreach (list, i, max, item) {
		struct kh_view code = kh_json_str(kh_json_get(item, "code"));
		struct kh_view member = kh_json_str(kh_json_get(item, "member"));
		kh_buf_printf(buf, "advice: %.*s: %.*s (--json has the narrower query)\n", KH_FMT(member),
			      KH_FMT(code));
	}
}

static void print_next(struct kh_buf *buf, const struct result *r)
{
	struct kh_view id = r->query.n > 0 ? r->query : r->look.waits;

	if (r->look.outcome == KH_OUTCOME_BUDGET)
		kh_buf_lit(buf,
			   "The budget of the task, or of all tasks of its context, does not hold this query: nobody "
			   "was asked.\n");
	if (r->look.outcome == KH_OUTCOME_PENDING)
		kh_buf_printf(buf,
			      "A human decides:\n"
			      "  keyhole approvals show %.*s\n"
			      "  keyhole approvals approve %.*s\n"
			      "then:\n",
			      KH_FMT(r->look.waits), KH_FMT(r->look.waits));
	if (r->look.outcome == KH_OUTCOME_PENDING || r->look.outcome == KH_OUTCOME_NONE)
		kh_buf_printf(buf, "  keyhole query wait %.*s\n", KH_FMT(id));
}

static int write_text(struct kh_frame *f, const struct result *r)
{
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_buf_printf(&buf, "%s%s%.*s\n", outcome_word(r->look.outcome), r->query.n > 0 ? "  " : "", KH_FMT(r->query));
	if (r->look.outcome == KH_OUTCOME_DELIVERED)
		print_delivery(f, &buf, r);
	print_next(&buf, r);
	print_advice(f, &buf, r->advice);
	return kh_frame_text(f, &buf);
}

static int write_result(struct kh_frame *f, const struct result *r)
{
	int status = f->options.json ? write_json(f, r) : write_text(f, r);

	return status == KH_FRAME_DONE && r->look.outcome != KH_OUTCOME_DELIVERED ? KH_FRAME_NOT : status;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static int64_t wait_until(const struct kh_frame *f)
{
	const struct arguments *a = f->args;
	int64_t ms = a->wait_ms > 0 && a->wait_ms < INT32_MAX ? (int64_t)a->wait_ms : WAIT_DEFAULT;

	return kh_clock_us() + ms * 1000;
}

/* Reads the query of the file and adds --task to it. */
static enum kh_err read_query(struct kh_frame *f, yyjson_val **ret_query)
{
	const struct arguments *a = f->args;
	struct kh_view text;
	enum kh_err e = kh_frame_input(f, f->words[0], QUERY_LIMIT, &text);

	if (e == KH_OK)
		e = kh_json_read(&f->arena, text, ret_query, &f->err);
	if (e != KH_OK || a->task == NULL)
		return e;
	if (!yyjson_is_obj(*ret_query))
		return kh_error_set(&f->err, KH_EINPUT, "wrong_type", "a query is an object");
	struct kh_view task = kh_json_str(kh_json_get(*ret_query, "task"));
	if (task.p != NULL && !kh_view_eq(task, kh_view_str(a->task)))
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--task and the query's `task` differ");
	if (kh_json_get(*ret_query, "task") != NULL)
		return KH_OK;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *copy = yyjson_val_mut_copy(doc, *ret_query);
	yyjson_mut_obj_add_str(doc, copy, "task", a->task);
	e = kh_json_write(&f->arena, copy, &text);
	return e == KH_OK ? kh_json_read(&f->arena, text, ret_query, &f->err)
			  : kh_error_set(&f->err, e, "out_of_memory", "out of memory");
}

static int run_ask(struct kh_frame *f)
{
	struct kh_admit call = {0};
	struct result r = {0};
	struct kh_progress progress;
	enum kh_err e = read_query(f, &call.query);

	if (e == KH_OK)
		e = kh_engine_call(f->home.engine, f->token, kh_admit_run, &call, &f->arena, &f->err);
	if (e != KH_OK) {
		int status = kh_frame_fail(f);
		if (f->err.member[0] != '\0' && !f->options.json)
			kh_frame_note(f, KH_LIT("  `keyhole bcp check` lists everything that is wrong with a query\n"));
		return status;
	}
	r.query = call.id;
	r.advice = call.advice;
	r.look.query = call.id;
	r.look.outcome = call.refused;
	if (call.refused != KH_OUTCOME_NONE)
		return write_result(f, &r);
	struct kh_waiting waiting = {.until = wait_until(f), .here = true};
	struct kh_entry entry = kh_outbox_of_ask(&call.ask);
	kh_progress_start(&progress, "waiting for the Reader");
	e = kh_outbox_run(f->home.engine, &entry, &f->arena, &f->err);
	if (e == KH_OK)
		e = kh_waiting_run(f->home.engine, f->token, &r.look, &waiting, &f->arena, &f->err);
	kh_progress_stop(&progress);
	return e == KH_OK ? write_result(f, &r) : kh_frame_fail(f);
}

static const struct kh_frame_command ask = {
	.name = "query",
	.usage = "[OPTION...] FILE   (or: keyhole query wait ID)",
	.about =
		"Ask a Reader about sealed content, and wait for the outcome.  FILE is a query as JSON; - is standard\n"
		"input.  Members: `category`, `target` (the Reader), `fields`, `questions` or `directive`, `task`, and "
		"a\n"
		"`justification` for categories 2 and 3.  If a human decides, `query wait` takes the query up again.\n",
	.status = statuses,
	.least = 1,
	.most = 1,
	.use = KH_HOME_ASK,
	.role = KH_ROLE_CONTROLLER,
	.run = run_ask,
};

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static int run_wait(struct kh_frame *f)
{
	struct kh_view id = kh_view_str(f->words[0]);
	struct result r = {0};
	struct kh_progress progress;

	if (kh_view_starts(id, KH_LIT("a")))
		r.look.approval = id;
	else
		r.look.query = r.query = id;
	struct kh_waiting waiting = {.until = wait_until(f), .human = true};
	kh_progress_start(&progress, "waiting for the outcome");
	enum kh_err e = kh_waiting_run(f->home.engine, f->token, &r.look, &waiting, &f->arena, &f->err);
	kh_progress_stop(&progress);
	return e == KH_OK ? write_result(f, &r) : kh_frame_fail(f);
}

static const struct kh_frame_command wait = {
	.name = "query wait",
	.usage = "[OPTION...] ID",
	.about =
		"Wait for the outcome of a query that was left open, also if a human decides it.  ID is the id of the\n"
		"query, or of the approval that was named with `pending`.\n",
	.status = statuses,
	.least = 1,
	.most = 1,
	.use = KH_HOME_ASK,
	.role = KH_ROLE_CONTROLLER,
	.run = run_wait,
};

int kh_queries_main(int argc, char **argv)
{
	struct arguments a = {0};
	const struct kh_option waits = {"--wait", "SECONDS", "how long to wait (default: 60)", .number = &a.wait_ms,
					.unit = KH_OPTION_SECONDS};
	const struct kh_option own[] = {waits,
					{"--task", "TASK", "the task, if the query names none", .text = &a.task}};

	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		return kh_frame_main(&wait, own, 1, &a, argc - 1, argv + 1);
	return kh_frame_main(&ask, own, 2, &a, argc, argv);
}
