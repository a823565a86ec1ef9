/* The declarations of a task. */
#include "engine/comm/list.h"

#include "engine/comm/look.h"
#include "engine/comm/show.h"
#include "engine/state/find.h"

static enum kh_err find_after(struct kh_op *op, struct kh_view id, int64_t *ret_after)
{
	*ret_after = 0;
	if (id.n == 0 || kh_op_number(op, KH_ID_DECLARATION, id, ret_after))
		return KH_OK;
	return kh_find_none(op, id, "unknown_declaration", KH_EUNKNOWN);
}

enum kh_err kh_comm_list_run(struct kh_op *op, void *call)
{
	struct kh_page *list = call;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_arr(doc);
	size_t most = list->limit > 0 && list->limit < KH_COMM_LIST ? list->limit : KH_COMM_LIST, count = 0;
	int64_t *ids = NULL, after = 0;
	struct kh_task_row *task = NULL;
	enum kh_err e = kh_find_task(op, list->task, &task);

	if (e == KH_OK)
		e = find_after(op, list->after, &after);
	if (e == KH_OK)
		e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_OF_TASK, task->id, KH_LIT(""), after, most + 1, &ids,
				&count);
	for (size_t i = 0; e == KH_OK && i < count && i < most; i++) {
		struct kh_declaration_row row;
		e = kh_txn_peek(op->txn, KH_TABLE_DECLARATIONS, ids[i], &row);
		if (e == KH_OK)
			yyjson_mut_arr_append(root, kh_comm_show_brief(op, doc, &row));
	}
	return e == KH_OK ? kh_op_page(op, root, count > most, list) : e;
}
