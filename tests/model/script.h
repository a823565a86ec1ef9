/*
 * What is asked and answered in the random sequences: texts, and what the requirements say of them (B3, B5, B7,
 * B10-B15).
 */
#ifndef KH_TESTS_SCRIPT_H
#define KH_TESTS_SCRIPT_H

#include "model.h"

#include <stddef.h>

/* In every answer that must not reach a Controller, and in nothing else. */
#define SCRIPT_CANARY "xqz"

struct script_question {
	const char *json; /* the members of the query, without those of admission */
	struct m_question is;
};

struct script_answer {
	const char *text;
	const char *delivered; /* `response` of the delivery, where it is one */
	struct m_answer is;
	bool loud; /* has findings that hold whatever is delivered after it, too (B13): never approved here */
};

enum { ASK_URGENT, ASK_MOOD, ASK_WIDE, ASK_TWICE, ASK_THRICE, ASK_NAME, ASK_AGAIN, ASK_WHEN, ASK_SUMMARY, ASK_GOOD };

extern const struct script_question script_questions[];
extern const size_t script_question_count;
extern const struct script_answer script_answers[];
extern const size_t script_answer_count;

#endif
