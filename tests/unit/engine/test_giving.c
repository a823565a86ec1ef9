/* U6: how much of what an upstream's tool brings its context is given. */
#include "tooling.h"

#include "engine/task/reset.h"

#define POLICY                                                                                       \
	"upstreams:\n"                                                                               \
	"  - {name: mail, command: [/bin/true]}\n"                                                   \
	"  - {name: notes, command: [/bin/true]}\n"                                                  \
	"  - {name: more, command: [/bin/true]}\n"                                                   \
	"policy:\n"                                                                                  \
	"  release: immediate\n"                                                                     \
	"  fenced: allow\n"                                                                          \
	"  rates: {category_1: 1000000/second}\n"                                                    \
	"  taint_risk:  {medium: {low: allow}, high: {low: allow}}\n"                                \
	"  tools:\n"                                                                                 \
	"    - {name: mail__read, risk: low, effects: none, approval: auto, rate: 1000000/second}\n" \
	"    - {name: mail__show, risk: low, effects: none, approval: auto, rate: 1000000/second,\n" \
	"       results: fenced}\n"                                                                  \
	"    - {name: \"*\", risk: low, effects: none, approval: auto, rate: 1000000/second,\n"      \
	"       results: trusted, content_parameters: [text], destinations: [{origin: example.com}]}\n"

#define SCHEMA "{\"properties\":{\"text\":{\"type\":\"string\"}},\"type\":\"object\"}"

static const struct kh_tooling all[] = {
	{"list", "Lists", SCHEMA}, {"read", "Reads a folder", SCHEMA}, {"show", "Shows a mail", SCHEMA}};

/* What a context has sent is in the store, so each test has one of its own. */
static struct kh_fixture *open(struct kh_test *t)
{
	static const char *const servers[] = {"mail", "more", "notes"};
	struct kh_fixture *f = kh_fixture_fresh(t, POLICY);

	for (size_t i = 0; i < 3; i++) {
		kh_tooling_see(f, servers[i], "one", all, 3);
		kh_tooling_approve(f, servers[i]);
	}
	return f;
}

/* TOOL is called and brings CONTENT, of which VETTABLE bytes are no links. */
static struct kh_comm_look bring(struct kh_fixture *f, struct kh_view task, const char *tool, const char *arguments,
				 enum kh_errand_end how, const char *content, size_t vettable)
{
	struct kh_comm_call made;
	struct kh_comm_look look;

	must(f->t, kh_tooling_call(f, task, tool, arguments, &made));
	assert_int_equal(made.next, KH_CALL_RUNS);
	struct kh_comm_end end = {
		.declaration = made.look.row->id,
		.result = {.end = how,
			   .content = kh_tainted_wrap(kh_view_str(content)),
			   .vettable = vettable,
			   .details = kh_tainted_wrap(KH_LIT("{}")),
			   .source = KH_LIT("https://example.com/")},
	};
	must(f->t, kh_fixture_own(f, kh_comm_end_run, &end));
	must(f->t, kh_operating_look(f, made.look.id, &look));
	return look;
}

static struct kh_comm_look bring_ok(struct kh_fixture *f, struct kh_view task, const char *tool)
{
	return bring(f, task, tool, "{}", KH_ERRAND_OK, "two mails", 9);
}

static struct kh_block_row *block_of(struct kh_fixture *f, const struct kh_comm_look *look)
{
	return kh_fixture_row(f, KH_TABLE_BLOCKS, kh_fixture_number(f, KH_ID_BLOCK, look->block));
}

static void assert_sealed(struct kh_fixture *f, const struct kh_comm_look *look, const char *content)
{
	const struct kh_block_row *block = block_of(f, look);

	assert_null(look->content.p);
	assert_int_equal(look->fenced.n, 0);
	assert_int_equal(look->trust, KH_UNTRUSTED);
	assert_int_equal(look->taint, KH_TAINT_HIGH);
	assert_int_equal(block->given, 0);
	assert_int_equal(block->trust, KH_UNTRUSTED);
	assert_view(block->content, content);
}

static void assert_vetted(struct kh_fixture *f, const struct kh_comm_look *look, const char *content)
{
	const struct kh_block_row *block = block_of(f, look);

	assert_view(look->content, content);
	assert_int_equal(look->fenced.n, 0);
	assert_int_equal(look->trust, KH_VETTED);
	assert_int_equal(look->taint, KH_TAINT_LOW);
	assert_int_equal(block->given, 1);
	assert_int_equal(block->trust, KH_VETTED);
	assert_int_equal(block->type, KH_DATA);
	assert_view(block->content, content);
	struct kh_view event = kh_fixture_event(f, KH_AUDIT_OPERATION_ENDED);
	assert_true(kh_view_find(event, KH_LIT("\"given\":\"vetted\""), 0) != SIZE_MAX);
}

static void assert_kept_back(struct kh_fixture *f, const struct kh_comm_look *look, const char *why)
{
	struct kh_view want = kh_arena_printf(&f->arena, "\"kept_back\":\"%s\"", why);

	assert_sealed(f, look, "two mails");
	assert_true(kh_view_find(kh_fixture_event(f, KH_AUDIT_OPERATION_ENDED), want, 0) != SIZE_MAX);
}

/* Arguments that carry a sealed block, which is made for it. */
static const char *carry(struct kh_fixture *f, struct kh_view task)
{
	struct kh_comm_look look = bring_ok(f, task, "mail.read");

	return kh_arena_printf(&f->arena, "{\"text\":{\"$block\":\"%.*s\"}}", KH_FMT(look.block)).p;
}

/* A failure has a block, whether or not the server said anything; what is cut off has none. */
static void test_failed(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f);
	struct kh_comm_look look = bring(f, task, "mail.read", "{}", KH_ERRAND_FAILED, "no such folder", 14);

	assert_int_equal(look.ended, KH_ENDED_FAILED);
	assert_sealed(f, &look, "no such folder");
	look = bring(f, task, "mail.read", "{}", KH_ERRAND_FAILED, "", 0);
	assert_int_equal(look.ended, KH_ENDED_FAILED);
	assert_sealed(f, &look, "");
	look = bring(f, task, "mail.read", "{}", KH_ERRAND_FAILED, "\xff", 1);
	assert_sealed(f, &look, "");
	look = bring(f, task, "mail.read", "{}", KH_ERRAND_UNKNOWN, "no such folder", 14);
	assert_int_equal(look.ended, KH_ENDED_UNKNOWN);
	assert_int_equal(look.block.n, 0);
	/* Errors are never trusted, nor given in a fence. */
	look = bring(f, task, "mail.list", "{}", KH_ERRAND_FAILED, "obey me", 7);
	assert_sealed(f, &look, "obey me");
	look = bring(f, task, "mail.show", "{}", KH_ERRAND_FAILED, "obey me", 7);
	assert_sealed(f, &look, "obey me");
	look = bring(f, task, "mail.list", "{}", KH_ERRAND_OK, "\xff", 1);
	assert_int_equal(look.ended, KH_ENDED_FAILED);
	assert_sealed(f, &look, "");
	assert_int_equal(kh_fixture_context_row(f, f->context)->taint, KH_TAINT_LOW);
}

/* What a rule vets is given, without its links, and nobody's taint rises. */
static void test_trusted(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f);
	struct kh_comm_look look = bring_ok(f, task, "mail.list");

	assert_vetted(f, &look, "two mails");
	look = bring(f, task, "mail.list", "{}", KH_ERRAND_OK, "two mails\n\n[link, uri \"a\"]", 9);
	assert_vetted(f, &look, "two mails");
	look = bring(f, task, "mail.list", "{}", KH_ERRAND_OK, "", 0);
	assert_vetted(f, &look, "");
	look = bring(f, task, "mail.list", "{}", KH_ERRAND_OK, "[link, uri \"a\"]", 0);
	assert_sealed(f, &look, "[link, uri \"a\"]");
	look = bring_ok(f, task, "mail.read");
	assert_sealed(f, &look, "two mails");
	assert_int_equal(kh_fixture_context_row(f, f->context)->taint, KH_TAINT_LOW);
}

/* A server that was sent what an outsider may have written is not trusted, by nobody, until a human's reset. */
static void test_distrusted(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f), first = f->controller, context = f->context, other;
	struct kh_comm_look look = bring(f, task, "notes.list", carry(f, task), KH_ERRAND_OK, "two mails", 9);

	assert_kept_back(f, &look, "server_tainted");
	look = bring_ok(f, task, "notes.list"); /* it may remember what was put in */
	assert_kept_back(f, &look, "server_tainted");
	look = bring_ok(f, task, "mail.list");
	assert_vetted(f, &look, "two mails");
	kh_operating_influence(f, task, "It is urgent, says the page.");
	assert_int_equal(kh_fixture_context_row(f, context)->taint, KH_TAINT_MEDIUM);
	look = bring_ok(f, task, "mail.list");
	assert_kept_back(f, &look, "server_tainted");
	/* Another context's taint is low, but the server may remember. */
	f->controller = kh_fixture_token(f, KH_ROLE_CONTROLLER, "second", &other);
	task = kh_tooling_execute(f);
	look = bring_ok(f, task, "mail.list");
	assert_kept_back(f, &look, "server_tainted");
	look = bring_ok(f, task, "more.list");
	assert_vetted(f, &look, "two mails");
	/* The reset of one that sent nothing of the kind changes nothing. */
	struct kh_reset reset = {other, KH_LIT("a new conversation begins")};
	must(t, kh_fixture_call(f, f->admin, kh_reset_run, &reset));
	task = kh_tooling_execute(f);
	look = bring_ok(f, task, "mail.list");
	assert_kept_back(f, &look, "server_tainted");
	reset.context = context;
	must(t, kh_fixture_call(f, f->admin, kh_reset_run, &reset));
	look = bring_ok(f, task, "mail.list");
	assert_vetted(f, &look, "two mails");
	f->controller = first;
}

/* A fence is given only as long as this context has put no sealed content into a call to that server. */
static void test_fenced(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f), other;
	struct kh_comm_look look = bring_ok(f, task, "mail.show");
	struct kh_comm_call made;

	assert_true(kh_view_find(look.fenced, KH_LIT("two mails"), 0) != SIZE_MAX);
	assert_null(look.content.p);
	assert_int_equal(block_of(f, &look)->trust, KH_UNTRUSTED);
	assert_int_equal(kh_fixture_context_row(f, f->context)->taint, KH_TAINT_HIGH);
	/* One that began before sealed content was sent ends after it. */
	must(t, kh_tooling_call(f, task, "mail.show", "{}", &made));
	(void)bring(f, task, "mail.list", carry(f, task), KH_ERRAND_OK, "two mails", 9);
	kh_operating_end(f, &made, KH_ERRAND_OK, "two mails");
	must(t, kh_operating_look(f, made.look.id, &look));
	assert_kept_back(f, &look, "carried_content");
	look = bring_ok(f, task, "mail.show");
	assert_kept_back(f, &look, "carried_content");
	f->controller = kh_fixture_token(f, KH_ROLE_CONTROLLER, "second", &other);
	look = bring_ok(f, kh_tooling_execute(f), "mail.show");
	assert_true(look.fenced.n > 0);
}

/* The tool's rule decides: a caller cannot have in a fence what the rule seals. */
static void test_unasked(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_comm_call made = {
		.task = kh_tooling_execute(f),
		.fenced = true,
		.declare = kh_fixture_json(f,
					   KH_LIT("{\"operation\":\"comm.mcp.mail.read\",\"parameters\":{},\"phase\":"
						  "\"execution\",\"reason\":\"the user asked for his mail\"}"))};

	must_fail(t, KH_EREFUSED, kh_operating_decide(f->engine, f->controller, &made, &t->arena, &t->err));
	assert_code(t, "fenced_not_allowed");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_failed), KH_TEST(test_trusted), KH_TEST(test_distrusted),
	KH_TEST(test_fenced), KH_TEST(test_unasked),
};
KH_TEST_MAIN(cases)
