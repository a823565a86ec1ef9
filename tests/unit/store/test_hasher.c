/* Hashes that are checked beside the reading (P4): the first bad event comes out, however many there are. */
#include "harness.h"
#include "store/hasher.h"

#include <stdio.h>
#include <stdlib.h>

#define BIG (700U << 10)

/* COUNT events, the K-th and the last of them with a wrong hash where K is not 0; what comes out. */
static int64_t check(struct kh_test *t, bool thread, int64_t count, int64_t k, const char *big)
{
	struct kh_hasher *hasher = NULL;
	int64_t chain = -1;
	char body[64];

	must(t, kh_hasher_new(&t->alloc, thread, &hasher));
	for (int64_t i = 1; i <= count; i++) {
		snprintf(body, sizeof(body), "{\"event\":%lld}", (long long)i);
		struct kh_audit_entry entry = {.id = i, .chain = i % 7, .body = kh_view_str(body)};
		if (big != NULL && i % 1000 == 0)
			entry.body = kh_view_of(big, BIG);
		if (i == 5)
			entry.body = KH_LIT("");
		entry.hash = kh_canonical_digest(entry.body);
		if (k != 0 && (i == k || i == count))
			entry.hash.bytes[31] ^= 1;
		if (!kh_hasher_give(hasher, &entry))
			break;
	}
	int64_t id = kh_hasher_end(hasher, &chain);
	kh_hasher_free(hasher);
	assert_true(id == 0 || chain == id % 7);
	return id;
}

static void test_hasher(struct kh_test *t)
{
	static const int64_t places[] = {0, 1, 2, 5, 2048, 2049, 4097, 9999, 10000};
	char *big = calloc(1, BIG);

	assert_non_null(big);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		assert_int_equal(check(t, false, 10000, places[i], NULL), places[i]);
		assert_int_equal(check(t, true, 10000, places[i], NULL), places[i]);
	}
	/* Events that are larger than a batch. */
	assert_int_equal(check(t, true, 3500, 0, big), 0);
	assert_int_equal(check(t, true, 3500, 2000, big), 2000);
	assert_int_equal(check(t, true, 3500, 2001, big), 2001);
	free(big);
}

/* Nothing given; and the end without the giving. */
static void test_hasher_empty(struct kh_test *t)
{
	struct kh_hasher *hasher = NULL;
	int64_t chain;

	must(t, kh_hasher_new(&t->alloc, true, &hasher));
	kh_hasher_free(hasher);
	must(t, kh_hasher_new(&t->alloc, true, &hasher));
	assert_int_equal(kh_hasher_end(hasher, &chain), 0);
	kh_hasher_free(hasher);
	kh_hasher_free(NULL);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_hasher), KH_TEST(test_hasher_empty)};
KH_TEST_MAIN(cases)
