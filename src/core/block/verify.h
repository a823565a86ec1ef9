/*
 * Verification, tier 1 (K7): a tool call's arguments are screened, and compared with every untrusted block that may
 * have influenced the call.  Deterministic.  What follows from the result is the policy's table (K6); the reasons and
 * matches are for the reviewer, the agent that made the call learns the outcome only.
 */
#ifndef KH_CORE_BLOCK_VERIFY_H
#define KH_CORE_BLOCK_VERIFY_H

#include "core/block/compare.h"
#include "core/block/taint.h"

struct kh_verification {
	bool suspicious;               /* there are reasons; else tier 1 is clear */
	bool flagged;                  /* an untrusted block may have influenced the call (K6) */
	enum kh_taint taint;           /* the highest in the closure */
	struct kh_reasons reasons;     /* `screened`, `sensitive`, `shared_run`, `shared_url`, `shared_host`,
					* `shared_address`, `shared_number`; the member is the argument's path */
	struct kh_findings findings;   /* spans are bytes of `text` */
	struct kh_view text;           /* what was screened: every name, string and long number, one a line */
	struct kh_matches matches;     /* `text` counts `members`; `source` is an index into the set */
	const struct kh_view *members; /* the path of each text that was compared */
	size_t member_count;
};

/*
 * Checks the call TOOL(ARGUMENTS).  Compared are all strings and member names at any depth, the numbers of 6 digits or
 * more, and the tool's name.  CLOSURE is what influenced the call (kh_taint_influences()).  A finding counts from
 * medium on; one about secrets counts at any severity where the closure is flagged.
 */
enum kh_err kh_verify_call(struct kh_screen *screen, struct kh_arena *arena, struct kh_view tool, yyjson_val *arguments,
			   const struct kh_blocks *set, const struct kh_closure *closure,
			   struct kh_verification *ret_verification) __attribute__((warn_unused_result));

/* {"result":"clear"|"suspicious","flagged":bool,"taint":"...","reasons":[...],"matches":[...]}: for the reviewer. */
yyjson_mut_val *kh_verify_json(yyjson_mut_doc *doc, const struct kh_verification *verification,
			       const struct kh_blocks *set);

#endif
