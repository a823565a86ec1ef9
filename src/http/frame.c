/* The frame: reference-counted memory. */
#include "http/frame.h"

#include "base/alloc.h"

struct kh_http_frame *kh_http_frame_new(const struct kh_alloc *alloc)
{
	struct kh_http_frame *frame = kh_alloc_zero(alloc, sizeof(*frame));

	if (frame != NULL) {
		frame->alloc = alloc;
		atomic_store(&frame->refs, 1);
	}
	return frame;
}

void kh_http_frame_hold(struct kh_http_frame *frame)
{
	atomic_fetch_add(&frame->refs, 1);
}

void kh_http_frame_drop(struct kh_http_frame *frame)
{
	if (frame != NULL && atomic_fetch_sub(&frame->refs, 1) == 1)
		kh_alloc_free(frame->alloc, frame, sizeof(*frame));
}
