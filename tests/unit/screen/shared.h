/*
 * What the screen's tests share: the built-in rules, compiled once a program with the plain allocator (compiling takes
 * a good part of a second, and its failures have a test of their own), and a screen over them for each test.
 */
#ifndef KH_TESTS_SCREEN_SHARED_H
#define KH_TESTS_SCREEN_SHARED_H

#include "base/buf.h"
#include "core/screen/screen.h"
#include "harness.h"

static inline const struct kh_rules *shared_rules(void)
{
	static struct kh_rules *rules;
	struct kh_error err;

	if (rules == NULL && kh_rules_new(NULL, NULL, 0, &rules, &err) != KH_OK)
		fail_msg("%s", err.detail);
	return rules;
}

/* One screen a program: it keeps nothing from one text to the next. */
static inline struct kh_screen *shared_screen(void)
{
	static struct kh_screen *screen;

	if (screen == NULL && kh_screen_new(NULL, shared_rules(), &screen) != KH_OK)
		fail_msg("no screen");
	return screen;
}

static inline struct kh_findings screen_as(struct kh_test *t, struct kh_view text, enum kh_screen_as as)
{
	struct kh_findings found;

	must(t, kh_screen_text(shared_screen(), &t->arena, text, as, &found));
	return found;
}

/* The first finding of RULE, or NULL. */
static inline const struct kh_finding *find_rule(const struct kh_findings *found, const char *rule)
{
	for (size_t i = 0; i < found->n; i++) {
		if (strcmp(found->at[i].rule, rule) == 0)
			return &found->at[i];
	}
	return NULL;
}

/* The same; there must be one. */
static inline const struct kh_finding *must_find(const struct kh_findings *found, const char *rule)
{
	static const struct kh_finding none;
	const struct kh_finding *f = find_rule(found, rule);

	if (f == NULL)
		fail_msg("no finding of %s", rule);
	return f ? f : &none;
}

/* N bytes of the test's arena. */
static inline char *must_alloc(struct kh_test *t, size_t n)
{
	static char none[1];
	char *p = kh_arena_alloc(&t->arena, n);

	must(t, kh_arena_check(&t->arena));
	return p ? p : none;
}

#endif
