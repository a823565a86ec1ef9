/*
 * Models that verify calls.  What they are shown is hostile: the call may be what an injection asked for, its reason
 * too, and what matched is the world's own words.  What they say is hostile as well, and is one of three words or
 * nothing.
 */
#include "engine/comm/verifying.h"

#include "core/bcp/answer.h"
#include "core/bcp/message.h"
#include "core/block/prompt.h"
#include "core/comm/attribution.h"
#include "engine/state/find.h"

#define QUESTION                                                                           \
	"{\"category\":1,\"fields\":[{\"name\":\"verdict\",\"type\":\"enum\",\"values\":[" \
	"\"allow\",\"deny\",\"unsure\"]}]}"
#define BLOCKS 3

/* In the order of the question's values. */
static const enum kh_triage verdicts[] = {KH_TRIAGE_ALLOW, KH_TRIAGE_DENY, KH_TRIAGE_PASS};

const struct kh_reader *kh_verifying_reader(const struct kh_engine *engine, bool supervisor)
{
	size_t count;
	const struct kh_reader *readers = kh_engine_readers(engine, &count);

	for (size_t i = 0; i < count; i++) {
		if (supervisor ? readers[i].supervises : readers[i].triages)
			return &readers[i];
	}
	return NULL;
}

/* --- what is shown ------------------------------------------------------------------------------------------------ */

/* The plan of the task that a declaration is of. */
struct planned {
	int64_t task;
	struct kh_view plan; /* out */
};

static enum kh_err load_plan(struct kh_op *op, void *call)
{
	struct planned *planned = call;
	struct kh_task_row *task;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, planned->task, &task);

	if (e != KH_OK)
		return e;
	planned->plan = kh_arena_dup(op->arena, task->plan.n > 0 ? task->plan : KH_LIT("{}"));
	return planned->plan.p != NULL ? KH_OK : KH_ENOMEM;
}

static enum kh_err write_call(struct kh_arena *arena, const struct kh_declaration_row *row, struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *call = yyjson_mut_obj(doc);

	kh_json_add(doc, call, "operation", row->operation);
	yyjson_mut_obj_add_val(doc, call, "parameters",
			       yyjson_mut_rawn(doc, row->parameters.n > 0 ? row->parameters.p : "{}",
					       row->parameters.n > 0 ? row->parameters.n : 2));
	yyjson_mut_obj_add_val(doc, call, "justification",
			       yyjson_mut_rawn(doc, row->justification.n > 0 ? row->justification.p : "{}",
					       row->justification.n > 0 ? row->justification.n : 2));
	return kh_json_write(arena, call, ret_json);
}

static enum kh_err write_findings(struct kh_arena *arena, const struct kh_weighed *weighed, struct kh_view *ret_json)
{
	struct kh_reasons none = {.n = 0};
	yyjson_mut_doc *doc = kh_json_new(arena);

	return kh_json_write(arena, kh_json_reasons(doc, weighed != NULL ? &weighed->reasons : &none), ret_json);
}

/* CONTENT as a block that proves what it is: the fences are made of nothing else. */
static enum kh_err make_block(struct kh_arena *arena, const struct kh_act *act, int64_t now, const char *name,
			      struct kh_view content, struct kh_reader_block *ret_block, struct kh_error *err)
{
	struct kh_attribution attribution = {
		.operation = act->look.row->operation,
		.session_id = act->look.task,
		.source = kh_arena_printf(arena, "%s of %.*s", name, KH_FMT(act->look.id)),
		.timestamp = now,
	};
	struct kh_view json;
	enum kh_err e = kh_attribution_make(arena, &attribution, content, err);

	if (e == KH_OK)
		e = kh_attribution_canonical(arena, &attribution, &json);
	if (e == KH_OK)
		*ret_block = (struct kh_reader_block){kh_view_str(name), json, kh_tainted_wrap(content)};
	return e;
}

static enum kh_err make_blocks(struct kh_engine *engine, const struct kh_act *act, int64_t now,
			       struct kh_reader_block blocks[BLOCKS], struct kh_arena *arena, struct kh_error *err)
{
	struct planned planned = {.task = act->look.row->task};
	struct kh_view call, findings;
	enum kh_err e = kh_engine_own(engine, load_plan, &planned, arena, err);

	if (e == KH_OK)
		e = write_call(arena, act->look.row, &call);
	if (e == KH_OK)
		e = write_findings(arena, act->weighed, &findings);
	if (e == KH_OK)
		e = make_block(arena, act, now, "call", call, &blocks[0], err);
	if (e == KH_OK)
		e = make_block(arena, act, now, "plan", planned.plan, &blocks[1], err);
	return e == KH_OK ? make_block(arena, act, now, "findings", findings, &blocks[2], err) : e;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static enum kh_err read_question(struct kh_arena *arena, struct kh_query *ret_query, struct kh_error *err)
{
	struct kh_reasons errors;
	yyjson_val *root;
	enum kh_err e = kh_json_read(arena, KH_LIT(QUESTION), &root, err);

	kh_reasons_init(&errors, arena);
	return e == KH_OK ? kh_query_read(arena, root, KH_QUERY_CHECK, ret_query, &errors) : e;
}

/* A program's answer is a message that names its ask; where it names another, it is no answer to this. */
static enum kh_err judge(struct kh_arena *arena, const struct kh_reader_ask *asked, struct kh_tainted response,
			 struct kh_answer *ret_answer)
{
	yyjson_val *body = NULL;
	struct kh_view id;

	if (kh_message_read_response(arena, response, &id, &body, NULL) == KH_OK && kh_view_eq(id, asked->id))
		return kh_answer_judge_value(NULL, arena, asked->query, body, (struct kh_recent){NULL, 0}, ret_answer);
	if (body != NULL)
		response = kh_tainted_wrap(KH_LIT(""));
	return kh_answer_judge(NULL, arena, asked->query, response, (struct kh_recent){NULL, 0}, ret_answer);
}

/* What READER says; whatever is no answer is PASS. */
static enum kh_err ask(struct kh_engine *engine, const struct kh_reader *reader, const struct kh_act *act,
		       struct kh_arena *arena, enum kh_triage *ret_verdict, struct kh_error *err)
{
	struct kh_reader_block blocks[BLOCKS];
	struct kh_query query;
	struct kh_tainted response;
	struct kh_answer answer;
	struct kh_view detail;
	enum kh_reader_fault fault = KH_READER_OK;
	struct kh_reader_ask asked = {
		.id = act->look.id,
		.from = KH_LIT("keyhole"),
		.task = act->look.task,
		.query = &query,
		.blocks = blocks,
		.block_count = BLOCKS,
		.prompt = kh_prompt_find(KH_LIT("supervisor"))->text,
		.now = kh_engine_now(engine),
	};
	enum kh_err e = read_question(arena, &query, err);

	*ret_verdict = KH_TRIAGE_PASS;
	if (e == KH_OK)
		e = make_blocks(engine, act, asked.now, blocks, arena, err);
	if (e != KH_OK)
		return e;
	kh_engine_random(engine, asked.nonce, sizeof(asked.nonce));
	e = reader->driver->ask(reader, arena, &asked, &response, &fault, &detail);
	if (e != KH_OK || fault != KH_READER_OK)
		return e;
	e = judge(arena, &asked, response, &answer);
	if (e == KH_OK && answer.verdict == KH_VERDICT_DELIVER)
		*ret_verdict = verdicts[answer.values[0].number];
	return e;
}

enum kh_err kh_verifying_run(struct kh_engine *engine, const struct kh_act *act, bool supervisor,
			     struct kh_arena *arena, struct kh_error *err)
{
	const struct kh_reader *reader = kh_verifying_reader(engine, supervisor);
	struct kh_act_triaged said = {
		.declaration = act->look.row->id, .supervisor = supervisor, .verdict = KH_TRIAGE_PASS};
	enum kh_err e = KH_OK;

	if (reader != NULL) {
		said.reader = reader->name;
		e = ask(engine, reader, act, arena, &said.verdict, err);
	}
	return e == KH_OK ? kh_engine_own(engine, kh_act_decide_triaged, &said, arena, err) : e;
}
