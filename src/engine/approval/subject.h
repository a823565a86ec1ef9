/*
 * The subject of an approval: everything that a reviewer is shown, as one canonical JSON object.  A decision names its
 * digest (A6), so what was shown cannot change afterwards, and nothing else was shown.
 *
 *     {"arguments":"<hex>","carries":[{"block","hash","source","taint"},...],"content":"<hex>","context":"c...","decides":"reviewer","expires_at":n,
 *      "findings":[{"code","decoded","end","rule","severity","start"},...],"id":"a...","kind":"summary",
 *      "marks":[{"code","detail","member"},...],"operation":"bcp.deliver","pages":2,"policy":"<hex>",
 *      "query":{"account":{"content":n,"reserved":n},"body":{...},"id":"q...","reader":"...","taint":"high"},
 *      "requested_at":n,"source":[...],
 *      "task":{"goals":[...],"id":"t...","phase":"planning","plan":null,"title":"..."},"text":"...",
 *      "untrusted":true}
 *
 * `marks` come from the requester; `findings` are what the screen finds in the text, with byte offsets.  `query` is
 * null if there is none.  `carries` is there only if content leaves once it is approved (carried.h).  An upstream's
 * elicitation has `server`, `declaration` (the call during which it came) and `form`, a JSON Schema.  The account is in microbits.  purpose.h has `goals` and `plan`.  `decides` is who can decide
 * it: `reviewer` (an admin can too), or `admin`.
 */
#ifndef KH_ENGINE_APPROVAL_SUBJECT_H
#define KH_ENGINE_APPROVAL_SUBJECT_H

#include "core/screen/screen.h"
#include "engine/approval/approval.h"
#include "engine/state/beforehand.h"

#define KH_SUBJECT_PAGE 4096 /* bytes of the text on one page (A6) */

/* The subject of REQUEST.  ROW already has the id, times and digests. */
enum kh_err kh_subject_write(struct kh_op *op, const struct kh_approval_request *request,
			     const struct kh_approval_row *row, struct kh_view *ret_json) KH_CHECKED;

/* Screens TEXT, which is going to be the text of a request, outside of the transaction. */
enum kh_err kh_subject_prepare(struct kh_prepare *at, struct kh_view text) KH_CHECKED;

/* FINDINGS from severity LEAST on, as the JSON array that a subject has. */
enum kh_err kh_subject_findings(struct kh_arena *arena, const struct kh_findings *findings, enum kh_severity least,
				struct kh_view *ret_json) KH_CHECKED;

/* How many pages TEXT (valid UTF-8) has: at least one. */
int64_t kh_subject_pages(struct kh_view text);

/* Page N (1, 2, ...) of TEXT: at most KH_SUBJECT_PAGE bytes of whole characters.  *RET_START is its offset. */
struct kh_view kh_subject_page(struct kh_view text, int64_t n, size_t *ret_start);

/* The subject of ROW, parsed.  KH_ECHANGED `changed` if it does not match its digest. */
enum kh_err kh_subject_read(struct kh_op *op, const struct kh_approval_row *row, yyjson_val **ret_subject) KH_CHECKED;

#endif
