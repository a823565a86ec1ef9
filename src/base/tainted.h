/*
 * Taint is a type.  Bytes that a Reader or the outside world sent are a struct kh_tainted.  That becomes a struct kh_view
 * only through kh_tainted_open(), and the source checker (tools/check-source) lists the files that may call that: the
 * validators.
 */
#ifndef KH_BASE_TAINTED_H
#define KH_BASE_TAINTED_H

#include "base/view.h"

#include <stdint.h>

struct kh_tainted {
	struct kh_view sealed; /* used in this file only */
};

static inline struct kh_tainted kh_tainted_wrap(struct kh_view v)
{
	return (struct kh_tainted){v};
}

static inline struct kh_view kh_tainted_open(struct kh_tainted t)
{
	return t.sealed;
}

/* Its size in bytes, which reveals nothing about the content. */
static inline size_t kh_tainted_size(struct kh_tainted t)
{
	return t.sealed.n;
}

/* Its first N bytes, or all of it. */
static inline struct kh_tainted kh_tainted_first(struct kh_tainted t, size_t n)
{
	return n < t.sealed.n ? (struct kh_tainted){{t.sealed.p, n}} : t;
}

/* Where it is: the same bytes are known again by it without being read. */
static inline uintptr_t kh_tainted_address(struct kh_tainted t)
{
	return (uintptr_t)t.sealed.p;
}

#endif
