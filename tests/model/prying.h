/*
 * All that a Controller can get, and the comparison of what it got in two runs.  Ids are compared by the order in which
 * they appear.  They are numbers under a keyed permutation (I-39): which of two blocks has which number tells nothing,
 * but which of two stands first in a list does.
 */
#ifndef KH_TESTS_PRYING_H
#define KH_TESTS_PRYING_H

#include "outing.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ENDS     2 /* operations that are under way */

#define POLICY(tier)                                                                                               \
	"  release: slots\n"                                                                                       \
	"  budgets: {task_bits: 60000, context_bits: 200000}\n"                                                    \
	"  operations:\n"                                                                                          \
	"    - {name: comm.fetch, risk: low, rate: 1000/minute, tier: " tier ", content_parameters: [url], " HOSTS \
	"}\n"                                                                                                      \
	"    - {name: comm.search, risk: low}\n"                                                                   \
	"    - {name: comm.read, risk: low}\n"

/* Who looks, at what. */
struct prying {
	const char *by, *task;
	struct text operations[ENDS];
	const char *others; /* the stranger's task, if both want to begin; or NULL */
	int64_t block;      /* a number that the next block of an operation may have */
};

/* Runs an operation, and keeps what it said; JSON is a member of CALL. */
void prying_hear(const char *what, const char *by, kh_engine_fn *fn, void *call, const struct kh_view *json);

/* Calls every operation that the token may call, as somebody else too who knows every id, and as the host. */
void prying_look(struct prying *look);

/* Ends the program if an operation that a Controller may call is not among them. */
void prying_is_complete(void);

/* The scene is over: what the Controllers heard, with ids by their order.  To be freed. */
struct heard prying_finish(void);

/* Whether both heard the same, as it is to be. */
void prying_compare(const char *name, size_t way, const struct heard *a, const struct heard *b, bool alike);

#endif
