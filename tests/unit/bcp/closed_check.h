/*
 * What must hold for every closed list, whatever is in it: each row is found by its name, codes and other names, these
 * are keys, and no two rows claim the same one.
 */
#ifndef KH_TESTS_BCP_CLOSED_CHECK_H
#define KH_TESTS_BCP_CLOSED_CHECK_H

#include "base/utf8.h"
#include "core/bcp/closed.h"
#include "harness.h"

typedef bool kh_closed_check_fn(struct kh_view key, struct kh_view *ret_name);

struct kh_closed_vector {
	const char *answer;
	const char *name;
};

/* ANSWER is found as NAME, or not at all where NAME is NULL. */
static inline void closed_check_answer(kh_closed_check_fn *find, const char *answer, const char *name)
{
	struct kh_view got = KH_LIT("untouched");
	bool found = find(kh_view_str(answer), &got);

	if (found != (name != NULL))
		fail_msg("\"%s\" was %s (%.*s)", answer, found ? "found" : "not found", KH_FMT(got));
	assert_view(got, name ? name : "untouched");
}

static inline void closed_check_vectors(kh_closed_check_fn *find, const struct kh_closed_vector *vectors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		closed_check_answer(find, vectors[i].answer, vectors[i].name);
}

static inline void closed_check_none(kh_closed_check_fn *find, const char *const *answers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		closed_check_answer(find, answers[i], NULL);
}

/* Every one of KEYS is in key form and finds NAME; one in WORDS finds nothing. */
static inline void closed_check_keys(kh_closed_check_fn *find, struct kh_view keys, struct kh_view name,
				     struct kh_view words)
{
	char reduced[KH_CLOSED_KEY_MAX];
	struct kh_view key, got;

	while (keys.n > 0 && kh_view_split(&keys, '|', &key)) {
		assert_true(kh_view_eq(kh_view_of(reduced, kh_closed_reduce(key, reduced)), key));
		if (kh_closed_claims(words, key)) {
			assert_false(find(key, &got));
			continue;
		}
		if (!find(key, &got) || !kh_view_eq(got, name))
			fail_msg("\"%.*s\" does not find %.*s", KH_FMT(key), KH_FMT(name));
	}
}

static inline void closed_check_rows(kh_closed_check_fn *find, const struct kh_closed_row *rows, size_t count,
				     struct kh_view words)
{
	struct kh_view got;

	for (size_t i = 0; i < count; i++) {
		assert_true(find(rows[i].name, &got));
		assert_true(kh_view_eq(got, rows[i].name));
		closed_check_keys(find, rows[i].codes, rows[i].name, words);
		closed_check_keys(find, rows[i].also, rows[i].name, KH_LIT(""));
	}
}

/* True where ROW claims KEY by name, code or other name. */
static inline bool closed_check_claims(const struct kh_closed_row *row, struct kh_view key)
{
	char reduced[KH_CLOSED_KEY_MAX];
	struct kh_view name = kh_view_of(reduced, kh_closed_reduce(row->name, reduced));

	return kh_closed_claims(name, key) || kh_closed_claims(row->codes, key) || kh_closed_claims(row->also, key);
}

static inline void closed_check_alone(const struct kh_closed_row *rows, size_t count, size_t own, struct kh_view keys)
{
	struct kh_view key;

	while (keys.n > 0 && kh_view_split(&keys, '|', &key)) {
		for (size_t i = 0; i < count; i++) {
			if (i != own && closed_check_claims(&rows[i], key))
				fail_msg("\"%.*s\" is of %.*s and of %.*s", KH_FMT(key), KH_FMT(rows[own].name),
					 KH_FMT(rows[i].name));
		}
	}
}

/* No key of a row is claimed by another, and the names are in order (of those that are ASCII). */
static inline void closed_check_unique(const struct kh_closed_row *rows, size_t count)
{
	char before[KH_CLOSED_KEY_MAX], reduced[KH_CLOSED_KEY_MAX];
	size_t before_n = 0;

	for (size_t i = 0; i < count; i++) {
		struct kh_view name = kh_view_of(reduced, kh_closed_reduce(rows[i].name, reduced));
		closed_check_alone(rows, count, i, name);
		closed_check_alone(rows, count, i, rows[i].codes);
		closed_check_alone(rows, count, i, rows[i].also);
		if (kh_utf8_is_ascii(name)) {
			assert_true(kh_view_cmp(kh_view_of(before, before_n), name) < 0);
			memcpy(before, reduced, name.n);
			before_n = name.n;
		}
	}
}

#endif
