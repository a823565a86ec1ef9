/* Bytes that are collected, in memory that grows up to a bound. */
#ifndef KH_WORKER_HTTP_BYTES_H
#define KH_WORKER_HTTP_BYTES_H

#include "base/alloc.h"
#include "base/error.h"

struct kh_bytes {
	char *p;
	size_t n, cap;
};

/* Adds MORE.  KH_ELIMIT if there would be more than MOST, KH_ENOMEM. */
enum kh_err kh_bytes_add(struct kh_bytes *bytes, const struct kh_alloc *alloc, size_t most,
			 struct kh_view more) KH_CHECKED;

static inline struct kh_view kh_bytes_view(const struct kh_bytes *bytes)
{
	return kh_view_of(bytes->p, bytes->n);
}

void kh_bytes_free(struct kh_bytes *bytes, const struct kh_alloc *alloc);

#endif
