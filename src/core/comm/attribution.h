/*
 * Attribution (E10): where external content came from, bound to it.
 *
 * As JSON it is the `metadata` of a result:
 *
 *     {"attribution":"CommunicationOS (fetch) in session s1","source":"https://example.com","timestamp":
 *      "2026-01-31T10:30:00Z","trust_level":"UNTRUSTED_EXTERNAL_CONTENT","operation":"comm.fetch","session_id":"s1",
 *      "content_hash":"...","audit_id":"...","digest":"..."}
 *
 * `content_hash` is BLAKE2b-256 of the content; `digest` is BLAKE2b-256 of the canonical JSON of
 * {"content":...,"metadata":{all of the above but digest}}.  The digest is also in the audit, so an attribution that
 * was made up later is detected there; a changed one is detected here.  Members are not checked one by one: if any
 * member differs from what the others determine, the attribution is refused.
 *
 * Content that somebody put in was brought by no operation: `operation` is "content.put", `put_by` says by which role,
 * and `source` has the giver's words, which nothing has checked.  The text is then "CommunicationOS (put by controller)
 * in session s1".
 */
#ifndef KH_CORE_COMM_ATTRIBUTION_H
#define KH_CORE_COMM_ATTRIBUTION_H

#include "base/emit.h"

#define KH_ATTRIBUTION_MARKER     "UNTRUSTED_EXTERNAL_CONTENT" /* the only trust level of external content */
#define KH_ATTRIBUTION_SOURCE_MAX 4096                         /* bytes */
#define KH_ATTRIBUTION_PUT        "content.put"                /* the operation of content that was put in */

struct kh_attribution {
	struct kh_view operation; /* "comm.fetch"; KH_ATTRIBUTION_PUT if PUT_BY is set */
	struct kh_view put_by;    /* the role of the giver; empty: an operation brought the content */
	struct kh_view session_id;
	struct kh_view source;   /* URL, path, database, ...: visible characters only */
	struct kh_view audit_id; /* empty if there is none */
	int64_t timestamp;       /* microseconds since 1970 */
	struct kh_digest content_hash;
	struct kh_digest digest;
};

/*
 * Completes *ATTRIBUTION for CONTENT; the caller has set everything but the two digests.  KH_EREFUSED, KH_EINPUT or
 * KH_EUNKNOWN if a part is not valid: an unregistered operation, a bad session id, a source with invisible characters,
 * content that is not UTF-8.
 */
enum kh_err kh_attribution_make(struct kh_arena *arena, struct kh_attribution *attribution, struct kh_view content,
				struct kh_error *err) KH_CHECKED;

/*
 * The part of it that follows from the content alone, and takes as long as the content is.  What was read once can be
 * bound to any attribution, which takes no time.  KH_EINPUT `bad_utf8` if CONTENT is not UTF-8.
 */
struct kh_attribution_content {
	struct kh_digest hash;
	struct kh_canonical_state begun; /* of the digest: {"content":... */
};
enum kh_err kh_attribution_content(struct kh_arena *arena, struct kh_view content, struct kh_attribution_content *ret,
				   struct kh_error *err) KH_CHECKED;
enum kh_err kh_attribution_of(struct kh_arena *arena, struct kh_attribution *attribution,
			      const struct kh_attribution_content *content, struct kh_error *err) KH_CHECKED;

/* The digest that binds METADATA (canonical JSON) to CONTENT, as above.  Both are valid UTF-8. */
enum kh_err kh_attribution_bind(struct kh_arena *arena, struct kh_view content, struct kh_view metadata,
				struct kh_digest *ret_digest) KH_CHECKED;

/* "CommunicationOS (fetch) in session s1". */
struct kh_view kh_attribution_text(struct kh_arena *arena, const struct kh_attribution *attribution);

/* The metadata as JSON.  Out of memory marks the arena. */
yyjson_mut_val *kh_attribution_json(struct kh_arena *arena, yyjson_mut_doc *doc,
				    const struct kh_attribution *attribution);

/*
 * The same as canonical JSON. ATTRIBUTION must have been made or read here, so it is valid UTF-8. kh_attribution_emit()
 * writes it as a part of another text; out of memory marks that text's arena.
 */
enum kh_err kh_attribution_canonical(struct kh_arena *arena, const struct kh_attribution *attribution,
				     struct kh_view *ret_json) KH_CHECKED;
void kh_attribution_emit(struct kh_emit *emit, const struct kh_attribution *attribution);

/*
 * Reads metadata, without its content: everything in it must agree.  KH_EREFUSED with code `attribution_missing` if a
 * member is missing, `attribution_malformed` if one contradicts the others.  Borrows from METADATA.
 */
enum kh_err kh_attribution_read(struct kh_arena *arena, yyjson_val *metadata, struct kh_attribution *ret_attribution,
				struct kh_error *err) KH_CHECKED;

/*
 * Reads metadata and proves it for CONTENT: KH_EREFUSED as above, or KH_ECHANGED with code `changed` if the content or
 * the digest differs.  Accepts any session, so the result may be shown but not used.
 */
enum kh_err kh_attribution_prove(struct kh_arena *arena, yyjson_val *metadata, struct kh_view content,
				 struct kh_attribution *ret_attribution, struct kh_error *err) KH_CHECKED;

/*
 * The same for exactly SESSION_ID: KH_EREFUSED with code `session_mismatch` if the session differs or SESSION_ID is
 * empty.
 */
enum kh_err kh_attribution_check(struct kh_arena *arena, yyjson_val *metadata, struct kh_view content,
				 struct kh_view session_id, struct kh_attribution *ret_attribution,
				 struct kh_error *err) KH_CHECKED;

/* Reads 64 lower-case hexadecimal digits; false for anything else. */
bool kh_attribution_parse_digest(struct kh_view hex, struct kh_digest *ret_digest);

#endif
