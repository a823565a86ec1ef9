/*
 * The rules of the screen.  They are data (rules.def, and what the configuration adds); kh_rules_new() compiles them
 * with Hyperscan into one automaton that never changes, so any number of threads may share it.
 */
#ifndef KH_CORE_SCREEN_RULES_H
#define KH_CORE_SCREEN_RULES_H

#include "base/error.h"
#include "core/screen/severity.h"

/* One rule.  PATTERN is a regular expression as Hyperscan reads it; the case of ASCII letters does not matter. */
struct kh_rule {
	const char *name; /* unique */
	const char *code; /* the kind of finding: a word of the list in screen.h */
	enum kh_severity severity;
	const char *pattern;
	const char *positive; /* must be found */
	const char *negative; /* must not be found */
};

/* The built-in rules, in order. */
const struct kh_rule *kh_rules_builtin(size_t *ret_count);

/* How every pattern is compiled; the build compiles the built-in ones once (tools/prebuild-rules.c). */
#define KH_RULES_FLAGS (HS_FLAG_CASELESS | HS_FLAG_MULTILINE)

struct kh_rules;

/*
 * Compiles the built-in rules and EXTRA ones, which must outlive the result.  A pattern that does not compile, a name
 * that is taken or a code that does not exist is KH_EINPUT, and *ERR names the rule and says what is wrong with it.
 */
enum kh_err kh_rules_new(const struct kh_alloc *alloc, const struct kh_rule *extra, size_t extra_count,
			 struct kh_rules **ret_rules, struct kh_error *err) __attribute__((warn_unused_result));
void kh_rules_free(struct kh_rules *rules);

size_t kh_rules_count(const struct kh_rules *rules);

/* Rule ID, below the count; built-in ones first. */
const struct kh_rule *kh_rules_at(const struct kh_rules *rules, size_t id);

/* One thread's working memory for scanning; NULL where there is no memory. */
void *kh_rules_scratch_new(const struct kh_rules *rules);
void kh_rules_scratch_free(void *scratch);

/* Called for every match: rule ID, and the byte where the match ends.  True ends the scan. */
typedef bool kh_rules_found(void *ctx, size_t id, size_t end);

/* Scans TEXT, any bytes.  Linear in it. */
enum kh_err kh_rules_scan(const struct kh_rules *rules, void *scratch, struct kh_view text, kh_rules_found *found,
			  void *ctx) __attribute__((warn_unused_result));

/*
 * Where the match of rule ID that ends at END begins: the last place from which it still matches.  Hyperscan could tell
 * by itself, but its automaton would be twenty times as large and slow; matches are few.  Not from within a scan.
 */
size_t kh_rules_start(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t end);

#endif
