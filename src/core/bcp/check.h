/*
 * Cross-question consistency (B12): checks that the query gives, and those that its questions imply ("Is this meeting
 * in Q1?" beside a date).  A check that fails, or that cannot be decided, holds the response.
 */
#ifndef KH_CORE_BCP_CHECK_H
#define KH_CORE_BCP_CHECK_H

#include "base/json.h"
#include "core/bcp/question.h"

#define KH_CHECK_COUNT 32

enum kh_check_kind {
	KH_CHECK_EQUAL,
	KH_CHECK_NOT_EQUAL,
	KH_CHECK_BEFORE,
	KH_CHECK_AFTER,
	KH_CHECK_QUARTER,
	KH_CHECK_MONTH,
	KH_CHECK_YEAR,
	KH_CHECK_WEEKDAY,
	KH_CHECK_COUNT_OF,
	KH_CHECK_SUM,
	KH_CHECK_IMPLIES,
	KH_CHECK_KINDS
};

/* Questions are given by their index in the query. */
struct kh_check {
	enum kh_check_kind kind;
	struct kh_view member;               /* "checks[0]", or "questions[1]" if it is derived */
	size_t a, b;                         /* a and b; date and answer; list; if and then */
	size_t of[16], of_count;             /* sum */
	int64_t is;                          /* the number that a date part or a count must be */
	struct kh_view if_value, then_value; /* implies: canonical */
};

/* Reads the array CHECKS (NULL for none) and adds the derived ones. */
enum kh_err kh_check_read_all(struct kh_arena *arena, yyjson_val *checks, const struct kh_question *questions,
			      size_t question_count, struct kh_check **ret_checks, size_t *ret_count,
			      struct kh_reasons *errors) KH_CHECKED;

/*
 * Applies CHECK to the canonical ANSWERS, in the questions' order.  NULL if it passes, else a description of the
 * problem (static).
 */
const char *kh_check_problem(const struct kh_check *check, const struct kh_question *questions,
			     const struct kh_view *answers);

#endif
