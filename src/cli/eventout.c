/* Writing events in pieces. */
#include "cli/eventout.h"

#define TOGETHER 32768 /* bytes that are written at once */

void kh_eventout_init(struct kh_eventout *out, struct kh_frame *f, kh_eventout_fn *write)
{
	*out = (struct kh_eventout){.f = f, .write = write};
	kh_arena_init(&out->arena, NULL, KH_FRAME_TEXT * 2);
	kh_buf_init(&out->buf, &out->arena, KH_FRAME_TEXT);
}

bool kh_eventout_flush(struct kh_eventout *out)
{
	struct kh_view text;

	if (out->lost || out->failed)
		return false;
	if (kh_buf_end(&out->buf, &text) != KH_OK) {
		out->failed = true;
		return false;
	}
	out->lost = text.n > 0 && !kh_frame_say(out->f, text);
	kh_arena_clear(&out->arena);
	kh_buf_init(&out->buf, &out->arena, KH_FRAME_TEXT);
	return !out->lost;
}

bool kh_eventout_step(struct kh_eventout *out)
{
	return out->buf.n < TOGETHER ? !out->lost && !out->failed : kh_eventout_flush(out);
}

int kh_eventout_end(struct kh_eventout *out, enum kh_err e)
{
	struct kh_frame *f = out->f;

	kh_arena_done(&out->arena);
	if (e == KH_OK && out->failed)
		e = KH_ENOMEM;
	if (e == KH_ENOMEM)
		kh_error_set(&f->err, e, "out_of_memory", "out of memory");
	if (e != KH_OK)
		return kh_frame_fail(f);
	return out->lost ? KH_FRAME_UNUSABLE : KH_FRAME_DONE;
}
