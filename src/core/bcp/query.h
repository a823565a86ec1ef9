/*
 * Queries (B1-B3) of a Controller.  A query is checked as a whole before anything is sent; every error has a code and
 * the path of its member.
 */
#ifndef KH_CORE_BCP_QUERY_H
#define KH_CORE_BCP_QUERY_H

#include "base/json.h"
#include "core/bcp/check.h"
#include "core/bcp/field.h"
#include "core/bcp/question.h"

#define KH_QUERY_BYTES         65536
#define KH_QUERY_WORDS         500 /* of a summary */
#define KH_QUERY_JUSTIFICATION 20  /* characters at least */
#define KH_QUERY_BLOCKS        64

struct kh_query {
	unsigned category; /* 1, 2 or 3 */

	struct kh_field *fields; /* category 1 */
	size_t field_count;

	struct kh_question *questions; /* category 2 */
	size_t question_count;
	struct kh_check *checks;
	size_t check_count;

	struct kh_view directive; /* category 3 */
	unsigned max_words;

	/* At admission; empty if not given. */
	struct kh_view target, justification, task, need;
	struct kh_view *blocks;
	size_t block_count;

	uint64_t microbits; /* of fields or text, by B5: 11 bits a word */
	uint64_t bound;     /* the most that an answer can carry (B7): announced, reserved and charged */
};

/* Whether a query is only checked, or is to be admitted: then it must have target and justification. */
enum kh_query_purpose { KH_QUERY_CHECK, KH_QUERY_ADMIT };

/*
 * Reads a query out of its JSON.  Everything that is wrong with it goes to ERRORS, not only the first problem; the
 * query may be used only if there is none.  Views borrow from IN and the arena.  Fails only for lack of memory.
 */
enum kh_err kh_query_read(struct kh_arena *arena, yyjson_val *in, enum kh_query_purpose purpose,
			  struct kh_query *ret_query, struct kh_reasons *errors) KH_CHECKED;

/* The query as JSON in the form of `bcp.txt`, without the members of admission. */
yyjson_mut_val *kh_query_write(const struct kh_query *query, yyjson_mut_doc *doc);

#endif
