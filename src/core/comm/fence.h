/*
 * The content fence (E11): marks external content as such before a model gets it.
 *
 *     {"content":"...","marker":"UNTRUSTED_EXTERNAL_CONTENT","nonce":"<32 hex digits>","source":"...","warning":"...",
 *      "allowed_uses":[...],"forbidden_uses":[...],"metadata":{attribution},"digest":"...","rendered":"..."}
 *
 * `rendered` is what the model is shown: a first line with marker and nonce, the warning, the uses, the source, the
 * content, and a last line with marker and nonce.  Content cannot forge the last line: it does not know the nonce,
 * which is fresh for every fence, and text in it that looks like the marker has been defused.  `content` is not
 * changed.  `digest` is BLAKE2b-256 of the canonical JSON of all other members.
 */
#ifndef KH_CORE_COMM_FENCE_H
#define KH_CORE_COMM_FENCE_H

#include "core/comm/attribution.h"

#define KH_FENCE_NONCE_SIZE 16

struct kh_fence {
	struct kh_view content;
	struct kh_view nonce; /* hexadecimal */
	struct kh_attribution attribution;
	struct kh_view rendered;
	struct kh_digest digest;
};

/*
 * Fences CONTENT; ATTRIBUTION must have been made for it.  NONCE is fresh random bytes.  KH_EREFUSED with code
 * `nonce_reused` if the content holds the nonce: then the nonce was not fresh or not secret.  Borrows from CONTENT and
 * ATTRIBUTION.
 */
enum kh_err kh_fence_wrap(struct kh_arena *arena, const unsigned char nonce[KH_FENCE_NONCE_SIZE],
			  const struct kh_attribution *attribution, struct kh_view content, struct kh_fence *ret_fence,
			  struct kh_error *err) KH_CHECKED;

/* As JSON.  Out of memory marks the arena. */
yyjson_mut_val *kh_fence_json(struct kh_arena *arena, yyjson_mut_doc *doc, const struct kh_fence *fence);

/*
 * Reads a fenced object back.  Everything in it must be the same as if its content were fenced again.  Any difference,
 * also an added or missing member, is KH_ECHANGED with code `changed` and the member.  Borrows from IN.
 */
enum kh_err kh_fence_unwrap(struct kh_arena *arena, yyjson_val *in, struct kh_fence *ret_fence,
			    struct kh_error *err) KH_CHECKED;

#endif
