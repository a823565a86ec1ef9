/*
 * A matcher of patterns that takes linear time, whatever the pattern and the text are.
 *
 * It is our own and not Vectorscan, which the screen uses, for three reasons.  A pattern comes from a server, and
 * Vectorscan's compiler is not made for hostile patterns: it may take seconds and much memory, all of it from malloc.
 * It matches UTF-8 by bytes of one process-wide scratch for each thread.  And it refuses lookahead, which the schemas of
 * common libraries have in each e-mail address; here lookahead costs no more than what it looks for.
 *
 * The text is read from its end to its beginning.  At each place the matcher has the set of those states of the pattern
 * from which what follows can be matched to the end of the pattern; the set at one place follows from that at the next.
 * A lookahead is a pattern of its own with its own set, so whether it holds at a place is known when it is needed.
 */
#ifndef KH_CORE_SCHEMA_REGEX_H
#define KH_CORE_SCHEMA_REGEX_H

#include "base/error.h"

#define KH_REGEX_STATES 4096 /* of one pattern */

struct kh_regex;

/* Scratch memory of a search, enough for patterns of at most MOST states. */
struct kh_regex_room {
	uint16_t *list[2];
	uint32_t *stamp, now;
};
enum kh_err kh_regex_room_init(struct kh_regex_room *room, struct kh_arena *arena, size_t most) KH_CHECKED;

/* The pattern TEXT, in the arena.  KH_EREFUSED or KH_ELIMIT with what does not fit. */
enum kh_err kh_regex_new(struct kh_arena *arena, struct kh_view text, const struct kh_regex **ret_regex,
			 struct kh_error *err) KH_CHECKED;

size_t kh_regex_states(const struct kh_regex *regex);

/*
 * Whether the pattern matches anywhere in TEXT, which is UTF-8.  *STEPS is what it may cost, and becomes less by what
 * it did cost; KH_ELIMIT if that was not enough.
 */
enum kh_err kh_regex_search(const struct kh_regex *regex, struct kh_regex_room *room, struct kh_view text,
			    uint64_t *steps, bool *ret_found) KH_CHECKED;

#endif
