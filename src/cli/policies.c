/*
 * Tests a policy against expected decisions.  Each request is decided by `policy explain` itself, through the library's
 * API, so that the test and the explanation cannot differ.  Both files come from the operator; their text is shown in
 * quotes.
 */
#include "cli/policies.h"

#include "core/policy/expectation.h"
#include "home/file.h"

#include <time.h>

#define TESTS_SIZE ((size_t)1 << 20) /* bytes of a file of tests */

struct run {
	struct kh_frame *f;
	struct kh_view file;   /* of the tests, for messages */
	struct kh_view policy; /* path */
	struct kh_view text;   /* of the policy */
	struct kh_expectations tests;
	struct kh *kh;
	struct kh_buf buf; /* messages about tests that differ */
	yyjson_mut_doc *doc;
	yyjson_mut_val *results;
	size_t differ;
};

/* Finds the policy's path: that of the option, else as the tests name it, relative to their folder. */
static enum kh_err find_policy(struct run *r, const char *option)
{
	struct kh_view named = r->tests.policy;
	const char *slash = strrchr(r->f->words[0], '/');

	if (option != NULL)
		r->policy = kh_view_str(option);
	else if (named.n > 0 && named.p[0] != '/' && slash != NULL)
		r->policy = kh_arena_printf(&r->f->arena, "%.*s%.*s", (int)(slash + 1 - r->f->words[0]), r->f->words[0],
					    KH_FMT(named));
	else
		r->policy = named;
	if (r->policy.n == 0)
		return kh_error_set(&r->f->err, KH_EINPUT, "tests_invalid",
				    "%.*s names no policy: expected `policy: FILE` in it, or --policy FILE",
				    KH_FMT(r->file));
	return kh_file_named(&r->f->arena, r->policy, &r->text, &r->f->err);
}

/* Returns what `policy explain` says of a request, as JSON. */
static enum kh_err explain(struct run *r, const struct kh_expectation *test, yyjson_val **ret_out)
{
	struct kh_arena *arena = &r->f->arena;
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *in = yyjson_mut_obj(doc);
	struct kh_moment moment = {.now = (int64_t)time(NULL) * 1000000};
	struct kh_view text;
	struct kh_text *out;

	kh_json_add(doc, in, "policy", r->text);
	kh_json_add(doc, in, "file", r->policy);
	yyjson_mut_obj_add_val(doc, in, "request", yyjson_val_mut_copy(doc, test->request));
	enum kh_err e = kh_json_write(arena, in, &text);
	if (e != KH_OK)
		return kh_error_set(&r->f->err, e, "out_of_memory", "no memory for a request");
	e = kh_call(r->kh, KH_POLICY_EXPLAIN, text, &moment, &out, &r->f->err);
	if (e != KH_OK)
		return e;
	e = kh_json_read(arena, kh_text_view(out), ret_out, &r->f->err);
	kh_text_free(out);
	return e;
}

/* A request or a policy that is not usable is not a difference, because nothing was tested.  Names the test. */
static enum kh_err blame(struct run *r, const struct kh_expectation *test, const char *code, const char *detail)
{
	struct kh_view why = kh_arena_printf(&r->f->arena, "%s", detail), error = kh_view_str(code);

	return kh_error_set(&r->f->err, KH_EINPUT, code, "%.*s:%u: %.*s", KH_FMT(r->file), test->line,
			    KH_FMT(why.n > 0 ? why : error));
}

static bool is_as(yyjson_val *out, const char *member, struct kh_view expected)
{
	return expected.n == 0 || kh_view_eq(kh_json_str(kh_json_get(out, member)), expected);
}

/* Writes "deny at permission with DOMAIN_BLOCKED", as far as it is known. */
static void put_decision(struct kh_buf *buf, struct kh_view decision, struct kh_view gate, struct kh_view code)
{
	kh_buf_add(buf, decision);
	if (gate.n > 0)
		kh_buf_printf(buf, " at %.*s", KH_FMT(gate));
	if (code.n > 0)
		kh_buf_printf(buf, " with %.*s", KH_FMT(code));
}

static void put_difference(struct run *r, const struct kh_expectation *test, yyjson_val *out)
{
	struct kh_view rule = kh_json_str(kh_json_get(out, "rule")), why = kh_json_str(kh_json_get(out, "why"));
	yyjson_val *line = kh_json_get(out, "line");
	struct kh_buf *buf = &r->buf;

	kh_buf_printf(buf, "%.*s:%u: ", KH_FMT(r->file), test->line);
	if (test->name.n > 0) {
		kh_buf_add(buf, kh_arena_quote(&r->f->arena, test->name));
		kh_buf_lit(buf, ": ");
	}
	kh_buf_lit(buf, "expected ");
	put_decision(buf, test->decision, test->gate, test->code);
	kh_buf_lit(buf, "\n  it is ");
	put_decision(buf, kh_json_str(kh_json_get(out, "decision")), kh_json_str(kh_json_get(out, "gate")),
		     kh_json_str(kh_json_get(out, "code")));
	kh_buf_printf(buf, ", by %.*s", KH_FMT(rule));
	if (line != NULL)
		kh_buf_printf(buf, " (%.*s:%llu)", KH_FMT(r->policy), (unsigned long long)yyjson_get_uint(line));
	kh_buf_printf(buf, ": %.*s\n", KH_FMT(why));
}

static void add_result(struct run *r, const struct kh_expectation *test, yyjson_val *out, bool ok)
{
	static const char *const members[] = {"decision", "gate", "code", "rule", "line", "why"};
	yyjson_mut_val *result = yyjson_mut_arr_add_obj(r->doc, r->results), *expected, *got;

	if (test->name.n > 0)
		kh_json_add(r->doc, result, "name", test->name);
	yyjson_mut_obj_add_uint(r->doc, result, "line", test->line);
	yyjson_mut_obj_add_bool(r->doc, result, "ok", ok);
	expected = yyjson_mut_obj_add_obj(r->doc, result, "expected");
	kh_json_add(r->doc, expected, "decision", test->decision);
	if (test->gate.n > 0)
		kh_json_add(r->doc, expected, "gate", test->gate);
	if (test->code.n > 0)
		kh_json_add(r->doc, expected, "code", test->code);
	got = yyjson_mut_obj_add_obj(r->doc, result, "got");
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		yyjson_val *val = kh_json_get(out, members[i]);
		if (val != NULL)
			yyjson_mut_obj_add_val(r->doc, got, members[i], yyjson_val_mut_copy(r->doc, val));
	}
}

static enum kh_err run_test(struct run *r, const struct kh_expectation *test)
{
	yyjson_val *out = NULL;
	enum kh_err e = explain(r, test, &out);

	if (e == KH_EINPUT)
		return blame(r, test, "request_invalid", r->f->err.detail);
	if (e != KH_OK)
		return e;
	yyjson_val *error = kh_json_get(out, "error");
	if (error != NULL) /* its message names the policy's file and line */
		return kh_error_set(&r->f->err, KH_EINPUT, "policy_invalid", "%s",
				    yyjson_get_str(kh_json_get(error, "detail")));
	bool ok = is_as(out, "decision", test->decision) && is_as(out, "gate", test->gate) &&
		  is_as(out, "code", test->code);
	add_result(r, test, out, ok);
	if (!ok) {
		r->differ++;
		put_difference(r, test, out);
	}
	return KH_OK;
}

static int report(struct run *r)
{
	int status;

	if (r->f->options.json) {
		yyjson_mut_val *out = yyjson_mut_obj(r->doc);
		yyjson_mut_obj_add_uint(r->doc, out, "tests", r->tests.n);
		yyjson_mut_obj_add_uint(r->doc, out, "differ", r->differ);
		yyjson_mut_obj_add_val(r->doc, out, "results", r->results);
		status = kh_frame_object(r->f, out);
	} else {
		kh_buf_printf(&r->buf, "%zu test%s, %zu differ%s\n", r->tests.n, r->tests.n == 1 ? "" : "s", r->differ,
			      r->differ == 1 ? "s" : "");
		status = kh_frame_text(r->f, &r->buf);
	}
	return kh_frame_outcome(status, r->differ == 0);
}

int kh_policies_test(struct kh_frame *f)
{
	const struct kh_policies_args *a = f->args;
	struct run r = {.f = f, .doc = kh_json_new(&f->arena)};
	struct kh_view text;
	enum kh_err e = kh_frame_input(f, f->words[0], TESTS_SIZE, &text);

	r.file = kh_view_str(strcmp(f->words[0], "-") == 0 ? "stdin" : f->words[0]);
	r.results = yyjson_mut_arr(r.doc);
	kh_buf_init(&r.buf, &f->arena, KH_FRAME_TEXT);
	if (e == KH_OK)
		e = kh_expectation_read(&f->arena, text, r.file, &r.tests, &f->err);
	if (e == KH_OK)
		e = find_policy(&r, a->policy);
	if (e == KH_OK && kh_new(NULL, &r.kh) != KH_OK)
		e = kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	for (size_t i = 0; e == KH_OK && i < r.tests.n; i++)
		e = run_test(&r, &r.tests.at[i]);
	kh_free(r.kh);
	return e == KH_OK ? report(&r) : kh_frame_fail(f);
}
