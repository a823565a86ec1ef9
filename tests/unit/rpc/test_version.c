#include "harness.h"
#include "rpc/version.h"

/* I1: every published version from 2025-03-26 on is known by its name, and no other is. */
static void test_names(struct kh_test *t)
{
	(void)t;
	for (enum kh_rpc_version v = KH_MCP_NONE + 1; v < KH_MCP_VERSIONS; v++)
		assert_int_equal(kh_rpc_version_find(kh_view_str(kh_rpc_version_name(v))), v);
	assert_int_equal(kh_rpc_version_find(KH_LIT("2024-11-05")), KH_MCP_NONE);
	assert_int_equal(kh_rpc_version_find(KH_LIT("")), KH_MCP_NONE);
	assert_int_equal(kh_rpc_version_find(KH_LIT("2025-06-18 ")), KH_MCP_NONE);
}

/* I1: a client gets the version that it asked for, or the newest that has `initialize`. */
static void test_offer(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_rpc_version_offer(KH_LIT("2025-03-26")), KH_MCP_2025_03_26);
	assert_int_equal(kh_rpc_version_offer(KH_LIT("2025-06-18")), KH_MCP_2025_06_18);
	assert_int_equal(kh_rpc_version_offer(KH_LIT("2024-11-05")), KH_MCP_2025_11_25);
	assert_int_equal(kh_rpc_version_offer(KH_LIT("2026-07-28")), KH_MCP_2025_11_25);
	assert_int_equal(kh_rpc_version_offer(KH_LIT("nonsense")), KH_MCP_2025_11_25);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_names), KH_TEST_ONCE(test_offer)};
KH_TEST_MAIN(cases)
