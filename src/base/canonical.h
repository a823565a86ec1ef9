/* Canonical JSON (RFC 8785) and the digest over it: grants, attributions and the audit are bound to these bytes. */
#ifndef KH_BASE_CANONICAL_H
#define KH_BASE_CANONICAL_H

#include "base/json.h"

#define KH_DIGEST_SIZE 32

/* BLAKE2b-256. */
struct kh_digest {
	unsigned char bytes[KH_DIGEST_SIZE];
};

/*
 * RFC 8785: members sorted by UTF-16 code units, numbers as ECMAScript prints them, no white space.  A number that
 * comes out as an integer past 2^53 which is not exactly the double is refused: two readers could differ on it.  The
 * canonical form of the result is the result itself.
 */
enum kh_err kh_canonical_json(struct kh_arena *arena, yyjson_val *val, struct kh_view *ret_text,
			      struct kh_error *err) KH_CHECKED;

/* The same for a document being built, which has no raw JSON in it. */
enum kh_err kh_canonical_mut(struct kh_arena *arena, yyjson_mut_val *val, struct kh_view *ret_text,
			     struct kh_error *err) KH_CHECKED;

struct kh_digest kh_canonical_digest(struct kh_view bytes);

/* The same in pieces.  A state can be copied: what comes next may differ for each copy. */
struct kh_canonical_state {
	unsigned char bytes[384]; /* libsodium's, which wants to be aligned by 64 */
};
void kh_canonical_begin(struct kh_canonical_state *state);
void kh_canonical_more(struct kh_canonical_state *state, struct kh_view bytes);
struct kh_digest kh_canonical_end(struct kh_canonical_state *state);

/* Lower-case hexadecimal, 64 characters, in the arena; {NULL, 0} on failure. */
struct kh_view kh_canonical_hex(struct kh_arena *arena, const struct kh_digest *digest);

#endif
