/*
 * External operations as a Controller calls them, over a world: declared, begun, carried out by the test itself.  That
 * the engine says KH_CALL_RUNS is the moment of execution here: nothing stands between it and the errand (deciding.h).
 *
 * As in world.h: NULL where it went through, else the code of the error.
 */
#ifndef KH_TESTS_OUTSIDE_H
#define KH_TESTS_OUTSIDE_H

#include "world.h"

#include "engine/deciding.h"

#define OUTSIDE_WHY                                                                                              \
	"\"justification\":{\"user_request\":\"What does product X cost in 2026?\",\"missing_knowledge\":\"The " \
	"current list price of product X.\",\"expected_use\":\"Quote the price with its source in the answer.\"}"

/* task.execute.  *RET_APPROVAL: what is waited for, or "". */
const char *outside_execute(struct world *w, const char *by, const char *task, const char *plan,
			    struct text *ret_approval);

#define OUTSIDE_ITEMS 16
struct outside_declared {
	size_t n;
	struct {
		struct text id, approval; /* "" where there is none */
		enum kh_ruling ruling;
		const char *gate, *code;
	} at[OUTSIDE_ITEMS];
};
const char *outside_declare(struct world *w, const char *by, const char *task, const char *json,
			    struct outside_declared *ret);

struct outside_act {
	enum kh_comm_next next;
	enum kh_ended ended;
	struct text id, approval, block;
	struct kh_view fenced; /* in the call's arena */
	bool modified;
	int64_t row; /* 0: none */
};
/* comm.weigh and comm.call, of DECLARATION (an id, or an approval's) where it is not empty, else of JSON. */
const char *outside_call(struct world *w, const char *by, const char *task, const char *declaration, const char *json,
			 bool fenced, struct outside_act *ret);

/* The short form of a declaration, called. */
const char *outside_do(struct world *w, const char *by, const char *task, const char *operation, const char *parameters,
		       struct outside_act *ret);

const char *outside_look(struct world *w, const char *by, const char *declaration, struct outside_act *ret);

/* What the errand of ROW came to. */
const char *outside_end(struct world *w, int64_t row, enum kh_errand_end end, const char *content, const char *details);

/* The approval is shown, all pages, and decided; HOST, USES and UNTIL widen the grant, or are "" and 0. */
const char *outside_decide(struct world *w, const char *by, const char *approval, enum kh_choice choice,
			   const char *edit, const char *host, int64_t uses, int64_t until);

#endif
