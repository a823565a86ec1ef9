/* Work that was done for a call: a list, because there is little of it. */
#include "engine/state/beforehand.h"

#include "engine/state/inforce.h"

struct kh_beforehand_item {
	struct kh_beforehand_item *next;
	kh_prepare_fn *fn;
	struct kh_view key;
	void *work;
};

static struct kh_beforehand_item *new_item(struct kh_arena *arena, kh_prepare_fn *fn, struct kh_view key, void *work)
{
	struct kh_beforehand_item *item = KH_NEW(arena, struct kh_beforehand_item);

	if (item != NULL)
		*item = (struct kh_beforehand_item){.fn = fn, .key = key, .work = work};
	return item;
}

void *kh_beforehand_find(const struct kh_op *op, kh_prepare_fn *fn, struct kh_view key)
{
	for (const struct kh_beforehand_item *item = op->prepared->done; item != NULL; item = item->next) {
		if (item->fn == fn && kh_view_eq(item->key, key))
			return item->work;
	}
	return NULL;
}

enum kh_err kh_beforehand_want(struct kh_op *op, kh_prepare_fn *fn, struct kh_view key, void *work)
{
	enum kh_err e = kh_arena_check(op->arena);

	if (e == KH_OK)
		op->prepared->wanted = new_item(op->arena, fn, key, work);
	if (e != KH_OK || op->prepared->wanted == NULL)
		return KH_ENOMEM;
	kh_txn_again(op->txn);
	return kh_error_set(op->err, KH_ECHANGED, "busy", "it is not prepared yet");
}

static enum kh_err do_item(struct kh_prepare *at, struct kh_beforehand_item *item)
{
	enum kh_err e = item->fn(at, item->work);

	if (e == KH_OK)
		e = kh_arena_check(at->arena);
	if (e != KH_OK)
		return e;
	item->next = at->prepared->done;
	at->prepared->done = item;
	return KH_OK;
}

enum kh_err kh_beforehand_do(struct kh_prepare *at, kh_prepare_fn *fn, struct kh_view key, void *work)
{
	struct kh_beforehand_item *item = new_item(at->arena, fn, key, work);

	return item != NULL ? do_item(at, item) : KH_ENOMEM;
}

enum kh_err kh_beforehand_work(struct kh_prepare *at)
{
	struct kh_beforehand_item *item = at->prepared->wanted;

	at->prepared->wanted = NULL;
	return do_item(at, item);
}

struct kh_screen *kh_beforehand_screen(struct kh_prepare *at)
{
	if (at->taken == NULL)
		at->taken = kh_engine_screen_take(at->engine);
	if (at->taken == NULL)
		return NULL;
	if (at->prepared->ruling != NULL && at->prepared->ruling != at->taken->ruling)
		at->prepared->done = NULL; /* made by rules that are no longer in force */
	at->prepared->ruling = at->taken->ruling;
	return kh_engine_screen_of(at->taken);
}

void kh_beforehand_leave(struct kh_prepare *at)
{
	kh_engine_screen_give(at->engine, at->taken);
	at->taken = NULL;
}
