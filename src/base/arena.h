/*
 * One arena for each request: everything that a request allocates is freed with it, at once.
 *
 * An allocation that fails (the allocator says no, or the limit would be passed) returns NULL and leaves a mark on the
 * arena.  Code that builds something out of many small pieces may go on and call kh_arena_check() once at its end; it
 * must not hand out a result if the mark is set.
 */
#ifndef KH_BASE_ARENA_H
#define KH_BASE_ARENA_H

#include "base/alloc.h"
#include "base/view.h"

#include <stdarg.h>

struct kh_arena_chunk;

struct kh_arena {
	const struct kh_alloc *alloc;
	struct kh_arena_chunk *chunks; /* newest first */
	size_t limit;                  /* bytes that all chunks together may have */
	size_t size;                   /* bytes that they have now */
	bool failed;
};

/* An empty arena; allocates nothing yet. */
void kh_arena_init(struct kh_arena *arena, const struct kh_alloc *alloc, size_t limit);

/* Frees everything.  The arena can be used again after another init. */
void kh_arena_done(struct kh_arena *arena);

/* Forgets everything but keeps the newest chunk, for the next request.  Removes the mark. */
void kh_arena_clear(struct kh_arena *arena);

/* N zeroed bytes, aligned for anything; NULL on failure.  N == 0 gives a valid pointer. */
void *kh_arena_alloc(struct kh_arena *arena, size_t n);

/* N bytes of any value, for a library that asks for more than it needs: what is not written to takes no memory. */
void *kh_arena_bare(struct kh_arena *arena, size_t n);

/* COUNT * SIZE zeroed bytes; NULL on failure and on overflow. */
void *kh_arena_array(struct kh_arena *arena, size_t count, size_t size);

/* Makes the N bytes at P at least WANT bytes, in place if P was the last allocation; the new bytes are zero. */
void *kh_arena_grow(struct kh_arena *arena, void *p, size_t n, size_t want);

/*
 * AT, a list of N items of SIZE bytes with room for *CAP, with room for one more: as it is, or twice as large, maybe
 * elsewhere.  NULL on failure.
 */
void *kh_arena_double(struct kh_arena *arena, void *at, size_t n, size_t *cap, size_t size);
static inline void *kh_arena_more(struct kh_arena *arena, void *at, size_t n, size_t *cap, size_t size)
{
	return n < *cap ? at : kh_arena_double(arena, at, n, cap, size);
}

/* A copy of V in the arena; {NULL, 0} on failure. */
struct kh_view kh_arena_dup(struct kh_arena *arena, struct kh_view v);

/* Formatted text in the arena; {NULL, 0} on failure.  The text must be safe to show: see kh_arena_quote(). */
struct kh_view kh_arena_printf(struct kh_arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct kh_view kh_arena_vprintf(struct kh_arena *arena, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/*
 * Input text made safe for a message: at most 64 bytes of it, in double quotes, with control characters, quotes,
 * backslashes, invisible characters and broken UTF-8 as escapes.  Input gets into a detail in no other way.
 */
struct kh_view kh_arena_quote(struct kh_arena *arena, struct kh_view v);

/* The same with a result of at most MOST bytes (8 at least), for longer texts such as a program's error message. */
struct kh_view kh_arena_quote_most(struct kh_arena *arena, struct kh_view v, size_t most);

/* KH_ENOMEM if any allocation has failed since init or clear, else KH_OK. */
enum kh_err kh_arena_check(const struct kh_arena *arena) KH_CHECKED;

#define KH_NEW(arena, type)          ((type *)kh_arena_alloc((arena), sizeof(type)))
#define KH_NEW_N(arena, type, count) ((type *)kh_arena_array((arena), (count), sizeof(type)))

#endif
