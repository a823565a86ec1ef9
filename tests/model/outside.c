/* The calls. */
#include "outside.h"

#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/end.h"
#include "engine/comm/look.h"
#include "engine/deciding.h"
#include "engine/task/transition.h"

#include <stdio.h>

static yyjson_val *parse(struct world *w, const char *json)
{
	yyjson_val *value = NULL;

	if (kh_json_read(&w->call, kh_view_str(json), &value, &w->err) != KH_OK)
		world_give_up("not JSON: %s", json);
	return value;
}

const char *outside_execute(struct world *w, const char *by, const char *task, const char *plan,
			    struct text *ret_approval)
{
	struct kh_execute call = {.task = kh_view_str(task)};
	const char *code;

	kh_arena_clear(&w->call);
	call.plan = parse(w, plan);
	code = world_run(w, by, kh_transition_run, &call);
	world_hear_code(w, "execute", code);
	if (code == NULL)
		*ret_approval = world_copy(call.approval);
	return code;
}

const char *outside_declare(struct world *w, const char *by, const char *task, const char *json,
			    struct outside_declared *ret)
{
	struct kh_declare call = {.task = kh_view_str(task)};
	const char *code;

	kh_arena_clear(&w->call);
	*ret = (struct outside_declared){.n = 0};
	call.declaration = parse(w, json);
	code = world_run(w, by, kh_declare_run, &call);
	world_hear_code(w, "declare", code);
	if (code != NULL)
		return code;
	for (size_t i = 0; i < call.count && i < OUTSIDE_ITEMS; i++) {
		const struct kh_declare_item *item = &call.items[i];

		ret->at[ret->n].id = world_copy(item->id);
		ret->at[ret->n].approval = world_copy(item->approval);
		ret->at[ret->n].ruling = item->ruling;
		ret->at[ret->n].gate = item->gate;
		ret->at[ret->n++].code = item->code;
		world_hear(w, " item", item->id);
		world_hear(w, " why", item->why);
		world_hear(w, " approval", item->approval);
	}
	return NULL;
}

static void take(struct world *w, const struct kh_comm_look *look, struct outside_act *ret)
{
	ret->ended = look->ended;
	ret->id = world_copy(look->id);
	ret->approval = world_copy(look->approval);
	ret->block = world_copy(look->block);
	ret->fenced = look->fenced;
	ret->modified = look->modified;
	ret->row = look->id.n > 0 ? world_row(w, KH_ID_DECLARATION, ret->id.at) : 0;
	world_hear(w, " ended", kh_view_str(kh_words_name(&kh_rows_ended_words, look->ended)));
	world_hear(w, " id", look->id);
	world_hear(w, " operation", look->operation);
	world_hear(w, " parameters", look->parameters);
	world_hear(w, " approval", look->approval);
	world_hear(w, " block", look->block);
	world_hear(w, " fenced", look->fenced);
}

const char *outside_call(struct world *w, const char *by, const char *task, const char *declaration, const char *json,
			 bool fenced, struct outside_act *ret)
{
	struct kh_comm_call act = {.task = kh_view_str(task), .fenced = fenced};
	enum kh_err e;

	kh_arena_clear(&w->call);
	act.declaration = kh_arena_dup(&w->call, kh_view_str(declaration)); /* it may stand in *RET */
	if (act.declaration.n == 0)
		act.declare = parse(w, json);
	w->err = (struct kh_error){.err = KH_OK};
	e = kh_deciding_run(w->engine, kh_token_read(w->engine, kh_view_str(by)), &act, &w->call, &w->err);
	if (e == KH_ESTORE || e == KH_ENOMEM)
		world_give_up("the store: %s: %s", w->err.code, w->err.detail);
	*ret = (struct outside_act){.next = KH_CALL_ENDED};
	if (e != KH_OK) {
		const char *code = w->err.code != NULL ? w->err.code : "no code";

		world_hear_code(w, "call", code);
		return code;
	}
	world_hear_code(w, "call", NULL);
	take(w, &act.look, ret);
	ret->next = act.next;
	return NULL;
}

const char *outside_do(struct world *w, const char *by, const char *task, const char *operation, const char *parameters,
		       struct outside_act *ret)
{
	char json[4096];

	snprintf(json, sizeof(json),
		 "{\"operation\":\"%s\",\"parameters\":%s," OUTSIDE_WHY
		 ",\"phase\":\"execution\",\"session_id\":\"%s\"}",
		 operation, parameters, task);
	return outside_call(w, by, task, "", json, false, ret);
}

const char *outside_look(struct world *w, const char *by, const char *declaration, struct outside_act *ret)
{
	struct kh_comm_looking call = {.declaration = {NULL, 0}};
	const char *code;

	kh_arena_clear(&w->call);
	call.declaration = kh_arena_dup(&w->call, kh_view_str(declaration)); /* it may stand in *RET */
	*ret = (struct outside_act){.next = KH_CALL_ENDED};
	code = world_run(w, by, kh_comm_look_run, &call);
	world_hear_code(w, "look", code);
	if (code == NULL)
		take(w, &call.look, ret);
	return code;
}

const char *outside_end(struct world *w, int64_t row, enum kh_errand_end end, const char *content, const char *details)
{
	struct kh_comm_end call = {.declaration = row,
				   .result = {.end = end,
					      .content = kh_tainted_wrap(kh_view_str(content)),
					      .details = kh_tainted_wrap(kh_view_str(details)),
					      .source = KH_LIT("https://example.com/prices"),
					      .why = end == KH_ERRAND_OK ? KH_LIT("") : KH_LIT("it did not work")}};

	kh_arena_clear(&w->call);
	return world_run(w, NULL, kh_comm_end_run, &call);
}

const char *outside_decide(struct world *w, const char *by, const char *approval, enum kh_choice choice,
			   const char *edit, const char *host, int64_t uses, int64_t until)
{
	struct kh_approval_decide call = {.approval = kh_view_str(approval),
					  .choice = choice,
					  .edited = kh_tainted_wrap(kh_view_str(edit)),
					  .host = kh_view_str(host),
					  .uses = uses,
					  .until = until,
					  .from = KH_LIT("test")};
	struct text digest;
	int64_t pages = 1;

	for (int64_t page = 1; page <= pages; page++) {
		const char *code = world_show(w, by, approval, page, &digest, &pages);

		if (code != NULL)
			return code;
	}
	kh_arena_clear(&w->call);
	call.shown = kh_view_str(digest.at);
	return world_run(w, by, kh_approval_decide_run, &call);
}
