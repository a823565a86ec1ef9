/* A human's word on what an upstream server offers. */
#include "engine/upstream/approve.h"

#include "engine/upstream/alias.h"
#include "engine/upstream/fit.h"
#include "engine/upstream/hold.h"
#include "engine/upstream/pin.h"

struct approving {
	struct kh_op *op;
	const struct kh_upstream_approve *call;
	struct kh_upstream_row *row;
	struct kh_tool_row **tools;
	const struct kh_view *unfit; /* of each: why it cannot be approved; empty: it can */
	size_t count;
};

static bool is_offered(const struct kh_tool_row *tool)
{
	return tool->seen.n > 0;
}

static struct kh_tool_row *find(const struct approving *a, struct kh_view name)
{
	for (size_t i = 0; i < a->count; i++) {
		if (kh_view_eq(a->tools[i]->name, name) && (is_offered(a->tools[i]) || a->tools[i]->alias.n > 0))
			return a->tools[i];
	}
	return NULL;
}

static enum kh_err unknown_tool(const struct approving *a, const char *member, struct kh_view name)
{
	struct kh_view quoted = kh_arena_quote(a->op->arena, name);

	(void)kh_error_set(a->op->err, KH_EINPUT, "unknown_tool", "the server offers no tool %.*s", KH_FMT(quoted));
	return kh_error_member(a->op->err, kh_view_str(member), KH_EINPUT);
}

/* Every name that the call has must be one that was shown. */
static enum kh_err check_names(const struct approving *a)
{
	yyjson_obj_iter words;
	yyjson_arr_iter tools;
	yyjson_val *at;

	yyjson_arr_iter_init(a->call->tools, &tools);
	while (a->call->tools != NULL && (at = yyjson_arr_iter_next(&tools)) != NULL) {
		if (!yyjson_is_str(at) || find(a, kh_json_str(at)) == NULL)
			return unknown_tool(a, "tools", kh_json_str(at));
	}
	yyjson_obj_iter_init(a->call->words, &words);
	while (a->call->words != NULL && (at = yyjson_obj_iter_next(&words)) != NULL) {
		struct kh_view text = kh_json_str(yyjson_obj_iter_get_val(at));
		if (find(a, kh_json_str(at)) == NULL)
			return unknown_tool(a, "words", kh_json_str(at));
		if (text.n == 0 || text.n > KH_APPROVE_WORDS)
			return kh_error_input(a->op->err, KH_LIT("words"), "out_of_range",
					      "a description has 1 to 4096 bytes");
	}
	return KH_OK;
}

static bool is_chosen(const struct approving *a, const struct kh_tool_row *tool)
{
	yyjson_arr_iter tools;
	yyjson_val *at;

	if (a->call->tools == NULL)
		return true;
	yyjson_arr_iter_init(a->call->tools, &tools);
	while ((at = yyjson_arr_iter_next(&tools)) != NULL) {
		if (kh_view_eq(kh_json_str(at), tool->name))
			return true;
	}
	return false;
}

/* A name that no other tool of the server has. */
static struct kh_view choose_alias(const struct approving *a, const struct kh_tool_row *tool)
{
	struct kh_view alias = kh_alias_make(a->op->arena, a->row->name, tool->name, true);

	for (size_t i = 0; i < a->count; i++) {
		if (a->tools[i] != tool && kh_view_eq(a->tools[i]->alias, alias))
			return kh_alias_make(a->op->arena, a->row->name, tool->name, false);
	}
	return alias;
}

/* Pins a tool that was chosen, with the name and the words that it has for Controllers. */
static void pin(const struct approving *a, int64_t by, struct kh_tool_row *tool)
{
	yyjson_val *words = a->call->words == NULL ? NULL : yyjson_obj_getn(a->call->words, tool->name.p, tool->name.n);

	if (tool->alias.n == 0)
		tool->alias = choose_alias(a, tool);
	tool->words = words != NULL ? kh_json_str(words) : (struct kh_view){"", 0};
	kh_pin_tool(a->op, by, tool);
}

/* Calls that waited for a tool, or for the server, go on. */
static enum kh_err release(const struct approving *a)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < a->count; i++)
		e = kh_hold_end(a->op, a->row, a->tools[i]);
	return e == KH_OK ? kh_hold_end(a->op, a->row, NULL) : e;
}

/* The approval must be of what there is now; then whether it can be approved is found out. */
static enum kh_err check_digest(struct approving *a)
{
	struct kh_digest digest = kh_upstream_review_digest(a->row, a->tools, a->count);
	struct kh_view hex = kh_canonical_hex(a->op->arena, &digest);

	if (hex.p == NULL)
		return KH_ENOMEM;
	if (kh_view_eq(hex, a->call->digest))
		return kh_fit_find(a->op, &digest, a->tools, a->count, &a->unfit);
	return kh_error_set(a->op->err, KH_ECHANGED, "review_changed",
			    "this is not what the server offers now: review it again");
}

/* Whoever chose a tool by its name is told that it cannot be approved. */
static enum kh_err check_fit(const struct approving *a)
{
	for (size_t i = 0; a->call->tools != NULL && i < a->count; i++) {
		if (a->unfit[i].n == 0 || !is_chosen(a, a->tools[i]))
			continue;
		struct kh_view name = kh_arena_quote(a->op->arena, a->tools[i]->name);
		(void)kh_error_set(a->op->err, KH_EINPUT, "tool_unfit", "the tool %.*s cannot be approved: %.*s",
				   KH_FMT(name), KH_FMT(a->unfit[i]));
		return kh_error_member(a->op->err, KH_LIT("tools"), KH_EINPUT);
	}
	return KH_OK;
}

static void pin_chosen(const struct approving *a, int64_t by, struct kh_upstream_approve *approve)
{
	for (size_t i = 0; i < a->count; i++) {
		struct kh_tool_row *tool = a->tools[i];
		if ((!is_offered(tool) && tool->alias.n == 0) || !is_chosen(a, tool))
			continue;
		if (a->unfit[i].n > 0) {
			approve->unfit++;
			continue;
		}
		pin(a, by, tool);
		approve->approved += is_offered(tool);
	}
}

enum kh_err kh_upstream_approve_run(struct kh_op *op, void *call)
{
	struct kh_upstream_approve *approve = call;
	struct approving a = {.op = op, .call = approve};
	struct kh_emit what;

	approve->approved = approve->unfit = 0;
	enum kh_err e = kh_upstream_seen_find(op, approve->name, &a.row);
	if (e == KH_OK && a.row == NULL)
		return kh_error_set(op->err, KH_EUNKNOWN, "unknown_upstream",
				    "no upstream server of this name was seen yet");
	if (e == KH_OK)
		e = kh_upstream_seen_tools(op, a.row, &a.tools, &a.count);
	if (e == KH_OK)
		e = check_digest(&a);
	if (e == KH_OK)
		e = check_names(&a);
	if (e == KH_OK)
		e = check_fit(&a);
	if (e != KH_OK)
		return e;
	int64_t by = op->caller != NULL ? op->caller->id : 0;
	kh_pin_server(op, by, a.row);
	pin_chosen(&a, by, approve);
	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "tools", (int64_t)approve->approved);
	kh_emit_add(&what, "upstream", approve->name);
	e = kh_op_event(op, KH_AUDIT_UPSTREAM_APPROVED, NULL, kh_op_described(op, &what));
	return e == KH_OK ? release(&a) : e;
}
