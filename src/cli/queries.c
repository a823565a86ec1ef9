/* Queries on the command line.  The output is what a Controller may know (B16, B18): an outcome, and the delivery if
 * there is one. */
#include "cli/queries.h"

#include "base/clock.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "engine/outbox.h"
#include "engine/query/admit.h"
#include "engine/query/render_query.h"
#include "engine/waiting.h"

#define QUERY_LIMIT  (64U << 10)
#define WAIT_DEFAULT 60000

/* --- writing ------------------------------------------------------------------------------------------------------ */

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

static void print_delivery(struct kh_frame *f, struct kh_buf *buf, const struct kh_render_query *told)
{
	yyjson_val *delivery;

	if (kh_json_read(&f->arena, told->delivery, &delivery, &f->err) != KH_OK)
		return;
	print_answers(buf, delivery);
	struct kh_view taint = kh_json_str(kh_json_get(delivery, "taint"));
	kh_buf_printf(buf, "Untrusted data, taint %.*s, block %.*s: its form was checked, its truth was not.\n",
		      KH_FMT(taint), KH_FMT(told->block));
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

static void print_next(struct kh_buf *buf, const struct kh_render_query *told)
{
	struct kh_view id = told->query.n > 0 ? told->query : told->approval;

	if (told->outcome == KH_OUTCOME_BUDGET)
		kh_buf_printf(buf, "Nobody was asked: %.*s.\n", KH_FMT(told->why));
	if (told->outcome == KH_OUTCOME_PENDING)
		kh_table_decide(buf, told->approval);
	if (told->outcome == KH_OUTCOME_PENDING || told->outcome == KH_OUTCOME_NONE)
		kh_buf_printf(buf, "  keyhole query wait %.*s\n", KH_FMT(id));
}

static int write_told(struct kh_frame *f, const struct kh_render_query *told)
{
	yyjson_mut_val *obj = kh_render_query_new(kh_json_new(&f->arena), told);
	struct kh_buf buf = kh_frame_buf(f);
	bool is_delivered = told->outcome == KH_OUTCOME_DELIVERED;

	if (f->options.json)
		return kh_frame_outcome(kh_frame_object(f, obj), is_delivered);
	kh_buf_printf(&buf, "%s%s%.*s\n", kh_render_query_word(told->outcome), told->query.n > 0 ? "  " : "",
		      KH_FMT(told->query));
	if (is_delivered)
		print_delivery(f, &buf, told);
	print_next(&buf, told);
	print_advice(f, &buf, told->advice);
	return kh_frame_outcome(kh_frame_text(f, &buf), is_delivered);
}

/* Writes what LOOK knows now of a query. */
static int write_look(struct kh_frame *f, struct kh_view query, const struct kh_look *look, struct kh_view advice,
		      struct kh_view why)
{
	return write_told(f, &(struct kh_render_query){.outcome = look->outcome,
						       .query = query,
						       .approval = look->waits,
						       .block = look->block,
						       .delivery = look->delivery,
						       .advice = advice,
						       .why = why});
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

/* Reads the query of the file and adds --task to it. */
static enum kh_err read_query(struct kh_frame *f, yyjson_val **ret_query)
{
	const struct kh_queries_args *a = f->args;
	enum kh_err e = kh_frame_input_json(f, f->words[0], QUERY_LIMIT, ret_query);

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
	return kh_json_freeze(&f->arena, copy, ret_query, &f->err);
}

/* Waits for the outcome in LOOK; asks what ENTRY holds first, if it is not NULL. */
static enum kh_err wait_for(struct kh_frame *f, struct kh_entry *entry, struct kh_look *look, const char *what)
{
	const struct kh_queries_args *a = f->args;
	int64_t ms = a->wait_ms > 0 && a->wait_ms < INT32_MAX ? (int64_t)a->wait_ms : WAIT_DEFAULT;
	struct kh_waiting waiting = {.until = kh_clock_us() + ms * 1000, .here = entry != NULL, .human = entry == NULL};
	struct kh_progress progress;
	enum kh_err e = KH_OK;

	kh_progress_start(&progress, what);
	if (entry != NULL)
		e = kh_outbox_run(f->home.engine, entry, &f->arena, &f->err);
	if (e == KH_OK)
		e = kh_waiting_run(f->home.engine, f->token, look, &waiting, &f->arena, &f->err);
	kh_progress_stop(&progress);
	return e;
}

int kh_queries_ask(struct kh_frame *f)
{
	struct kh_admit call = {0};
	enum kh_err e = read_query(f, &call.query);

	if (e == KH_OK)
		e = kh_engine_call(f->home.engine, f->token, kh_admit_run, &call, &f->arena, &f->err);
	if (e != KH_OK) {
		int status = kh_frame_fail(f);
		if (f->err.member[0] != '\0' && !f->options.json)
			kh_frame_note(f, KH_LIT("  `keyhole bcp check` lists everything that is wrong with a query\n"));
		return status;
	}
	struct kh_look look = {.query = call.id, .outcome = call.refused};
	struct kh_entry entry = kh_outbox_of_ask(&call.ask);
	if (call.refused == KH_OUTCOME_NONE && wait_for(f, &entry, &look, "waiting for the Reader") != KH_OK)
		return kh_frame_fail(f);
	return write_look(f, call.id, &look, call.advice, call.why);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

int kh_queries_wait(struct kh_frame *f)
{
	struct kh_view id = kh_view_str(f->words[0]), query = kh_view_starts(id, KH_LIT("a")) ? KH_LIT("") : id;
	struct kh_look look = {.query = query, .approval = query.n > 0 ? KH_LIT("") : id};

	if (wait_for(f, NULL, &look, "waiting for the outcome") != KH_OK)
		return kh_frame_fail(f);
	return write_look(f, query, &look, KH_LIT(""), KH_LIT(""));
}
