/* Bytes that are collected.  See bytes.h. */
#include "worker/http/bytes.h"

#define FIRST_ROOM 4096

enum kh_err kh_bytes_add(struct kh_bytes *bytes, const struct kh_alloc *alloc, size_t most, struct kh_view more)
{
	size_t want = bytes->cap > 0 ? bytes->cap : FIRST_ROOM;

	if (bytes->n > most || more.n > most - bytes->n)
		return KH_ELIMIT;
	while (want < bytes->n + more.n)
		want *= 2;
	if (want > bytes->cap) {
		char *p = alloc->resize(alloc->ctx, bytes->p, bytes->cap, want);
		if (p == NULL)
			return KH_ENOMEM;
		bytes->p = p;
		bytes->cap = want;
	}
	if (more.n > 0)
		memcpy(bytes->p + bytes->n, more.p, more.n);
	bytes->n += more.n;
	return KH_OK;
}

void kh_bytes_free(struct kh_bytes *bytes, const struct kh_alloc *alloc)
{
	kh_alloc_free(alloc, bytes->p, bytes->cap);
	*bytes = (struct kh_bytes){NULL, 0, 0};
}
