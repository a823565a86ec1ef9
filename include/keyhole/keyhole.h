/*
 * libkeyhole: the rules of Keyhole, an information-flow gateway for AI agents, without any I/O.
 */
#ifndef KEYHOLE_KEYHOLE_H
#define KEYHOLE_KEYHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes with a length.  Borrowed: valid as long as what it points into.  Not NUL-terminated. */
struct kh_view {
	const char *p;
	size_t n;
};

/* What a call can come to.  Every function that can fail returns one of these. */
enum kh_err {
	KH_OK = 0,
	KH_ENOMEM,   /* the allocator said no; nothing was changed */
	KH_EINPUT,   /* the input is not well-formed: not JSON, not UTF-8, not YAML, wrong shape */
	KH_ELIMIT,   /* a size or depth limit was passed */
	KH_EREFUSED, /* well-formed, but against a rule; the error says which */
	KH_ECHANGED, /* something that carries a digest does not match it */
	KH_EUNKNOWN, /* a name or id that nothing is known of */
};

/* Why a call failed, for a human or a client.  Bounded; `detail` never holds unescaped control characters. */
struct kh_error {
	enum kh_err err;
	size_t offset;	  /* byte of the input, SIZE_MAX where there is none */
	const char *code; /* a word of a fixed list, static; NULL where there is none */
	char member[128]; /* path of the member, "" where there is none */
	char detail[256];
};

/*
 * Memory.  `resize` is realloc with the old size: (NULL, 0, n) allocates, (p, old, 0) frees and returns NULL.
 * Returning NULL for n > 0 makes the call fail with KH_ENOMEM.  Passing NULL for an allocator means malloc.
 */
struct kh_alloc {
	void *(*resize)(void *ctx, void *p, size_t old, size_t n);
	void *ctx;
};

#ifdef __cplusplus
}
#endif

#endif
