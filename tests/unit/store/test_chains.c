/* Heads of chains by number. */
#include "harness.h"
#include "store/chains.h"

/* Thousands, in a wild order and asked for again: each is found with what was put there, and they come out sorted. */
static void test_chains(struct kh_test *t)
{
	struct kh_chains chains;
	struct kh_chains_head *head = NULL;

	kh_chains_init(&chains, &t->alloc);
	for (int64_t i = 0; i < 5000; i++) {
		head = kh_chains_get(&chains, i * 7919 % 5000 * 3);
		if (head == NULL)
			break;
		assert_int_equal(head->chain.n, 0);
		head->chain.n = head->number + 1;
	}
	size_t n = chains.n;
	if (head != NULL) {
		for (int64_t i = 0; i < 5000; i++)
			assert_int_equal(kh_chains_get(&chains, i * 3)->chain.n, i * 3 + 1);
		kh_chains_sort(&chains);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(chains.at[i].number, 3 * i);
	}
	kh_chains_done(&chains);
	must(t, head != NULL ? KH_OK : KH_ENOMEM);
	assert_int_equal(n, 5000);
}

static const struct kh_test_case cases[] = {KH_TEST(test_chains)};
KH_TEST_MAIN(cases)
