/*
 * The rules of the screen.  They are data (rules.def, and rules of the configuration); kh_rules_new() compiles them
 * with Vectorscan into one automaton that never changes, so any number of threads may share it.
 */
#ifndef KH_CORE_SCREEN_RULES_H
#define KH_CORE_SCREEN_RULES_H

#include "base/error.h"
#include "core/screen/severity.h"

/* One rule.  PATTERN is a regular expression as Vectorscan reads it; the case of ASCII letters is ignored. */
struct kh_rule {
	const char *name; /* unique */
	const char *code; /* the kind of finding: a word of the list in screen.h */
	enum kh_severity severity;
	/*
	 * Literals without case, separated by '|'. Every match contains one of them, so the pattern is tried only near
	 * them. "": it is tried only near symbols and other rules' triggers.  NULL: it is tried everywhere.
	 */
	const char *triggers;
	const char *pattern;
	const char *positive; /* must be found */
	const char *negative; /* must not be found */
};

/* The built-in rules, in order. */
const struct kh_rule *kh_rules_builtin(size_t *ret_count);

struct kh_rules;

/*
 * Compiles the built-in rules and EXTRA ones, which must outlive the result.  A pattern that does not compile, a name
 * that is taken or a code that does not exist is KH_EINPUT, and *ERR names the rule and says what is wrong with it.
 */
enum kh_err kh_rules_new(const struct kh_alloc *alloc, const struct kh_rule *extra, size_t extra_count,
			 struct kh_rules **ret_rules, struct kh_error *err) KH_CHECKED;
void kh_rules_free(struct kh_rules *rules);

size_t kh_rules_count(const struct kh_rules *rules);

/* Rule ID, which is less than the count; the built-in rules come first. */
const struct kh_rule *kh_rules_at(const struct kh_rules *rules, size_t id);

/* One thread's working memory for scanning; NULL if there is no memory. */
void *kh_rules_scratch_new(const struct kh_rules *rules);
void kh_rules_scratch_free(void *scratch);

/* Receives matches. */
struct kh_rules_sink {
	/* Rule ID matches up to byte END.  True ends the scan. */
	bool (*found)(void *ctx, size_t id, size_t end);
	/* True if no more matches of rule ID are wanted. */
	bool (*enough)(void *ctx, size_t id);
	void *ctx;
};

/* Scans all of TEXT (any bytes) with every rule.  Linear. */
enum kh_err kh_rules_scan(const struct kh_rules *rules, void *scratch, struct kh_view text,
			  const struct kh_rules_sink *sink) KH_CHECKED;

/*
 * The same for plain prose, ten times as fast: searches for triggers first, and applies the rules only within about a
 * hundred bytes of a trigger or a symbol.  BLOCKS are from kh_prescan of TEXT. A match may be reported twice.
 */
enum kh_err kh_rules_search(const struct kh_rules *rules, void *scratch, struct kh_view text,
			    const unsigned char *blocks, const struct kh_rules_sink *sink) KH_CHECKED;

/*
 * The beginning of the match of rule ID that ends at END: the last offset from which it still matches.  Vectorscan
 * could report it itself, but its automaton would be twenty times as large and as slow, and matches are few.  Must not
 * be called during a scan.
 */
size_t kh_rules_start(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t end);

#endif
