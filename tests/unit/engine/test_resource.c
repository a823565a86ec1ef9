/* U3, U4: a resource of an upstream server is read through all gates, of a server that a human has approved. */
#include "tooling.h"

#define POLICY                                                                                          \
	"upstreams:\n"                                                                                  \
	"  - {name: mail, command: [/bin/true], timeout_seconds: 7}\n"                                  \
	"  - {name: desk, command: [/bin/true], write: [/srv/desk]}\n"                                  \
	"  - {name: far, command: [/bin/true]}\n"                                                       \
	"policy:\n"                                                                                     \
	"  release: immediate\n"                                                                        \
	"  egress_bytes: 100\n"                                                                         \
	"  operations:\n"                                                                               \
	"    - {name: comm.resource, risk: low, effects: none, approval: auto, rate: 1000000/second,\n" \
	"       arguments: [{parameter: uri, to: ['mail:**']}]}\n"

static struct kh_fixture *open(struct kh_test *t)
{
	static const char *const servers[] = {"mail", "desk"};
	struct kh_fixture *f = kh_fixture_open(t, POLICY);

	for (size_t i = 0; i < 2; i++) {
		kh_tooling_see(f, servers[i], "one", NULL, 0);
		kh_tooling_approve(f, servers[i]);
	}
	return f;
}

static enum kh_err read_one(struct kh_fixture *f, struct kh_view task, const char *server, const char *uri,
			    struct kh_comm_call *ret_call)
{
	struct kh_view text = kh_arena_printf(
		&f->arena,
		"{\"operation\":\"comm.resource\",\"parameters\":{\"server\":\"%s\",\"uri\":"
		"\"%s\"},\"phase\":\"execution\",\"reason\":\"the user asked what mail has "
		"come today\"}",
		server, uri);

	return kh_operating_call(f, task, text.p, KH_LIT(""), ret_call);
}

/* The errand names the server as it was approved, and the URI; an end that fails is sealed too. */
static void test_read(struct kh_test *t)
{
	struct kh_digest program = kh_canonical_digest(KH_LIT("one"));
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f);
	struct kh_comm_call made;
	struct kh_comm_look look;

	for (int i = 0; i < 2; i++) {
		must(t, read_one(f, task, "mail", "mail:inbox", &made));
		assert_int_equal(made.next, KH_CALL_RUNS);
		assert_true(made.errand.tool->is_resource);
		assert_view(made.errand.tool->server, "mail");
		assert_view(made.errand.tool->name, "mail:inbox");
		assert_memory_equal(&made.errand.tool->program, &program, sizeof(program));
		assert_int_equal(made.errand.tool->context, made.look.row->context);
		assert_int_equal(made.errand.limits.seconds, 7);
		kh_operating_end(f, &made, i == 0 ? KH_ERRAND_OK : KH_ERRAND_FAILED, "two mails");
		must(t, kh_operating_look(f, made.look.id, &look));
		assert_int_equal(look.ended, i == 0 ? KH_ENDED_OK : KH_ENDED_FAILED);
		assert_true(look.block.n > 0);
	}
}

/* Who was approved is named, and what a rule or a grammar does not allow is refused. */
static void test_refused(struct kh_test *t)
{
	static const struct {
		const char *server, *uri, *code;
	} bad[] = {
		{"none", "mail:inbox", "unknown_upstream"}, {"host", "mail:inbox", "unknown_upstream"},
		{"far", "mail:inbox", "unknown_upstream"}, /* configured, and nobody approved it */
		{"mail", "note:1", "argument_not_allowed"}, {"mail", "mail:../x", "bad_uri"},
		{"m/ail", "mail:inbox", "bad_name"},
	};
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_comm_call made;
		enum kh_err e = read_one(f, task, bad[i].server, bad[i].uri, &made);
		if (e == KH_ENOMEM)
			must(t, e);
		assert_code(t, bad[i].code);
		if (i == 0)
			assert_non_null(strstr(t->err.detail, "mail, desk"));
	}
	kh_tooling_see(f, "far", "one", NULL, 0);
	struct kh_comm_call made;
	must_fail(t, KH_EREFUSED, read_one(f, task, "far", "mail:inbox", &made));
	assert_code(t, "unknown_upstream");
}

/* U5: the URI counts as sent if the server can keep it. */
static void test_egress(struct kh_test *t)
{
	static const char uri[] = "mail:a-name-of-sixty-bytes-that-somebody-may-have-chosen-to-tell";
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f);
	struct kh_comm_call made;

	must(t, read_one(f, task, "mail", uri, &made));
	assert_int_equal(made.look.row->egress, 0);
	kh_operating_end(f, &made, KH_ERRAND_OK, "");
	must(t, read_one(f, task, "desk", uri, &made));
	assert_int_equal(made.look.row->egress, sizeof(uri) - 1);
	kh_operating_end(f, &made, KH_ERRAND_OK, "");
	must_fail(t, KH_EREFUSED, read_one(f, task, "desk", uri, &made));
	assert_code(t, "egress_exceeded");
}

static struct kh_view pending(struct kh_fixture *f, struct kh_view declaration)
{
	struct kh_approval_row *approval = kh_fixture_row(f, KH_TABLE_APPROVALS,
							  kh_operating_row(f, declaration)->asks);

	assert_int_equal(approval->kind, KH_APPROVE_UPSTREAM);
	assert_view(approval->operation, "comm.mcp.mail");
	return kh_publicid_text(&f->arena, kh_engine_id_key(f->engine), KH_ID_APPROVAL, approval->id);
}

/* U4: a changed program holds the server, even if it changes back; what is read of it waits for one approval. */
static void test_held(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_tooling_execute(f);
	struct kh_comm_call one, two;
	struct kh_comm_look look;

	kh_tooling_see(f, "mail", "two", NULL, 0);
	kh_tooling_see(f, "mail", "one", NULL, 0);
	must(t, read_one(f, task, "mail", "mail:inbox", &one));
	assert_int_equal(one.next, KH_CALL_WAITS);
	assert_true(one.look.held);
	kh_tooling_see(f, "mail", "two", NULL, 0); /* what was shown is no more: the next call asks anew */
	must(t, kh_operating_call(f, task, NULL, one.look.id, &one));
	must(t, read_one(f, task, "mail", "mail:sent", &two));
	struct kh_view approval = pending(f, one.look.id);
	assert_true(kh_view_eq(pending(f, two.look.id), approval));
	must_fail(t, KH_EREFUSED, kh_approving_decide(f, f->reviewer, approval, KH_CHOICE_APPROVE, NULL));
	must(t, kh_approving_decide(f, f->admin, approval, KH_CHOICE_APPROVE, NULL));
	must(t, kh_operating_look(f, two.look.id, &look));
	assert_int_equal(look.row->state, KH_DECLARATION_DECLARED);
	must(t, kh_operating_call(f, task, NULL, one.look.id, &one));
	assert_int_equal(one.next, KH_CALL_RUNS);
	struct kh_digest program = kh_canonical_digest(KH_LIT("two"));
	assert_memory_equal(&one.errand.tool->program, &program, sizeof(program));
	kh_operating_end(f, &one, KH_ERRAND_OK, "no mail");
	/* A review approves the server too. */
	kh_tooling_see(f, "mail", "three", NULL, 0);
	must(t, read_one(f, task, "mail", "mail:inbox", &one));
	assert_int_equal(one.next, KH_CALL_WAITS);
	kh_tooling_approve(f, "mail");
	must(t, kh_operating_call(f, task, NULL, one.look.id, &one));
	assert_int_equal(one.next, KH_CALL_RUNS);
	kh_operating_end(f, &one, KH_ERRAND_OK, "no mail");
}

static const struct kh_test_case cases[] = {KH_TEST(test_read), KH_TEST(test_refused), KH_TEST(test_egress),
					    KH_TEST(test_held)};
KH_TEST_MAIN(cases)
