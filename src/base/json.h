/*
 * JSON, strictly.  Reading: RFC 8259 and nothing more; a duplicate member, a depth over 64, invalid UTF-8 and trailing
 * bytes are errors with a byte offset.  Writing: yyjson's mutable documents, compact, on one line.  Both live in an
 * arena.  yyjson's own types are used directly; these functions are the only ones that parse or print.
 */
#ifndef KH_BASE_JSON_H
#define KH_BASE_JSON_H

#include "base/error.h"
#include "base/words.h"

#include <yyjson.h>

#define KH_JSON_DEPTH 64

/* Parses all of TEXT.  The value borrows from the arena (strings are copied out of TEXT). */
enum kh_err kh_json_read(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root,
			 struct kh_error *err) KH_CHECKED;

/* A string value as a view; {NULL, 0} for anything else and for NULL. */
struct kh_view kh_json_str(const yyjson_val *val);

/* Member KEY of OBJ, or NULL. */
yyjson_val *kh_json_get(yyjson_val *obj, const char *key);

/* The first member's name in OBJ that is not one of the words; NULL if there is none. */
yyjson_val *kh_json_stranger(yyjson_val *obj, const struct kh_words *known);

/* True if VAL was written as a plain integer (no fraction, no exponent, not -0) within int64. */
bool kh_json_int(const yyjson_val *val, int64_t *ret_value);

/* "string", "number", "object", ...: for messages. */
const char *kh_json_type(const yyjson_val *val);

/*
 * A document to write.  Its functions are yyjson's (yyjson_mut_obj_add_strn and friends); when one of them runs out of
 * memory the arena is marked and kh_json_write() fails, so their results need not be checked one by one.
 */
yyjson_mut_doc *kh_json_new(struct kh_arena *arena);

/* Adds a view as a string member.  KEY must outlive the document (a literal).  The text is borrowed. */
void kh_json_add(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view v);

/*
 * Adds compact JSON that Keyhole wrote itself as a member, without parsing it.  Adds nothing if JSON is empty.  KEY and
 * the text are borrowed.
 */
void kh_json_add_raw(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view json);

/* Compact text of ROOT on one line, in the arena. */
enum kh_err kh_json_write(struct kh_arena *arena, yyjson_mut_val *root, struct kh_view *ret_text) KH_CHECKED;

/*
 * ROOT as a value to read, in the arena: what writing and reading it again would give, without the text.  So a member
 * that stands twice, text that is not UTF-8 and a depth over KH_JSON_DEPTH are errors here too.
 */
enum kh_err kh_json_freeze(struct kh_arena *arena, yyjson_mut_val *root, yyjson_val **ret_root,
			   struct kh_error *err) KH_CHECKED;

/* [{"code":...,"member":...,"detail":...}, ...]; "member" is left out if it is empty. */
yyjson_mut_val *kh_json_reasons(yyjson_mut_doc *doc, const struct kh_reasons *list);

/* {"code":...,"detail":...} of one failure, with "member" and "offset" if there are any. */
yyjson_mut_val *kh_json_error(yyjson_mut_doc *doc, const struct kh_error *err);

#endif
