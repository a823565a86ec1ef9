/*
 * What a token's calls have sent, parameter by parameter (K7), so that content in pieces can be found (pieces.h).
 *
 * A parameter's values are kept as one text, a line for each call, oldest first, folded (fold.h).  What a value has in
 * common with the value before it at its beginning and its end is left out, in whole words: the scheme, host and
 * directory of a URL, the name of a query's key.  So what changes from call to call stands together.  One more text has
 * the lines of all parameters, for content whose pieces go into several parameters in turn.
 *
 * A text has at most KH_SENT_BYTES; the oldest lines fall out, and how many bytes fell out is counted.  So the cost of
 * a call has a bound, whatever was sent before.
 */
#ifndef KH_CORE_BLOCK_SENT_H
#define KH_CORE_BLOCK_SENT_H

#include "base/json.h"

#define KH_SENT_BYTES  (64U << 10)
#define KH_SENT_VALUES 16  /* parameters of a call that are kept apart; those after them are one */
#define KH_SENT_NAME   200 /* bytes of a name; a parameter with a longer one belongs to those after them */

/* What was sent in one parameter. */
struct kh_sent {
	struct kh_view name;   /* operation and path; empty: all parameters of all operations */
	struct kh_view lines;  /* a newline after each; in the text of all parameters a tab between two of one call */
	struct kh_view last;   /* the latest value, folded; a long one without its middle */
	bool moving;           /* the latest value was not the one before */
	size_t prefix, suffix; /* bytes of the latest value that were left out */
	size_t start, end;     /* bytes that it has in common with the one before that was another */
	uint64_t calls;        /* how many have been added */
	uint64_t fallen;       /* bytes that fell out */
};

/* A value of a call: everything below one parameter, one in each line. */
struct kh_sent_value {
	struct kh_view name;
	struct kh_view path;  /* in the parameters, ".args" */
	struct kh_view value; /* folded; a long one without its middle */
};

/*
 * The values of a call, at most KH_SENT_VALUES + 1, and the names of its members as one more value.  Lists count as one
 * parameter, because a piece could be in any of their places.
 */
enum kh_err kh_sent_split(struct kh_arena *arena, struct kh_view operation, yyjson_val *parameters,
			  struct kh_sent_value **ret_values, size_t *ret_count) KH_CHECKED;

/* What VALUE adds to SENT: a part of VALUE.  Empty if it adds nothing. */
struct kh_view kh_sent_piece(const struct kh_sent *sent, struct kh_view value);

/*
 * The lines that stand before what VALUE adds.  What the newest of them has in common with VALUE is taken out of it
 * too: the first value of a kind was kept whole, because nothing was known to be constant yet.
 */
enum kh_err kh_sent_lines(struct kh_arena *arena, const struct kh_sent *sent, struct kh_view value,
			  struct kh_view *ret_lines) KH_CHECKED;

/*
 * What a call adds to the text of all parameters: its pieces, a tab between them.  SENT has, for each of the COUNT
 * values, what its parameter sent before.
 */
enum kh_err kh_sent_all(struct kh_arena *arena, const struct kh_sent *sent, const struct kh_sent_value *values,
			size_t count, struct kh_view *ret_line) KH_CHECKED;

/* Adds VALUE, or for the text of all parameters a line as it is. */
enum kh_err kh_sent_add(struct kh_arena *arena, struct kh_sent *sent, struct kh_view value) KH_CHECKED;

#endif
