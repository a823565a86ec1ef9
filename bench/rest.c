/* Canonical JSON, fence, declarations, policy: what the smaller parts cost. */
#include "bench.h"

#include "core/comm/contract.h"
#include "core/comm/declaration.h"
#include "core/policy/config.h"
#include "core/policy/policy.h"
#include "core/screen/screen.h"
#include "prose.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#define LIMIT ((size_t)1 << 30)

struct subject {
	struct kh_arena kept, scratch;
	struct kh_screen *screen;
	struct kh *kh;
	kh_call_fn *call;  /* a contract function */
	struct kh_view in; /* its input */
	struct kh_view text;
	yyjson_val *root;
	yyjson_doc *doc;
};

/* --- canonical JSON --------------------------------------------------------------------------------------------- */

static double canonical(void *ctx)
{
	struct subject *s = ctx;
	struct kh_view out;

	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_canonical_json(&s->scratch, s->root, &out, NULL), "kh_canonical_json");
	return 0;
}

static double peer_write(void *ctx)
{
	const struct subject *s = ctx;
	size_t n;

	free(yyjson_write(s->doc, 0, &n));
	return 0;
}

static double digest(void *ctx)
{
	const struct subject *s = ctx;

	(void)kh_canonical_digest(s->text);
	return 0;
}

/* Audit-like events: a dozen members each, strings, numbers and a nested object. */
static struct kh_view make_events(struct kh_arena *arena, unsigned n)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *arr = yyjson_mut_arr(doc);
	struct kh_view text, prose = kh_prose_make(n * 64U);

	for (unsigned i = 0; i < n; i++) {
		yyjson_mut_val *event = yyjson_mut_arr_add_obj(doc, arr);
		yyjson_mut_obj_add_str(doc, event, "operation", "comm.fetch");
		yyjson_mut_obj_add_str(doc, event, "principal", "controller-7");
		yyjson_mut_obj_add_uint(doc, event, "start", UINT64_C(1790000000000000) + i);
		yyjson_mut_obj_add_real(doc, event, "bits", 6.907 + i);
		yyjson_mut_obj_add_bool(doc, event, "ok", true);
		yyjson_mut_obj_add_strn(doc, event, "detail", prose.p + i * 64U, 64);
		yyjson_mut_val *inner = yyjson_mut_obj_add_obj(doc, event, "decision");
		yyjson_mut_obj_add_str(doc, inner, "gate", "taint");
		yyjson_mut_obj_add_uint(doc, inner, "line", i);
		yyjson_mut_obj_add_str(doc, inner, "code", "pass");
	}
	kh_bench_must(kh_json_write(arena, arr, &text), "writing");
	free((void *)(uintptr_t)prose.p);
	return text;
}

static void measure_canonical(struct subject *s)
{
	enum { CANONICAL, WRITE, DIGEST, COUNT };
	struct kh_bench_case c[COUNT] = {{canonical, s, 0}, {peer_write, s, 0}, {digest, s, 0}};

	s->text = make_events(&s->kept, 4000);
	kh_bench_must(kh_json_read(&s->kept, s->text, &s->root, NULL), "the events");
	s->doc = yyjson_read(s->text.p, s->text.n, 0);
	kh_bench_time(c, COUNT);
	kh_bench_speed("canonical JSON of audit-like events", (double)s->text.n, c[CANONICAL].ns, "yyjson_write",
		       c[WRITE].ns, 0);
	kh_bench_speed("  the same against its digest", (double)s->text.n, c[CANONICAL].ns, "BLAKE2b-256", c[DIGEST].ns,
		       0);
	yyjson_doc_free(s->doc);
}

/* --- contract functions ----------------------------------------------------------------------------------------- */

/* Bytes in, bytes out. */
static struct kh_view call(struct subject *s)
{
	struct kh_call c = {.arena = &s->scratch, .screen = s->screen, .now = INT64_C(1790000000000000), .nonce = {1}};
	yyjson_mut_val *out;
	struct kh_view text;
	yyjson_val *in;

	kh_arena_clear(&s->scratch);
	c.doc = kh_json_new(&s->scratch);
	kh_bench_must(kh_json_read(&s->scratch, s->in, &in, NULL), "the input");
	kh_bench_must(s->call(&c, in, &out, NULL), "the call");
	kh_bench_must(kh_json_write(&s->scratch, out, &text), "the output");
	return text;
}

static double run_call(void *ctx)
{
	(void)call(ctx);
	return 0;
}

static double peer_read(void *ctx)
{
	const struct subject *s = ctx;

	yyjson_doc_free(yyjson_read(s->in.p, s->in.n, 0));
	return 0;
}

static void measure_call(struct subject *s, const char *name, kh_call_fn *fn, struct kh_view in)
{
	struct kh_bench_case c[] = {{run_call, s, 0}, {peer_read, s, 0}};

	s->call = fn;
	s->in = in;
	kh_bench_time(c, 2);
	kh_bench_ratio(name, c[0].ns, "yyjson_read+free", c[1].ns, 0);
}

static void measure_fence(struct subject *s, size_t size, const char *name)
{
	struct kh_view prose = kh_prose_make(size), in;
	yyjson_mut_doc *doc = kh_json_new(&s->kept);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "content", prose);
	kh_json_add(doc, obj, "source", KH_LIT("https://example.com/page"));
	kh_json_add(doc, obj, "operation", KH_LIT("fetch"));
	kh_json_add(doc, obj, "session_id", KH_LIT("task-1"));
	kh_bench_must(kh_json_write(&s->kept, obj, &in), "writing");
	measure_call(s, kh_bench_printf("fence wrap, %s", name).s, kh_comm_contract_wrap, in);
	s->call = kh_comm_contract_wrap;
	s->in = in;
	struct kh_view fenced = kh_arena_dup(&s->kept, call(s));
	measure_call(s, kh_bench_printf("fence unwrap, %s", name).s, kh_comm_contract_unwrap, fenced);
	free((void *)(uintptr_t)prose.p);
}

/* --- policy ----------------------------------------------------------------------------------------------------- */

static double load(void *ctx)
{
	struct subject *s = ctx;
	const struct kh_policy *policy;

	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_config_policy(&s->scratch, s->text, KH_LIT("policy.yaml"), &policy, NULL), "kh_policy_read");
	return 0;
}

static double explain(void *ctx)
{
	struct subject *s = ctx;
	struct kh_text *out;

	kh_bench_must(kh_call(s->kh, KH_POLICY_EXPLAIN, s->in, NULL, &out, NULL), "KH_POLICY_EXPLAIN");
	kh_text_free(out);
	return 0;
}

static double peer_yaml(void *ctx)
{
	const struct subject *s = ctx;
	yaml_parser_t parser;
	yaml_event_t event;
	bool done = false;

	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(&parser, (const unsigned char *)s->text.p, s->text.n);
	while (!done && yaml_parser_parse(&parser, &event)) {
		done = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	kh_bench_must(done ? KH_OK : KH_EINPUT, "libyaml");
	return 0;
}

static void measure_policy(struct subject *s)
{
	struct kh_bench_case c[] = {{load, s, 0}, {peer_yaml, s, 0}};
	yyjson_mut_doc *doc = kh_json_new(&s->kept);
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *request;
	struct kh_view in;

	s->text = kh_prose_file(KH_SOURCE "/docs/examples/policy.yaml");
	kh_bench_time(c, 2);
	kh_bench_ratio("policy load, docs/examples/policy.yaml", c[0].ns, "libyaml events", c[1].ns, 0);
	kh_json_add(doc, obj, "policy", s->text);
	request = yyjson_mut_obj_add_obj(doc, obj, "request");
	kh_json_add(doc, request, "operation", KH_LIT("comm.fetch"));
	kh_json_add(doc, request, "phase", KH_LIT("execution"));
	yyjson_mut_val *parameters = yyjson_mut_obj_add_obj(doc, request, "parameters");
	kh_json_add(doc, parameters, "url", KH_LIT("https://docs.example.com/a/page"));
	kh_bench_must(kh_json_write(&s->kept, obj, &in), "writing");
	kh_bench_must(kh_new(NULL, &s->kh), "kh_new");
	s->in = in;
	explain(s); /* compiles the rules */
	struct kh_bench_case all[] = {{explain, s, 0}, {peer_yaml, s, 0}};
	kh_bench_time(all, 2);
	kh_bench_ratio("policy explain: load, decide, say why", all[0].ns, "libyaml events", all[1].ns, 0);
	kh_free(s->kh);
	free((void *)(uintptr_t)s->text.p);
}

int main(void)
{
	struct kh_view declaration = KH_LIT(
		"{\"operation\":\"comm.fetch\",\"parameters\":{\"url\":\"https://example.com/quarterly\"},"
		"\"justification\":{\"user_request\":\"The user asked for the figures of the last quarter\","
		"\"missing_knowledge\":\"The published figures for the northern region\","
		"\"expected_use\":\"They go into the table of the report\"},\"phase\":\"execution\","
		"\"session_id\":\"task-1\"}");
	struct kh_rules *rules;
	struct subject s;

	memset(&s, 0, sizeof(s));
	kh_arena_init(&s.kept, NULL, LIMIT);
	kh_arena_init(&s.scratch, NULL, LIMIT);
	kh_bench_must(kh_rules_new(NULL, NULL, 0, &rules, NULL), "kh_rules_new");
	kh_bench_must(kh_screen_new(NULL, rules, &s.screen), "kh_screen_new");
	kh_bench_section("Canonical JSON, fence, declarations, policy");
	measure_canonical(&s);
	measure_fence(&s, 4096, "4 KiB");
	measure_fence(&s, 1U << 20, "1 MiB");
	measure_call(&s, "declaration check, screened", kh_comm_contract_check, declaration);
	measure_policy(&s);
	kh_screen_free(s.screen);
	kh_rules_free(rules);
	kh_arena_done(&s.kept);
	kh_arena_done(&s.scratch);
	return 0;
}
