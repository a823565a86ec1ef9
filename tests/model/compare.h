/* Holds what the store has against what the model says. */
#ifndef KH_TESTS_COMPARE_H
#define KH_TESTS_COMPARE_H

#include "model.h"
#include "world.h"

/* The model's things in the store: numbers of rows, by their places in the model; 0: not known yet. */
struct places {
	int64_t contexts[MODEL_MAX], tasks[MODEL_MAX], blocks[MODEL_MAX], queries[MODEL_MAX], asks[MODEL_MAX],
		approvals[MODEL_MAX];
};

struct compare {
	struct world *w;
	const struct model *m;
	struct model before; /* as it was when it was last compared */
	struct places places;
	enum m_taint taint[MODEL_MAX]; /* of the contexts, as the store last had it */
	int64_t resets[MODEL_MAX];
	int64_t event;                    /* the last audit event that was read */
	int begun, deliveries, decisions; /* by the events since the beginning */
	bool whole;                       /* everything, not only what has changed */
	char why[512];                    /* the first difference */
};

void compare_begin(struct compare *c, struct world *w, const struct model *m);

/* False, and why, where store and model differ, or where an invariant of the store is broken. */
bool compare_run(struct compare *c);

#endif
