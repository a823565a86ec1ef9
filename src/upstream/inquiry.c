/* Elicitations of one call.  What the server sent is passed on unread; what a human entered goes back as it was recorded. */
#include "upstream/inquiry.h"

#include "base/clock.h"

#define MEMORY    (16U << 20) /* bytes for one question */
#define LEAST_MS  1000        /* with less time left nobody is asked */
#define SPARED_MS 5000        /* of the call's time, the most that is kept for the server */

bool kh_inquiry_begin(struct kh_inquiry *inquiry, struct kh_tainted params)
{
	int64_t left = inquiry->until_ms - kh_clock_ms();
	struct kh_arena arena;
	struct kh_error err;

	left -= left / 5 < SPARED_MS ? left / 5 : SPARED_MS;
	if (inquiry->open != 0 || inquiry->asked == KH_INQUIRY_MOST || left < LEAST_MS)
		return false;
	inquiry->asked++;
	kh_arena_init(&arena, inquiry->alloc, MEMORY);
	enum kh_err e = inquiry->human->ask(inquiry->human->context, inquiry->errand, params, left, &arena,
					    &inquiry->open, &err);
	kh_arena_done(&arena);
	if (e != KH_OK)
		inquiry->open = 0;
	return e == KH_OK;
}

bool kh_inquiry_is_open(const struct kh_inquiry *inquiry)
{
	return inquiry->open != 0;
}

bool kh_inquiry_look(struct kh_inquiry *inquiry, struct kh_arena *arena, struct kh_view *ret_result)
{
	enum kh_elicited end = KH_ELICITED_CANCEL;
	struct kh_view values = {NULL, 0};
	int64_t now = kh_clock_ms();
	struct kh_error err;

	if (inquiry->open == 0 || now - inquiry->looked_ms < KH_INQUIRY_LOOK_MS)
		return false;
	inquiry->looked_ms = now;
	if (inquiry->human->take(inquiry->human->context, inquiry->open, false, arena, &end, &values, &err) != KH_OK)
		end = KH_ELICITED_CANCEL;
	if (end == KH_ELICITED_WAITS)
		return false;
	inquiry->open = 0;
	*ret_result = end == KH_ELICITED_ACCEPT
			      ? kh_arena_printf(arena, "{\"action\":\"accept\",\"content\":%.*s}", KH_FMT(values))
			      : kh_arena_printf(arena, "{\"action\":\"%s\"}",
						kh_words_name(&kh_elicitation_words, end));
	return true;
}

void kh_inquiry_end(struct kh_inquiry *inquiry)
{
	enum kh_elicited end;
	struct kh_view values;
	struct kh_arena arena;
	struct kh_error err;

	if (inquiry->open == 0)
		return;
	kh_arena_init(&arena, inquiry->alloc, MEMORY);
	(void)!inquiry->human->take(inquiry->human->context, inquiry->open, true, &arena, &end, &values, &err);
	kh_arena_done(&arena);
	inquiry->open = 0;
}
