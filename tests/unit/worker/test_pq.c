#include "worker/sql/pq.h"

#include "harness.h"

/* Every function that is used is there, in the library that this machine has. */
static void test_load(struct kh_test *t)
{
	struct kh_pq pq;

	assert_int_equal(kh_pq_load(&pq, &t->err), KH_OK);
	assert_int_equal(pq.status(NULL), CONNECTION_BAD);
	assert_int_equal(pq.ntuples(NULL), 0);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_load)};
KH_TEST_MAIN(cases)
