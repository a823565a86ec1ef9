/* The upstream servers that were seen. */
#include "engine/upstream/list.h"

#include "engine/state/each.h"

/* Counts the tools of UPSTREAM by their states.  One that nobody approved and that is gone is none. */
static enum kh_err count_tools(struct kh_op *op, const struct kh_upstream_row *upstream, int64_t *counts)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TOOLS_OF_UPSTREAM, .number = upstream->id};
	static const struct kh_digest none = {{0}};
	struct kh_tool_row tool;

	while (kh_each_peek(&each, KH_TABLE_TOOLS, &tool)) {
		bool is_gone = memcmp(&tool.seen_hash, &none, sizeof(none)) == 0;
		counts[tool.state] += tool.state != KH_PIN_SEEN || !is_gone;
	}
	return each.e;
}

static enum kh_err add_upstream(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *list,
				const struct kh_upstream_row *row)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list), *tools;
	int64_t counts[KH_PIN_HELD + 1] = {0};
	enum kh_err e = count_tools(op, row, counts);

	kh_json_add(doc, obj, "name", row->name);
	yyjson_mut_obj_add_str(doc, obj, "state", kh_words_name(&kh_rows_pin_words, row->state));
	tools = yyjson_mut_obj_add_obj(doc, obj, "tools");
	for (unsigned i = 0; i <= KH_PIN_HELD; i++)
		yyjson_mut_obj_add_int(doc, tools, kh_words_name(&kh_rows_pin_words, i), counts[i]);
	kh_op_add_time(op, doc, obj, "seen_at", row->seen_at);
	kh_op_add_time(op, doc, obj, "approved_at", row->approved_at);
	return e;
}

enum kh_err kh_upstream_list_run(struct kh_op *op, void *call)
{
	struct kh_page *page = call;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	struct kh_each each = {.op = op, .index = KH_INDEX_UPSTREAMS, .e = kh_arena_check(op->arena)};
	struct kh_upstream_row row;

	while (kh_each_peek(&each, KH_TABLE_UPSTREAMS, &row))
		each.e = add_upstream(op, doc, list, &row);
	return each.e == KH_OK ? kh_op_page(op, list, false, page) : each.e;
}
