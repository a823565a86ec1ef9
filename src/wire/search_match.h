/*
 * A query in the syntax of the full-text table: words, and phrases in double quotes, each in quotes of its own, so that
 * nothing in it is ever an operator, a column or a syntax error.  Pure.
 */
#ifndef KH_WIRE_SEARCH_MATCH_H
#define KH_WIRE_SEARCH_MATCH_H

#include "base/arena.h"

#define KH_SEARCH_MATCH_TERMS 32  /* words and phrases that are searched for; further ones are ignored */
#define KH_SEARCH_MATCH_BYTES 256 /* bytes of one term; the rest of it is ignored */

struct kh_search_match {
	struct kh_view term[KH_SEARCH_MATCH_TERMS]; /* without their quotes; no two are the same */
	size_t count;
	size_t left_out;
};

/* Parses QUERY, valid UTF-8.  A quote without its other half, and a term without a letter or digit, are ignored.
 * KH_ENOMEM. */
enum kh_err kh_search_match_read(struct kh_arena *arena, struct kh_view query,
				 struct kh_search_match *ret_match) KH_CHECKED;

/* The text for MATCH: all of the terms, or any of them.  KH_ENOMEM. */
enum kh_err kh_search_match_write(struct kh_arena *arena, const struct kh_search_match *match, bool any,
				  struct kh_view *ret_text) KH_CHECKED;

#endif
