/*
 * The screen: one engine for anomalies in answers (B13), verification of calls (K7), declarations (E3) and review
 * marks.
 *
 * The rules are data (rules.def).  kh_rules_new() compiles them with Vectorscan; the result never changes and any
 * number of threads may share it.  A struct kh_screen is one thread's working memory for it.
 */
#ifndef KH_CORE_SCREEN_SCREEN_H
#define KH_CORE_SCREEN_SCREEN_H

#include "core/screen/findings.h"
#include "core/screen/rules.h"

/* Every code that a finding can have: docs/reference/CODES.md says what each means. */
#define KH_SCREEN_CODES                                                                                          \
	"instruction", "question", "url", "code", "markup", "role", "tool_call", "encoded", "invisible", "bidi", \
		"tag", "selector", "marks", "secret", "invalid_utf8", "unreadable", "name"

/* True for a word of that list. */
bool kh_screen_code_exists(const char *code);

struct kh_screen;

/* RULES must outlive it.  One thread at a time. */
enum kh_err kh_screen_new(const struct kh_alloc *alloc, const struct kh_rules *rules,
			  struct kh_screen **ret_screen) KH_CHECKED;
void kh_screen_free(struct kh_screen *screen);

#define KH_SCREEN_DEPTH 4

/* What the text claims to be.  An answer or a name must not have a sentence that asks for something. */
enum kh_screen_as {
	KH_SCREEN_DOCUMENT, /* a text of any length: the rules and the decoders */
	KH_SCREEN_ANSWER,   /* a short answer: also any instruction, however spelled, question or second sentence */
	KH_SCREEN_NAME,     /* a name: also every word that does not occur in names */
	KH_SCREEN_REVIEWED, /* a document that a human looks at: also misspelled instructions, in its beginning */
};

/*
 * Screens TEXT (any bytes; invalid UTF-8 is a finding).  Linear in the input.  Findings live in the arena; at most 256
 * are kept, the worst first.
 */
enum kh_err kh_screen_text(struct kh_screen *screen, struct kh_arena *arena, struct kh_view text, enum kh_screen_as as,
			   struct kh_findings *ret_findings) KH_CHECKED;

#endif
