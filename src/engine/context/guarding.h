/*
 * The attribution guard on what agents write (E10): external content must not pass for internal knowledge.
 *
 * There are three steps, as in weigh.h: context.guard loads the external content that may have influenced the context's
 * next output, the caller's thread makes the comparison, and context.output records it, after checking that the context
 * was given nothing in between.
 */
#ifndef KH_ENGINE_CONTEXT_GUARDING_H
#define KH_ENGINE_CONTEXT_GUARDING_H

#include "core/comm/guard.h"
#include "engine/state/op.h"

/* context.guard: host. */
struct kh_guarding {
	struct kh_view context;
	const struct kh_view *more; /* as in context.output */
	size_t more_count;
	/* out, in the arena */
	struct kh_guarding_source *sources;
	size_t count;
	struct kh_view *others; /* other untrusted text of the closure: answers, messages that count as untrusted */
	size_t other_count;
	struct kh_view *own; /* the user's own text, which may be repeated */
	size_t own_count;
	int64_t last_block;
};

struct kh_guarding_source {
	struct kh_view id;          /* public */
	struct kh_view attribution; /* canonical JSON */
	struct kh_view content;
};

enum kh_err kh_guarding_run(struct kh_op *op, void *call);

/*
 * Compares OUTPUT with what was loaded: [{"block":...,"source":...,"detail":...}], one for each source that it repeats
 * without naming it; each result of a search is a source of its own.  RET_COPIES: it repeats untrusted text, so it is data (K9).  Verifies each attribution against
 * its content: KH_ECHANGED if one is not what was sealed.
 */
enum kh_err kh_guarding_compare(struct kh_arena *arena, const struct kh_guarding *guarding, struct kh_view output,
				struct kh_view *ret_json, bool *ret_copies, struct kh_error *err) KH_CHECKED;

#endif
