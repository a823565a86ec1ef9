/* Allocation that can be hooked, and the plain allocator behind it. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *system_resize(void *ctx, void *p, size_t old, size_t n)
{
	(void)ctx;
	(void)old;
	if (n == 0) {
		free(p);
		return NULL;
	}
	return realloc(p, n);
}

const struct kh_alloc kh_alloc_system = {.resize = system_resize, .ctx = NULL};

void *kh_alloc_zero(const struct kh_alloc *alloc, size_t n)
{
	void *p = alloc->resize(alloc->ctx, NULL, 0, n);

	if (p != NULL)
		memset(p, 0, n);
	return p;
}

void *kh_alloc_array(const struct kh_alloc *alloc, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n) || n == 0)
		return NULL;
	return kh_alloc_zero(alloc, n);
}

void kh_alloc_free(const struct kh_alloc *alloc, void *p, size_t n)
{
	if (p != NULL)
		alloc->resize(alloc->ctx, p, n, 0);
}
