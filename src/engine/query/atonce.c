/*
 * Carries asks out inside the operation that made them.  Nothing is decided here: respond.c takes the response like any
 * other.
 */
#include "engine/query/atonce.h"

#include "engine/query/respond.h"
#include "engine/state/find.h"

/* Whether the answer takes so little time that nobody has to wait for it. */
static bool is_quick(const struct kh_reader *reader, const struct kh_ask *ask)
{
	size_t left = KH_ATONCE_CONTENT;

	if (reader == NULL || !reader->driver->pure || !reader->driver->quick || ask->query->body.n > KH_ATONCE_QUERY)
		return false;
	for (size_t i = 0; i < ask->ask.block_count; i++) {
		size_t size = kh_tainted_size(ask->ask.blocks[i].content);
		if (size > left)
			return false;
		left -= size;
	}
	return true;
}

enum kh_err kh_atonce_ask(struct kh_op *op, struct kh_ask *ask)
{
	const struct kh_reader *reader = ask->found ? kh_engine_reader(op->engine, ask->query->reader) : NULL;
	struct kh_op own = *op; /* Keyhole itself takes the response, not the Controller that asked */
	enum kh_err e = KH_OK;

	own.caller = NULL;
	while (e == KH_OK && ask->found && is_quick(reader, ask)) {
		struct kh_respond respond = {.effect = ask->effect, .asked = ask->ask.query};
		e = reader->driver->ask(reader, op->arena, &ask->ask, &respond.response, &respond.fault,
					&respond.detail);
		if (e == KH_OK)
			e = kh_respond_run(&own, &respond);
		*ask = respond.next;
	}
	return e;
}
