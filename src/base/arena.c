/*
 * An arena is a list of chunks, each twice as large as the one before.  Memory from it is zeroed, aligned and within
 * its limit.
 */
#include "base/arena.h"

#include "base/utf8.h"

#include <stdalign.h>
#include <stdio.h>

#define FIRST_CHUNK 4096
#define FIRST_ITEMS 16
#define ALIGNMENT   alignof(max_align_t)
#define QUOTE_MAX   64
#define QUOTED_CHAR 12 /* bytes of the longest escape, \u{10ffff}, and its NUL */

struct kh_arena_chunk {
	struct kh_arena_chunk *older;
	size_t size; /* of data */
	size_t used;
	alignas(max_align_t) char data[];
};

void kh_arena_init(struct kh_arena *arena, const struct kh_alloc *alloc, size_t limit)
{
	*arena = (struct kh_arena){.alloc = alloc ? alloc : &kh_alloc_system, .limit = limit};
}

static void free_chunks(struct kh_arena *arena, struct kh_arena_chunk *chunk)
{
	while (chunk != NULL) {
		struct kh_arena_chunk *older = chunk->older;
		arena->size -= chunk->size;
		kh_alloc_free(arena->alloc, chunk, sizeof(*chunk) + chunk->size);
		chunk = older;
	}
}

void kh_arena_done(struct kh_arena *arena)
{
	free_chunks(arena, arena->chunks);
	arena->chunks = NULL;
	arena->failed = false;
}

void kh_arena_clear(struct kh_arena *arena)
{
	struct kh_arena_chunk *newest = arena->chunks;

	arena->failed = false;
	if (newest == NULL)
		return;
	free_chunks(arena, newest->older);
	newest->older = NULL;
	newest->used = 0;
}

static void *fail(struct kh_arena *arena)
{
	arena->failed = true;
	return NULL;
}

/* Adds a chunk with room for N more bytes as the newest one. */
static bool add_chunk(struct kh_arena *arena, size_t n)
{
	size_t size = arena->chunks ? arena->chunks->size : FIRST_CHUNK / 2;
	size_t left = arena->limit - arena->size;

	if (n > left)
		return false;
	size = size <= SIZE_MAX / 4 ? size * 2 : size;
	if (size > left)
		size = left;
	if (size < n)
		size = n;
	if (size > SIZE_MAX - sizeof(struct kh_arena_chunk))
		return false;
	struct kh_arena_chunk *chunk = arena->alloc->resize(arena->alloc->ctx, NULL, 0, sizeof(*chunk) + size);
	if (chunk == NULL)
		return false;
	*chunk = (struct kh_arena_chunk){.older = arena->chunks, .size = size};
	arena->chunks = chunk;
	arena->size += size;
	return true;
}

void *kh_arena_bare(struct kh_arena *arena, size_t n)
{
	size_t rounded;

	if (__builtin_add_overflow(n, ALIGNMENT - 1, &rounded))
		return fail(arena);
	rounded &= ~(ALIGNMENT - 1);
	if ((arena->chunks == NULL || arena->chunks->size - arena->chunks->used < rounded) &&
	    !add_chunk(arena, rounded))
		return fail(arena);
	char *p = arena->chunks->data + arena->chunks->used;
	arena->chunks->used += rounded;
	return p;
}

void *kh_arena_alloc(struct kh_arena *arena, size_t n)
{
	void *p = kh_arena_bare(arena, n);

	return p != NULL ? memset(p, 0, n) : NULL;
}

void *kh_arena_array(struct kh_arena *arena, size_t count, size_t size)
{
	size_t n;

	return __builtin_mul_overflow(count, size, &n) ? fail(arena) : kh_arena_alloc(arena, n);
}

void *kh_arena_grow(struct kh_arena *arena, void *p, size_t n, size_t want)
{
	struct kh_arena_chunk *chunk = arena->chunks;
	size_t rounded = (n + ALIGNMENT - 1) & ~(ALIGNMENT - 1);

	if (p != NULL && want <= n)
		return p;
	if (p != NULL && chunk != NULL && chunk->used >= rounded && (char *)p == chunk->data + chunk->used - rounded &&
	    want <= SIZE_MAX - ALIGNMENT) {
		size_t more = ((want + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) - rounded;
		if (more <= chunk->size - chunk->used) {
			memset((char *)p + n, 0, rounded - n + more);
			chunk->used += more;
			return p;
		}
	}
	void *q = kh_arena_alloc(arena, want);
	if (q != NULL && p != NULL && n > 0)
		memcpy(q, p, n);
	return q;
}

void *kh_arena_double(struct kh_arena *arena, void *at, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap > 0 ? *cap * 2 : FIRST_ITEMS, bytes;
	void *grown = __builtin_mul_overflow(want, size, &bytes) ? fail(arena)
								 : kh_arena_grow(arena, at, n * size, bytes);

	if (grown != NULL)
		*cap = want;
	return grown;
}

struct kh_view kh_arena_dup(struct kh_arena *arena, struct kh_view v)
{
	char *p = kh_arena_alloc(arena, v.n);

	if (p == NULL)
		return (struct kh_view){NULL, 0};
	if (v.n > 0)
		memcpy(p, v.p, v.n);
	return kh_view_of(p, v.n);
}

struct kh_view kh_arena_vprintf(struct kh_arena *arena, const char *fmt, va_list args)
{
	va_list again;

	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	char *p = n < 0 ? fail(arena) : kh_arena_alloc(arena, (size_t)n + 1);
	if (p == NULL)
		return (struct kh_view){NULL, 0};
	vsnprintf(p, (size_t)n + 1, fmt, args);
	return kh_view_of(p, (size_t)n);
}

struct kh_view kh_arena_printf(struct kh_arena *arena, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	struct kh_view v = kh_arena_vprintf(arena, fmt, args);
	va_end(args);
	return v;
}

/* Writes the character at *AT of V as it is shown, returns its length, and moves *AT past it. */
static size_t quote_char(struct kh_view v, size_t *at, char ret_shown[QUOTED_CHAR])
{
	uint32_t c;
	size_t len = kh_utf8_decode(v, *at, &c);
	const char *p = v.p + *at;

	*at += len == 0 ? 1 : len;
	if (len == 0)
		return (size_t)snprintf(ret_shown, QUOTED_CHAR, "\\x%02x", (unsigned char)*p);
	if (c == '"' || c == '\\')
		return (size_t)snprintf(ret_shown, QUOTED_CHAR, "\\%c", (char)c);
	if (!kh_utf8_is_plain(c))
		return (size_t)snprintf(ret_shown, QUOTED_CHAR, "\\u{%x}", (unsigned)c);
	memcpy(ret_shown, p, len);
	return len;
}

struct kh_view kh_arena_quote(struct kh_arena *arena, struct kh_view v)
{
	char out[(QUOTE_MAX + 1) * QUOTED_CHAR];
	size_t at = 0, n = 0;

	out[n++] = '"';
	while (at < v.n && at < QUOTE_MAX)
		n += quote_char(v, &at, out + n);
	out[n++] = '"';
	if (at < v.n)
		memcpy(out + n, "...", 3), n += 3;
	return kh_arena_dup(arena, kh_view_of(out, n));
}

struct kh_view kh_arena_quote_most(struct kh_arena *arena, struct kh_view v, size_t most)
{
	char *out = kh_arena_alloc(arena, most), shown[QUOTED_CHAR];
	size_t at = 0, n = 0;
	bool cut = false;

	if (out == NULL)
		return (struct kh_view){NULL, 0};
	out[n++] = '"';
	while (at < v.n && !cut) {
		size_t len = quote_char(v, &at, shown);
		cut = n + len + 4 > most; /* room for the closing quote, and for the dots if text is left out */
		if (!cut)
			memcpy(out + n, shown, len), n += len;
	}
	out[n++] = '"';
	if (cut)
		memcpy(out + n, "...", 3), n += 3;
	return kh_view_of(out, n);
}

enum kh_err kh_arena_check(const struct kh_arena *arena)
{
	return arena->failed ? KH_ENOMEM : KH_OK;
}
