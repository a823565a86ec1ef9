/* What the screen found: a list, each place of a rule once, at its end sorted and capped. */
#ifndef KH_CORE_SCREEN_FINDINGS_H
#define KH_CORE_SCREEN_FINDINGS_H

#include "core/screen/form.h"
#include "core/screen/severity.h"

struct kh_finding {
	const char *code;
	const char *rule;
	enum kh_severity severity;
	size_t start, end;                    /* bytes of the text that was screened */
	enum kh_layer layers[KH_FORM_LAYERS]; /* outermost first */
	size_t layer_count;
	struct kh_view decoded; /* what the innermost layer decodes to; empty if there is no layer */
};

struct kh_findings {
	struct kh_finding *at; /* by start, then end, then rule */
	size_t n;
	enum kh_severity severity; /* the highest */
	size_t cap;                /* private */
};

/*
 * Adds what RULE found in bytes [a, b) of FORM, unless the same rule has a finding that overlaps: that is the same
 * thing, found through fewer layers.  Out of memory marks the arena.
 */
void kh_findings_add(struct kh_findings *list, struct kh_arena *arena, const struct kh_form *form, const char *code,
		     const char *rule, enum kh_severity severity, size_t a, size_t b);

/* Whether FINDING is only that URI, which stands at byte AT of the text that was screened, begins with `file:`. */
bool kh_findings_is_scheme(const struct kh_finding *finding, struct kh_view uri, size_t at);

/* Keeps the worst 256, sorts them, and fills in the severity. */
void kh_findings_end(struct kh_findings *list);

#endif
