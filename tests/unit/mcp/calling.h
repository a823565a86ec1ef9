/*
 * What the tests of tools share: a gateway over the engine's fixture, and a tool run to its end by steps, as an
 * exchange does it.  Every result is held against the tool's own output schema.
 *
 *     struct kh_calling c = kh_calling_begin(t, NULL);
 *     yyjson_val *got = kh_calling_ok(&c, c.f->controller, "task_open", "{\"title\":\"a\"}");
 *     assert_view(kh_json_str(kh_json_get(got, "phase")), "planning");
 */
#ifndef KH_TESTS_UNIT_MCP_CALLING_H
#define KH_TESTS_UNIT_MCP_CALLING_H

#include "../engine/fixture.h"
#include "base/buf.h"
#include "engine/approval/decide.h"
#include "engine/approval/show.h"
#include "mcp/tools.h"
#include "rpc/schema.h"

#include <stdlib.h>
#include <time.h>

#define KH_CALLING_WAIT  INT64_C(300000) /* microseconds that a call waits */
#define KH_CALLING_STEPS 2000

struct kh_calling {
	struct kh_test *t;
	struct kh_fixture *f;
	struct kh_gateway *gateway;
	struct kh_view task, block;
	/* Called between two steps of a call that waits, once; or NULL. */
	void (*meanwhile)(struct kh_calling *c);
	struct kh_mcp_call call; /* the latest; its result borrows from it */
	struct kh_mcp_result result;
	char approval[KH_ASKING_ID]; /* what it set */
	unsigned waits;              /* how often it waited */
	bool stop;                   /* the next call is stopped when it waits */
};

static struct kh_gateway *kh_calling_gateway; /* outlives a test that ends by longjmp */

static inline void kh_calling_close(void)
{
	if (kh_calling_gateway != NULL) {
		if (!kh_gateway_stop(kh_calling_gateway, INT64_C(60000000)))
			abort();
		kh_gateway_free(kh_calling_gateway);
	}
	kh_calling_gateway = NULL;
}

static struct kh_view kh_calling_lasting; /* what the latest call kept */

static inline void kh_calling_forget(void)
{
	free((void *)(uintptr_t)kh_calling_lasting.p);
	kh_calling_lasting = (struct kh_view){NULL, 0};
}

/* A gateway, and a task of the controller's with one sealed block. */
static inline struct kh_calling kh_calling_begin(struct kh_test *t, const char *yaml)
{
	static bool registered;
	struct kh_calling c = {.t = t};
	struct kh_error err = {0};

	kh_calling_close();              /* before the fixture may close its engine */
	c.f = kh_fixture_fresh(t, yaml); /* a gateway carries out what an earlier test has left */
	if (!registered)
		registered = atexit(kh_calling_close) == 0 && atexit(kh_calling_forget) == 0;
	struct kh_gateway_settings settings = {.engine = c.f->engine, .wait = KH_CALLING_WAIT};
	if (kh_gateway_new(&settings, &kh_calling_gateway, &err) != KH_OK)
		fail_msg("no gateway: %s", err.detail);
	c.gateway = kh_calling_gateway;
	c.task = kh_fixture_task(c.f, c.f->controller);
	c.block = kh_fixture_block(c.f, c.f->controller, c.task, "A mail with the word sesamecanary in it.");
	return c;
}

static inline struct kh_who kh_calling_who(struct kh_calling *c, struct kh_view token)
{
	struct kh_who who = {0};
	struct kh_error err = {0};

	if (kh_gateway_who(c->gateway, kh_token_read(c->f->engine, token), true, &who, &err) != KH_OK)
		fail_msg("nobody has this token: %s", err.detail);
	return who;
}

static inline void kh_calling_rest(const struct kh_work *work)
{
	int64_t left = work->wake_at - kh_works_now();

	if (work->wake_at == 0 || left > 5000)
		left = 5000;
	if (left > 0)
		nanosleep(&(struct timespec){.tv_nsec = left * 1000}, NULL);
}

/* The tool of this name that ROLE sees, or NULL. */
static inline const struct kh_mcp_tool *kh_calling_tool(const char *name, enum kh_role role)
{
	size_t count;
	const struct kh_mcp_tool *all = kh_mcp_tools_all(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(all[i].name, name) == 0 && (all[i].roles & KH_ROLE_BIT(role)) != 0)
			return &all[i];
	}
	return NULL;
}

/* Runs a tool of ROLE's to its end, with arguments that its schema takes. */
static inline enum kh_err kh_calling_run(struct kh_calling *c, struct kh_view token, const char *name, const char *json)
{
	struct kh_test *t = c->t;
	struct kh_who who = kh_calling_who(c, token);
	const struct kh_mcp_tool *tool = kh_calling_tool(name, who.role);
	struct kh_work work = {0};
	struct kh_mcp_call *call = &c->call;

	*call = (struct kh_mcp_call){
		.gateway = c->gateway,
		.token = kh_token_read(c->f->engine, token),
		.who = &who,
		.arena = &t->arena,
		.err = &t->err,
		.work = &work,
		.tool = tool,
	};
	if (tool == NULL)
		fail_msg("%s is not for this role", name);
	kh_calling_forget();
	call->arguments = kh_fixture_json(c->f, kh_view_str(json));
	must(t,
	     kh_rpc_schema_check(&t->arena, kh_fixture_json(c->f, kh_view_str(tool->input)), call->arguments, &t->err));
	c->result = (struct kh_mcp_result){0};
	c->waits = 0;
	for (unsigned i = 0; i < KH_CALLING_STEPS; i++) {
		work.wake_at = work.wake_chain = 0;
		call->doc = kh_json_new(&t->arena);
		if (call->doc == NULL)
			return KH_ENOMEM;
		t->err = (struct kh_error){.offset = SIZE_MAX};
		if (tool->run(call, &c->result) == KH_WORK_DONE) {
			memcpy(c->approval, call->approval, sizeof(c->approval));
			return c->result.e;
		}
		kh_calling_lasting = call->lasting;
		call->arguments = NULL; /* the first step's alone */
		c->waits++;
		call->stopping = c->stop;
		if (c->meanwhile != NULL && call->approval[0] != '\0')
			memcpy(c->approval, call->approval, sizeof(c->approval));
		if (c->meanwhile != NULL) {
			void (*meanwhile)(struct kh_calling *) = c->meanwhile;
			c->meanwhile = NULL;
			meanwhile(c);
		}
		kh_calling_rest(&work);
	}
	fail_msg("%s does not end", name);
	return KH_ENOMEM;
}

/* The same where it must succeed: what it said, which must be of its output schema. */
static inline yyjson_val *kh_calling_ok(struct kh_calling *c, struct kh_view token, const char *name, const char *json)
{
	struct kh_view text;

	must(c->t, kh_calling_run(c, token, name, json));
	must(c->t, kh_json_write(&c->t->arena, c->result.structured, &text));
	yyjson_val *said = kh_fixture_json(c->f, text);
	struct kh_error err = {0};
	enum kh_err e = kh_rpc_schema_check(&c->f->arena, kh_fixture_json(c->f, kh_view_str(c->call.tool->output)),
					    said, &err);
	if (e != KH_OK)
		fail_msg("%s said %.*s: %s %s: %s", name, KH_FMT(text), err.code, err.member, err.detail);
	assert_true(kh_view_find(text, KH_LIT("sesamecanary"), 0) == SIZE_MAX ||
		    c->result.trust != NULL); /* sealed content goes to Readers alone, and has its label */
	return said;
}

/* The same where it must fail, with this code, and something to do about it. */
static inline void kh_calling_fails(struct kh_calling *c, struct kh_view token, const char *name, const char *json,
				    const char *code)
{
	enum kh_err e = kh_calling_run(c, token, name, json);

	if (e == KH_ENOMEM)
		must(c->t, e);
	assert_int_not_equal(e, KH_OK);
	assert_string_equal(c->t->err.code, code);
	assert_non_null(c->result.next);
	assert_null(c->result.structured);
}

static inline const char *kh_calling_text(struct kh_calling *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static inline const char *kh_calling_text(struct kh_calling *c, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	struct kh_view text = kh_arena_vprintf(&c->f->arena, fmt, args);
	va_end(args);
	return text.p;
}

#define member_is(obj, key, want) assert_view(kh_json_str(kh_json_get((obj), (key))), (want))

/* A reviewer is shown all of an approval and decides it. */
static inline void kh_calling_decide(struct kh_calling *c, struct kh_view id, enum kh_choice choice)
{
	struct kh_approval_show show = {.approval = id, .page = 1};
	struct kh_error err = {0};

	if (kh_engine_call(c->f->engine, kh_token_read(c->f->engine, c->f->reviewer), kh_approval_show_run, &show,
			   &c->f->arena, &err) != KH_OK)
		fail_msg("the approval is not shown: %s", err.detail);
	struct kh_approval_decide decide = {
		.approval = id,
		.choice = choice,
		.shown = kh_json_str(kh_json_get(kh_fixture_json(c->f, show.json), "digest")),
		.from = KH_LIT("test"),
	};
	if (kh_engine_call(c->f->engine, kh_token_read(c->f->engine, c->f->reviewer), kh_approval_decide_run, &decide,
			   &c->f->arena, &err) != KH_OK)
		fail_msg("the approval is not decided: %s", err.detail);
	kh_gateway_look(c->gateway);
}

/* What a method that is no tool is called with. */
static inline struct kh_mcp_call kh_calling_call(struct kh_calling *c, struct kh_view token, struct kh_who *who)
{
	*who = kh_calling_who(c, token);
	return (struct kh_mcp_call){
		.gateway = c->gateway,
		.token = kh_token_read(c->f->engine, token),
		.who = who,
		.arena = &c->t->arena,
		.doc = kh_json_new(&c->t->arena),
		.err = &c->t->err,
	};
}

/* What it gave, as a client gets it. */
static inline yyjson_val *kh_calling_said(struct kh_calling *c, yyjson_mut_val *result)
{
	struct kh_view text;

	must(c->t, kh_json_write(&c->t->arena, result, &text));
	return kh_fixture_json(c->f, text);
}

/* The texts of LIST, or of member KEY of its objects, each with a blank after it. */
static inline const char *kh_calling_joined(struct kh_calling *c, yyjson_val *list, const char *key)
{
	struct kh_buf buf;
	struct kh_view text = {"", 0};
	yyjson_val *item;
	size_t i, n;

	kh_buf_init(&buf, &c->f->arena, 65536);
	yyjson_arr_foreach (list, i, n, item) {
		kh_buf_add(&buf, kh_json_str(key != NULL ? kh_json_get(item, key) : item));
		kh_buf_byte(&buf, ' ');
	}
	kh_buf_byte(&buf, '\0');
	assert_int_equal(kh_buf_end(&buf, &text), KH_OK);
	return text.p;
}

#endif
