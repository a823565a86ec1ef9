/*
 * Allocation that can be hooked.  There is no global allocator: code that needs memory is given a struct kh_alloc,
 * mostly through an arena.  Tests can therefore make each allocation fail in turn.
 */
#ifndef KH_BASE_ALLOC_H
#define KH_BASE_ALLOC_H

#include <keyhole/keyhole.h>

/* malloc, realloc and free. */
extern const struct kh_alloc kh_alloc_system;

/* N zeroed bytes, or NULL.  N must not be 0. */
void *kh_alloc_zero(const struct kh_alloc *alloc, size_t n);

/* COUNT * SIZE zeroed bytes, or NULL, also on overflow. */
void *kh_alloc_array(const struct kh_alloc *alloc, size_t count, size_t size);

/* Frees P, which has N bytes; NULL is fine. */
void kh_alloc_free(const struct kh_alloc *alloc, void *p, size_t n);

#endif
