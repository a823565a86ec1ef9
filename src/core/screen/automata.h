/*
 * The automata that the rules are compiled to.  The build compiles the built-in rules once (tools/prebuild-rules.c):
 * that takes most of a second, while reading the result back takes a fraction of a millisecond.
 */
#ifndef KH_CORE_SCREEN_AUTOMATA_H
#define KH_CORE_SCREEN_AUTOMATA_H

#include "core/screen/rules.h"

#include <hs.h>

#define KH_AUTOMATA_TRIGGER 64 /* maximum length of a trigger */

struct kh_automata {
	hs_database_t *all;      /* every rule */
	hs_database_t *triggers; /* the literals; ids are the rules' */
	hs_database_t *always;   /* rules without triggers; NULL if there are none */
};

/* Built-in rules and others; a rule's id is its index, counted over both. */
struct kh_rule_table {
	const struct kh_rule *builtin;
	size_t builtin_count;
	const struct kh_rule *extra;
	size_t extra_count;
};

/* Compiles for TARGET, or for this machine if TARGET is NULL. KH_EINPUT names the rule that does not compile. */
enum kh_err kh_automata_compile(const struct kh_alloc *alloc, struct kh_rule_table rules,
				const hs_platform_info_t *target, struct kh_automata *ret,
				struct kh_error *err) KH_CHECKED;
void kh_automata_done(struct kh_automata *a);

#endif
