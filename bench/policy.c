/*
 * Governance: one decision, all ten gates, under a policy of a thousand rules, by the rule that stands last.  Each
 * decision is timed alone, so that there is a median and a tail.
 */
#include "bench.h"

#include "base/buf.h"
#include "base/json.h"
#include "core/policy/config.h"
#include "core/policy/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RULES  1000U
#define TIMES  200000U
#define LIMIT  ((size_t)1 << 26)
#define WANTED 5000.0 /* ns */

/* What the rules are, and the call that the last of them decides. */
struct part {
	const char *what;
	void (*rule)(struct kh_buf *buf, unsigned i);
	bool tools; /* else of operations */
	const char *operation, *agent, *parameters;
};

static void exact_tool(struct kh_buf *buf, unsigned i)
{
	kh_buf_printf(buf, "    - {name: server-%u__tool_%u, risk: low, approval: auto, tier: T1}\n", i % 40, i);
}

static void glob_tool(struct kh_buf *buf, unsigned i)
{
	if (i % 3 == 0)
		kh_buf_printf(buf, "    - {name: 'server-%u__tool_%u_*', risk: low, approval: auto, tier: T1}\n",
			      i % 40, i);
	else if (i % 3 == 1)
		kh_buf_printf(buf, "    - {name: '*__tool_%u', risk: low, approval: auto, tier: T1}\n", i);
	else
		kh_buf_printf(buf, "    - {name: 's*-%u__*_%u', risk: low, approval: auto, tier: T1}\n", i % 40, i);
}

static void agent_rule(struct kh_buf *buf, unsigned i)
{
	static const char *const operations[] = {"comm.read", "comm.fetch", "comm.query", "comm.search"};

	kh_buf_printf(buf, "    - {name: %s, agents: [agent-%u, 'desk-%u-*'], risk: low, approval: auto%s}\n",
		      operations[i % 4], i, i, i % 4 == 0 ? ", paths: [/srv]" : "");
}

static const struct part parts[] = {
	{"exact tools", exact_tool, true, "comm.mcp.server-39.tool_999", "planner", "{\"path\":\"/srv/a\",\"n\":7}"},
	{"globs of tools", glob_tool, true, "comm.mcp.server-38.get_998", "planner", "{\"path\":\"/srv/a\",\"n\":7}"},
	{"operations by agent", agent_rule, false, "comm.read", "desk-996-7", "{\"path\":\"/srv/docs/a.txt\"}"},
};

struct subject {
	const struct kh_policy *policy;
	struct kh_decide_request request;
	struct kh_decide_state state;
	struct kh_arena arena; /* of one decision, as an operation of the engine has one */
	struct kh_decision decision;
};

static const struct kh_policy *read_policy(struct kh_arena *arena, const struct part *part)
{
	const struct kh_policy *policy = NULL;
	struct kh_view text = {NULL, 0};
	struct kh_error err;
	struct kh_buf buf;

	kh_buf_init(&buf, arena, LIMIT);
	kh_buf_printf(&buf, "policy:\n  %s:\n", part->tools ? "tools" : "operations");
	for (unsigned i = 0; i < RULES; i++)
		part->rule(&buf, i);
	kh_bench_must(kh_buf_end(&buf, &text), "the policy's text");
	enum kh_err e = kh_config_policy(arena, text, KH_LIT("bench.yaml"), &policy, &err);
	if (e != KH_OK)
		fprintf(stderr, "%s\n", err.detail);
	kh_bench_must(e, "the policy");
	return policy;
}

static void decide(struct subject *s)
{
	kh_arena_clear(&s->arena);
	kh_bench_must(
		kh_decide_run(&s->arena, s->policy, &s->request, &s->state, INT64_C(1763173000000000), &s->decision),
		"kh_decide_run");
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void measure(const struct part *part)
{
	static double times[TIMES];
	struct kh_arena arena;
	struct subject s = {.request = {.operation = kh_view_str(part->operation),
					.agent = kh_view_str(part->agent),
					.phase = KH_LIT("execution"),
					.planned = true,
					.declared = KH_DECLARED_OK,
					.reached = KH_TIER_1}};
	struct kh_error err;

	kh_arena_init(&arena, NULL, LIMIT);
	kh_arena_init(&s.arena, NULL, LIMIT);
	s.policy = read_policy(&arena, part);
	kh_bench_must(kh_json_read(&arena, kh_view_str(part->parameters), &s.request.parameters, &err), "the call");
	decide(&s);
	kh_bench_must(s.decision.ruling == KH_ALLOW && s.decision.deciding->line >= RULES - 4 ? KH_OK : KH_EINPUT,
		      "a decision by one of the last rules");
	for (size_t i = 0; i < TIMES; i++) {
		double start = now_ns();
		decide(&s);
		times[i] = now_ns() - start;
	}
	qsort(times, TIMES, sizeof(times[0]), by_size);
	kh_bench_limit(kh_bench_printf("decide by the last of %u rules, %s, p50", RULES, part->what).s,
		       times[TIMES / 2], WANTED);
	kh_bench_limit(kh_bench_printf("  p99").s, times[TIMES / 100 * 99], WANTED);
	kh_arena_done(&s.arena);
	kh_arena_done(&arena);
}

int main(void)
{
	kh_bench_section("Governance: ten gates, 1,000 rules");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		measure(&parts[i]);
	return 0;
}
