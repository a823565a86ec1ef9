#include "harness.h"

#include "base/buf.h"
#include "http/metrics.h"

/* I4: Prometheus' text: every sample has a name of ours, and was described before. */
static void test_text(struct kh_test *t)
{
	struct kh_http_figures http = {
		.requests = {1, 2, 3, 4, 5, 6}, .refused_host = 7, .connections = 8, .streams = 9};
	struct kh_gateway_figures gateway = {.calls = {.parked = 10},
					     .store = {.events = UINT64_MAX},
					     .outcomes = {11, 12},
					     .pending = 13,
					     .pending_oldest = 14999999,
					     .tally = {{KH_TALLY_ENDED, "comm.fetch", "ok", 15},
						       {KH_TALLY_CHARGED, "", "", 16},
						       {KH_TALLY_DENIED, "phase", "", 17}},
					     .tally_count = 3};
	struct kh_buf buf;
	struct kh_view text, rest, line, described = {NULL, 0};
	unsigned samples = 0;

	kh_buf_init(&buf, &t->arena, 65536);
	kh_http_metrics_write(&buf, &http, &gateway);
	must(t, kh_buf_end(&buf, &text));
	for (rest = text; kh_view_split(&rest, '\n', &line) && line.n > 0;) {
		if (kh_view_starts(line, KH_LIT("# TYPE "))) {
			described = kh_view_from(line, 7);
			described = kh_view_sub(described, 0, kh_view_find(described, KH_LIT(" "), 0));
		} else if (!kh_view_starts(line, KH_LIT("# HELP "))) {
			samples++;
			assert_true(kh_view_starts(line, KH_LIT("keyhole_")) && kh_view_starts(line, described));
		}
	}
	assert_true(samples > 20);
	assert_true(kh_view_find(text, KH_LIT("keyhole_http_responses_total{class=\"2xx\"} 3\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("keyhole_http_refused_total{why=\"host\"} 7\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("keyhole_works{pool=\"calls\",state=\"parked\"} 10\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("keyhole_query_outcomes_total{outcome=\"delivered\"} 12\n"), 0) !=
		    SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("\nkeyhole_approvals_pending 13\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("\nkeyhole_approvals_oldest_seconds 14\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text,
				 KH_LIT("\nkeyhole_operations_total{operation=\"comm.fetch\",outcome=\"ok\"} 15\n"),
				 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("\nkeyhole_microbits_charged_total 16\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("\nkeyhole_gate_denials_total{gate=\"phase\"} 17\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text, KH_LIT("keyhole_audit_events_total 18446744073709551615\n"), 0) != SIZE_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST(test_text)};
KH_TEST_MAIN(cases)
