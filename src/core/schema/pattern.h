/*
 * The text of a pattern (ECMA-262 with Unicode) as a tree.
 *
 * Known: alternatives, groups of all kinds, quantifiers (greedy or not: only whether it matches counts), classes, ., ^,
 * $, \b, \B, lookahead, escapes, \p with a general category.  Refused by name: references back to a group and
 * lookbehind, which the matcher cannot run in linear time, flags within a pattern, other properties, and whatever is no
 * pattern with Unicode.  One thing more is taken: an escaped ASCII sign is that sign, because many patterns are written
 * so and it can mean nothing else.
 */
#ifndef KH_CORE_SCHEMA_PATTERN_H
#define KH_CORE_SCHEMA_PATTERN_H

#include "base/error.h"
#include "core/schema/charclass.h"

#define KH_PATTERN_GROUPS  32   /* within each other */
#define KH_PATTERN_REPEATS 1000 /* the largest number in a quantifier */
#define KH_PATTERN_LOOKS   32   /* lookaheads */

enum kh_pattern_kind {
	KH_PATTERN_SET,    /* one character of SET */
	KH_PATTERN_CHAR,   /* the character C */
	KH_PATTERN_LIST,   /* the pieces one after another */
	KH_PATTERN_EITHER, /* one of the pieces */
	KH_PATTERN_REPEAT, /* the one piece, LEAST to MOST times */
	KH_PATTERN_START,
	KH_PATTERN_END,
	KH_PATTERN_WORD,     /* \b */
	KH_PATTERN_NOT_WORD, /* \B */
	KH_PATTERN_LOOK,     /* (?=...): the pattern's LOOKS[LOOK] */
	KH_PATTERN_NOT_LOOK, /* (?!...) */
};

struct kh_pattern_piece {
	enum kh_pattern_kind kind;
	uint32_t c;
	const struct kh_charclass *set;
	struct kh_pattern_piece *pieces, *next; /* those within it; the next beside it */
	unsigned least, most;                   /* MOST UINT_MAX: without end */
	size_t look;
};

struct kh_pattern {
	struct kh_pattern_piece *root;
	struct kh_pattern_piece *looks[KH_PATTERN_LOOKS]; /* what is looked for; one within another comes before it */
	size_t n_looks;
};

/* KH_EREFUSED with the place in TEXT, which is UTF-8, if it is not a pattern, or not one that is known. */
enum kh_err kh_pattern_read(struct kh_arena *arena, struct kh_view text, struct kh_pattern *ret_pattern,
			    struct kh_error *err) KH_CHECKED;

#endif
