/*
 * Verification, tier 1 (K7): a tool call's arguments are screened, and compared with every untrusted block that may
 * have influenced the call.  Deterministic.  The policy's table (K6) says what follows from the result.  The reasons
 * and matches are for the reviewer; the agent that made the call learns only the outcome.
 *
 * Text that is spread over several arguments or several calls is found too, because the arguments are compared as one
 * text, and put together with what earlier calls sent (sent.h, pieces.h).
 */
#ifndef KH_CORE_BLOCK_VERIFY_H
#define KH_CORE_BLOCK_VERIFY_H

#include "base/json.h"
#include "core/block/compare.h"
#include "core/block/label.h"
#include "core/block/sent.h"
#include "core/screen/screen.h"

/* Who wrote a source. */
enum kh_verify_from {
	KH_VERIFY_WORLD,    /* sealed content */
	KH_VERIFY_DELIVERY, /* an answer that a Reader gave and Keyhole normalised */
	KH_VERIFY_OWN,      /* the user's, the operator's, Keyhole's: not compared; may be repeated */
};

struct kh_verify_source {
	struct kh_view id;      /* of the block, public */
	struct kh_view source;  /* its origin, for the reviewer; may be empty */
	struct kh_view content; /* any bytes */
	struct kh_view prints;  /* if the content was removed: its fingerprints (prints.h) */
	enum kh_verify_from from;
};

struct kh_verification {
	bool suspicious;               /* there are reasons; if not, tier 1 found nothing */
	bool flagged;                  /* an untrusted block may have influenced the call (K6) */
	enum kh_taint taint;           /* the highest in the closure */
	struct kh_reasons reasons;     /* `screened`, `sensitive`, `shared_run`, `shared_url`, `shared_host`,
					* `shared_address`, `shared_number`; the member is the argument's path */
	struct kh_findings findings;   /* spans are bytes of `text` */
	struct kh_view text;           /* what was screened: every name, string and long number, one a line */
	struct kh_matches matches;     /* `text` is an index into `members`, `source` into the sources */
	const struct kh_view *members; /* the path of each text that was compared */
	size_t member_count;
};

/* A call, what may have influenced it, and what the caller sent before. */
struct kh_verify_request {
	struct kh_view tool;
	bool is_own; /* the tool's name and those of its arguments are Keyhole's own: they are not compared */
	yyjson_val *arguments;
	struct kh_view uri; /* an argument that is a URI by its grammar, so that it may begin with `file:`; or empty */
	const struct kh_sent
		*sent; /* of the call's parameters, and of all; text that only earlier calls sent is no match */
	size_t sent_count;
	const struct kh_verify_source *sources; /* the blocks of the call's closure */
	size_t source_count;
	const unsigned char *key; /* of the fingerprints; NULL: no source has any */
	enum kh_taint taint;      /* the highest of the closure */
};

/*
 * Checks CALL.  Compares all strings and member names at any depth, the numbers of 6 digits or more, and the tool's
 * name with each of the sources; for the names see `is_own`.  A finding of the screen counts from severity medium on;
 * one about secrets counts at any severity if there are sources from outside.
 */
enum kh_err kh_verify_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_verify_request *call,
			   struct kh_verification *ret_verification) KH_CHECKED;

#endif
