/* Iterates over indexes. */
#include "engine/state/each.h"

#define BATCH 128

bool kh_each_next(struct kh_each *each)
{
	bool more = !each->begun || each->count == BATCH; /* a batch that is not full was the last */
	struct kh_view text = each->text.p != NULL ? each->text : KH_LIT("");

	if (each->e == KH_OK && each->at == each->count && more) {
		each->begun = true;
		each->at = each->count = 0;
		each->e = kh_txn_find(each->op->txn, each->index, each->number, text, each->id, BATCH, &each->ids,
				      &each->count);
	}
	if (each->e != KH_OK || each->at == each->count)
		return false;
	each->id = each->ids[each->at++];
	return true;
}

bool kh_each_peek_row(struct kh_each *each, enum kh_table table, void *ret_row)
{
	if (!kh_each_next(each))
		return false;
	each->e = kh_txn_peek(each->op->txn, table, each->id, ret_row);
	return each->e == KH_OK;
}

bool kh_each_load_row(struct kh_each *each, enum kh_table table, void **ret_row)
{
	if (!kh_each_next(each))
		return false;
	each->e = kh_txn_load(each->op->txn, table, each->id, ret_row);
	return each->e == KH_OK;
}
