/*
 * The rules of the screen.  They are data (rules.def, and what the configuration adds); kh_rules_new() compiles them
 * with Vectorscan into one automaton that never changes, so any number of threads may share it.
 */
#ifndef KH_CORE_SCREEN_RULES_H
#define KH_CORE_SCREEN_RULES_H

#include "base/error.h"
#include "core/screen/severity.h"

/* One rule.  PATTERN is a regular expression as Vectorscan reads it; the case of ASCII letters does not matter. */
struct kh_rule {
	const char *name; /* unique */
	const char *code; /* the kind of finding: a word of the list in screen.h */
	enum kh_severity severity;
	/*
	 * Literals without case, separated by '|', one of which is part of every match: where none of them is, the
	 * pattern is not tried.  "": it is tried near symbols and other rules' triggers only.  NULL: everywhere.
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

/* Rule ID, below the count; built-in ones first. */
const struct kh_rule *kh_rules_at(const struct kh_rules *rules, size_t id);

/* One thread's working memory for scanning; NULL where there is no memory. */
void *kh_rules_scratch_new(const struct kh_rules *rules);
void kh_rules_scratch_free(void *scratch);

/* Where matches go. */
struct kh_rules_sink {
	/* Rule ID matches up to byte END.  True ends the scan. */
	bool (*found)(void *ctx, size_t id, size_t end);
	/* True where no more matches of rule ID are wanted. */
	bool (*enough)(void *ctx, size_t id);
	void *ctx;
};

/* Every rule over all of TEXT, any bytes.  Linear in it. */
enum kh_err kh_rules_scan(const struct kh_rules *rules, void *scratch, struct kh_view text,
			  const struct kh_rules_sink *sink) KH_CHECKED;

/*
 * The same for plain prose, which it passes ten times as fast: triggers first, and the rules only in the neighbourhood
 * (some hundred bytes) of one or of a symbol.  BLOCKS are kh_prescan's of TEXT.  A match may be told twice.
 */
enum kh_err kh_rules_search(const struct kh_rules *rules, void *scratch, struct kh_view text,
			    const unsigned char *blocks, const struct kh_rules_sink *sink) KH_CHECKED;

/*
 * Where the match of rule ID that ends at END begins: the last place from which it still matches.  Vectorscan could tell
 * by itself, but its automaton would be twenty times as large and slow; matches are few.  Not from within a scan.
 */
size_t kh_rules_start(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t end);

#endif
