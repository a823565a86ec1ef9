/*
 * Keeps secrets out of what goes back: a server may repeat the credential that it was sent, in an answer or in a header.
 * Each is replaced by stars of the same length, as it was sent, and so is its last word (what stands behind "Bearer").
 * What a server hides in another form is not found.
 */
#ifndef KH_WORKER_HTTP_MASK_H
#define KH_WORKER_HTTP_MASK_H

#include "base/arena.h"

#define KH_MASK_MOST   32 /* two of each secret */
#define KH_MASK_REASON 4096
#define KH_MASK_LEAST  8 /* bytes: what is shorter would be found everywhere */

struct kh_mask {
	struct kh_view plain[KH_MASK_MOST], json[KH_MASK_MOST]; /* the same texts; as a string of JSON has them */
	size_t count;
};

/* Adds a secret, in ARENA.  False if there is no memory, or no room. */
bool kh_mask_add(struct kh_mask *mask, struct kh_arena *arena, struct kh_view secret) KH_CHECKED;

/* Replaces all secrets in the N bytes at P, which are JSON if IS_JSON. */
void kh_mask_apply(const struct kh_mask *mask, bool is_json, char *p, size_t n);

/* The same in the first KH_MASK_REASON bytes of what is told to humans, in which the server may be quoted as it is or as
 * JSON, in each spelling (spelled.h), and cut: the first KH_MASK_LEAST bytes of a secret are enough. */
void kh_mask_reason(const struct kh_mask *mask, char *p, size_t n);

#endif
