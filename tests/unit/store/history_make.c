/* A checkpoint in one transaction: the parts that a gateway runs in different threads, one after the other. */
#include "history.h"

enum kh_err kh_history_make(struct kh_txn *txn, const struct kh_checkpoint_key *key, int64_t now,
			    const struct kh_checkpoint_witness *witness, struct kh_arena *arena,
			    struct kh_view *ret_line)
{
	struct kh_checkpoint_made made = {.n = 0};
	struct kh_checkpoint last, next = {.at = now, .witnesses = witness, .witness_count = witness != NULL};
	struct kh_chains chains;

	kh_chains_init(&chains, arena->alloc);
	enum kh_err e = kh_checkpoint_last(txn, arena, &last, &next.prev);
	if (e == KH_OK)
		e = kh_checkpoint_heads(txn, last.last, &chains, &next.last);
	if (e == KH_OK && chains.n > 0) {
		kh_chains_sort(&chains);
		next.n = last.n + 1;
		next.heads = chains.at;
		next.count = chains.n;
		e = kh_checkpoint_sign(&next, key, arena, &made);
		if (e == KH_OK)
			e = kh_checkpoint_add(txn, key, &made, arena);
	}
	kh_chains_done(&chains);
	if (e == KH_OK)
		*ret_line = made.n > 0 ? made.line : KH_LIT("");
	return e;
}
