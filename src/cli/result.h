/* A result as one JSON object: what a program wrote is collected and added as text, or as base64 if it is not UTF-8. */
#ifndef KH_CLI_RESULT_H
#define KH_CLI_RESULT_H

#include "base/buf.h"
#include "base/json.h"
#include "cli/terminal.h"
#include "outside/exchange.h"

#define KH_RESULT_LIMIT  ((size_t)1 << 30) /* bytes of one stream */
#define KH_RESULT_MEMORY ((size_t)8 << 30) /* of an arena that holds them, their base64 and the text of the result */

struct kh_result {
	struct kh_arena *arena;
	struct kh_buf out, errors;
};

void kh_result_init(struct kh_result *result, struct kh_arena *arena);

/* Collects BYTES of an OUTPUT or ERRORS event. */
void kh_result_collect(struct kh_result *result, enum kh_exchange_kind kind, struct kh_tainted bytes);

/* Adds members stdout and stderr to OBJ; stdout_base64, stderr_base64 instead if they are not UTF-8.  Returns false
 * if there was not enough memory. */
bool kh_result_add(struct kh_result *result, yyjson_mut_doc *doc, yyjson_mut_val *obj);

/* Adds V, text of others: bytes that are not UTF-8 are read as ISO 8859-1, as HTTP headers once were. */
void kh_result_text(struct kh_result *result, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
		    struct kh_tainted v);

/* Adds V as a list of lines (CRLF or LF). */
void kh_result_lines(struct kh_result *result, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
		     struct kh_tainted v);

/* Returns a copy of V that lives as long as the arena. */
struct kh_tainted kh_result_keep(struct kh_result *result, struct kh_tainted v);

/* Returns V, text of others, quoted for a message (kh_arena_quote). */
struct kh_view kh_result_quote(struct kh_result *result, struct kh_tainted v);

/* Returns V, what a worker said when it ended (worker/job.h), quoted for a message: its detail alone, if it has one. */
struct kh_view kh_result_reason(struct kh_result *result, struct kh_tainted v);

/* Writes OBJ on one line. */
bool kh_result_write(struct kh_result *result, struct kh_terminal *out, yyjson_mut_val *obj);

#endif
