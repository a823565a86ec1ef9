/* What a call has staged: a list, found by address. */
#include "engine/state/staged.h"

static enum kh_err stage(struct kh_prepare *at, void *work)
{
	struct kh_content *content = work;
	enum kh_err e = kh_content_stage(kh_engine_store(at->engine), content->bytes, content, at->err);

	if (e != KH_OK)
		return e;
	content->next = at->prepared->staged;
	at->prepared->staged = content;
	return KH_OK;
}

enum kh_err kh_staged_find(struct kh_op *op, struct kh_view bytes)
{
	if (!kh_content_is_large(bytes) || kh_content_of(op->prepared->staged, bytes) != NULL)
		return KH_OK;
	struct kh_content *content = KH_NEW(op->arena, struct kh_content);
	if (content == NULL)
		return KH_ENOMEM;
	content->bytes = bytes;
	return kh_beforehand_want(op, stage, KH_LIT("staged"), content);
}

void kh_staged_end(struct kh_engine *engine, struct kh_beforehand *prepared, bool kept)
{
	for (struct kh_content *content = prepared->staged, *next; content != NULL; content = next) {
		next = content->next;
		kh_content_end(kh_engine_store(engine), content, kept);
	}
	prepared->staged = NULL;
}
