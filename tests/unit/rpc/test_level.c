/* Levels of log messages by name. */
#include "harness.h"
#include "rpc/level.h"

/* I1: the eight levels of MCP, in their order, and no other. */
static void test_names(struct kh_test *t)
{
	(void)t;
	for (int i = 0; i < KH_RPC_LEVELS; i++)
		assert_int_equal(kh_rpc_level_find(kh_view_str(kh_rpc_level_name((enum kh_rpc_level)i))), i);
	assert_int_equal(kh_rpc_level_find(KH_LIT("debug")), KH_RPC_DEBUG);
	assert_int_equal(kh_rpc_level_find(KH_LIT("emergency")), KH_RPC_EMERGENCY);
	assert_int_equal(kh_rpc_level_find(KH_LIT("loud")), -1);
	assert_int_equal(kh_rpc_level_find(KH_LIT("")), -1);
}

static const struct kh_test_case cases[] = {KH_TEST(test_names)};
KH_TEST_MAIN(cases)
