/* Questions of a category-2 query. */
#ifndef KH_CORE_BCP_QUESTION_H
#define KH_CORE_BCP_QUESTION_H

#include "base/json.h"
#include "core/bcp/format.h"

#define KH_QUESTION_COUNT      16
#define KH_QUESTION_WORDS      50
#define KH_QUESTION_DEFAULT    10 /* max_words if neither question nor query gives one (COMPAT: running system) */
#define KH_QUESTION_BYTES      2000
#define KH_QUESTION_REPHRASING 2

struct kh_question {
	struct kh_view id;
	struct kh_view text;
	enum kh_format format;
	struct kh_format_detail detail;
	unsigned max_words;
	struct kh_view *rephrasings; /* B14: the Reader is asked each of them too */
	size_t rephrasing_count;
	uint64_t microbits; /* B5 */
	uint64_t bound;     /* B7 */
};

/* Reads the array QUESTIONS; DEFAULT_WORDS is the query's own max_words. */
enum kh_err kh_question_read_all(struct kh_arena *arena, yyjson_val *questions, unsigned default_words,
				 struct kh_question **ret_questions, size_t *ret_count,
				 struct kh_reasons *errors) KH_CHECKED;

/* The question with this id, or NULL. */
const struct kh_question *kh_question_find(const struct kh_question *questions, size_t count, struct kh_view id);

/* Asks for the zone too if QUESTION asks for a time: its bound grows by that. */
void kh_question_ask_zone(struct kh_question *question);

yyjson_mut_val *kh_question_write(const struct kh_question *question, yyjson_mut_doc *doc);

#endif
