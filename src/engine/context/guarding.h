/*
 * The attribution guard on what agents write (E10): nothing external passes for internal knowledge.
 *
 * Three steps, as weigh.h: context.guard loads what of outside may have influenced the context's next output, the
 * comparison is made on the caller's thread, and context.output records it, after it has looked whether the context was
 * given anything in between.
 */
#ifndef KH_ENGINE_CONTEXT_GUARDING_H
#define KH_ENGINE_CONTEXT_GUARDING_H

#include "core/comm/guard.h"
#include "engine/state/op.h"

/* context.guard: host. */
struct kh_guarding {
	struct kh_view context;
	const struct kh_view *more; /* as of context.output */
	size_t more_count;
	/* out, in the arena */
	struct kh_guarding_source *sources;
	size_t count;
	struct kh_view *own; /* the user's own words, which may be repeated */
	size_t own_count;
	int64_t last_block;
};

struct kh_guarding_source {
	struct kh_view id;          /* public */
	struct kh_view attribution; /* canonical JSON */
	struct kh_view content;
};

enum kh_err kh_guarding_run(struct kh_op *op, void *call);

/* Compares OUTPUT with what was loaded: [{"block":...,"source":...,"detail":...}], one for each that it repeats and
 * does not name.  Proves each attribution for its content: KH_ECHANGED where one is not what was sealed. */
enum kh_err kh_guarding_compare(struct kh_arena *arena, const struct kh_guarding *guarding, struct kh_view output,
				struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

#endif
