/*
 * Models that verify calls.  What they are shown is hostile: the call and its reason may come from an injection, and
 * what matched is text from outside.  What they say is hostile as well: only one of three words is accepted.
 */
#include "engine/comm/verifying.h"

#include "core/bcp/answer.h"
#include "core/bcp/message.h"
#include "core/block/prompt.h"
#include "core/comm/attribution.h"

#define QUESTION                                                                           \
	"{\"category\":1,\"fields\":[{\"name\":\"verdict\",\"type\":\"enum\",\"values\":[" \
	"\"allow\",\"deny\",\"unsure\"]}]}"
#define BLOCKS 3

/* In the order of the question's values. */
static const enum kh_triage verdicts[] = {KH_TRIAGE_ALLOW, KH_TRIAGE_DENY, KH_TRIAGE_PASS};

/* --- what the model is shown -------------------------------------------------------------------------------------- */

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

/* Makes CONTENT a block with an attribution, because fences are made only from such blocks. */
static enum kh_err make_block(struct kh_arena *arena, const struct kh_comm_call *call, int64_t now, const char *name,
			      struct kh_view content, struct kh_reader_block *ret_block, struct kh_error *err)
{
	struct kh_attribution attribution = {
		.operation = call->look.row->operation,
		.session_id = call->look.task,
		.source = kh_arena_printf(arena, "%s of %.*s", name, KH_FMT(call->look.id)),
		.timestamp = now,
	};
	struct kh_view json;
	enum kh_err e = kh_attribution_make(arena, &attribution, content, err);

	if (e == KH_OK)
		e = kh_attribution_canonical(arena, &attribution, &json);
	if (e == KH_OK)
		*ret_block = (struct kh_reader_block){
			.id = kh_view_str(name), .attribution = json, .content = kh_tainted_wrap(content)};
	return e;
}

static enum kh_err make_blocks(const struct kh_comm_call *call, int64_t now, struct kh_reader_block blocks[BLOCKS],
			       struct kh_arena *arena, struct kh_error *err)
{
	struct kh_view purpose = call->purpose.n > 0 ? call->purpose : KH_LIT("{}"), declared, findings;
	enum kh_err e = write_call(arena, call->look.row, &declared);

	if (e == KH_OK)
		e = write_findings(arena, call->weighed, &findings);
	if (e == KH_OK)
		e = make_block(arena, call, now, "call", declared, &blocks[0], err);
	if (e == KH_OK)
		e = make_block(arena, call, now, "purpose", purpose, &blocks[1], err);
	return e == KH_OK ? make_block(arena, call, now, "findings", findings, &blocks[2], err) : e;
}

static enum kh_err read_question(struct kh_arena *arena, struct kh_query *ret_query, struct kh_error *err)
{
	struct kh_reasons errors;
	yyjson_val *root;
	enum kh_err e = kh_json_read(arena, KH_LIT(QUESTION), &root, err);

	kh_reasons_init(&errors, arena);
	return e == KH_OK ? kh_query_read(arena, root, KH_QUERY_CHECK, ret_query, &errors) : e;
}

enum kh_err kh_verifying_prepare(const struct kh_engine *engine, const struct kh_comm_call *call,
				 struct kh_arena *arena, struct kh_reader_ask *ret_ask, struct kh_error *err)
{
	struct kh_reader_block *blocks = KH_NEW_N(arena, struct kh_reader_block, BLOCKS);
	struct kh_query *query = KH_NEW(arena, struct kh_query);

	if (blocks == NULL || query == NULL)
		return KH_ENOMEM;
	*ret_ask = (struct kh_reader_ask){
		.id = call->look.id,
		.from = KH_LIT("keyhole"),
		.task = call->look.task,
		.query = query,
		.blocks = blocks,
		.block_count = BLOCKS,
		.prompt = kh_prompt_find(KH_LIT("verifier"))->text,
		.now = kh_engine_now(engine),
	};
	kh_engine_random(engine, ret_ask->nonce, sizeof(ret_ask->nonce));
	enum kh_err e = read_question(arena, query, err);
	return e == KH_OK ? make_blocks(call, ret_ask->now, blocks, arena, err) : e;
}

/* --- what the model says ------------------------------------------------------------------------------------------ */

enum kh_err kh_verifying_judge(struct kh_arena *arena, const struct kh_reader_ask *asked, struct kh_tainted response,
			       enum kh_triage *ret_verdict)
{
	struct kh_answer answer;
	enum kh_err e = kh_message_judge(NULL, arena, asked->query, asked->id, response, (struct kh_recent){0},
					 &answer);

	if (e == KH_OK)
		*ret_verdict = answer.verdict == KH_VERDICT_DELIVER ? verdicts[answer.values[0].number]
								    : KH_TRIAGE_PASS;
	return e;
}
