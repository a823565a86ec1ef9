/* An upstream server's site for tests of what is read from it: without libcurl, without a network. */
#ifndef KH_TESTS_SITE_H
#define KH_TESTS_SITE_H

#include "worker/http/answer.h"

#define SITE_MESSAGE 4096
#define SITE_SECRET  "Bearer tok-123456"

static inline bool site_begin(struct kh_http_site *site)
{
	*site = (struct kh_http_site){.message = SITE_MESSAGE};
	kh_arena_init(&site->arena, &kh_alloc_system, 1U << 16);
	kh_arena_init(&site->work, &kh_alloc_system, 1U << 20);
	kh_worker_rate_init(&site->messages, 100000);
	kh_worker_rate_init(&site->bytes, 100000);
	return kh_mask_add(&site->mask, &site->arena, KH_LIT(SITE_SECRET));
}

static inline void site_end(struct kh_http_site *site)
{
	kh_arena_done(&site->work);
	kh_arena_done(&site->arena);
}

/*
 * Has ANSWER take RESPONSE as libcurl would hand it on: the header lines one by one, the body in pieces of at most PIECE
 * bytes.  At an empty line the next block begins, if the response before was an interim one.
 */
static inline void site_push(struct kh_http_answer *answer, struct kh_view response, size_t piece)
{
	bool goes_on = true;

	while (goes_on && response.n > 0 && !answer->head.is_over) {
		size_t end = kh_view_find(response, KH_LIT("\n"), 0);
		size_t n = end == SIZE_MAX ? response.n : end + 1;
		goes_on = kh_http_answer_header(answer, kh_view_sub(response, 0, n));
		response = kh_view_from(response, n);
	}
	for (; goes_on && response.n > 0; response = kh_view_from(response, piece))
		goes_on = kh_http_answer_body(answer, kh_view_sub(response, 0, piece));
	if (goes_on)
		kh_http_answer_end(answer);
}

/* The next packet that waits in OUTLET, from *AT on. */
static inline bool site_packet(const struct kh_outlet *outlet, size_t *at, struct kh_view *ret_packet)
{
	size_t n;

	if (*at >= outlet->held.n)
		return false;
	memcpy(&n, outlet->held.p + *at, sizeof(n));
	*ret_packet = kh_view_of(outlet->held.p + *at + sizeof(n), n);
	*at += sizeof(n) + n;
	return true;
}

#endif
