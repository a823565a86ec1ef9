/* Sealed content by reference (K8): {"$block": id} in a parameter that the policy marks, towards where it says. */
#include "operating.h"

#include "base/buf.h"
#include "engine/comm/call.h"
#include "engine/context/put.h"

/* Searches inside may carry what was read; a search of the web may not, nor may anything that came from elsewhere. */
#define POLICY                                                                           \
	"policy:\n"                                                                      \
	"  release: immediate\n"                                                         \
	"  rates: {category_1: 1000000/second}\n"                                        \
	"  operations:\n"                                                                \
	"    - name: comm.search\n"                                                      \
	"      risk: low\n"                                                              \
	"      rate: 1000000/second\n"                                                   \
	"      scopes: [internal, web]\n"                                                \
	"      content_parameters: [query]\n"                                            \
	"      destinations: [{origin: comm.read, parameter: scope, to: [internal]}]\n"  \
	"    - name: comm.exec\n"                                                        \
	"      rate: 1000000/second\n"                                                   \
	"      commands: [{name: words, argv: [/usr/bin/wc]}]\n"                         \
	"      content_parameters: [args]\n"                                             \
	"      destinations: [{origin: comm.read}]\n"                                    \
	"    - {name: comm.read, risk: low, paths: [/srv/docs], rate: 1000000/second}\n" \
	"    - {name: comm.fetch, rate: 1000000/second}\n"

#define TEXT "The warehouse at Kiln Lane holds four hundred crates."

/* A block that comm.read brought, from SOURCE. */
static struct kh_view brought(struct kh_fixture *f, struct kh_view task, const char *source)
{
	struct kh_comm_call act;
	struct kh_comm_look look;

	must(f->t, kh_operating_call(f, task, KH_OPERATING_READ, KH_LIT(""), &act));
	assert_int_equal(act.next, KH_CALL_RUNS);
	struct kh_view id = kh_arena_dup(&f->arena, act.look.id);
	struct kh_comm_end end = {
		.declaration = act.look.row->id,
		.result = {.end = KH_ERRAND_OK,
			   .content = kh_tainted_wrap(KH_LIT(TEXT)),
			   .details = kh_tainted_wrap(KH_LIT("{}")),
			   .source = kh_view_str(source)},
	};
	must(f->t, kh_fixture_own(f, kh_comm_end_run, &end));
	must(f->t, kh_operating_look(f, id, &look));
	return kh_arena_dup(&f->arena, look.block);
}

/* A block that the controller put in, with what it says about it. */
static struct kh_view put(struct kh_fixture *f, struct kh_view task, const char *source, const char *operation)
{
	struct kh_put call = {.task = task,
			      .source = kh_view_str(source),
			      .operation = kh_view_str(operation),
			      .content = kh_tainted_wrap(KH_LIT(TEXT))};

	must(f->t, kh_fixture_call(f, f->controller, kh_put_run, &call));
	return kh_arena_dup(&f->arena, call.id);
}

/* A declaration of FORM, with the block's id in the place of each %s (at most two). */
static const char *declare(struct kh_fixture *f, const char *form, struct kh_view block)
{
	struct kh_view id = kh_arena_printf(&f->arena, "%.*s", KH_FMT(block));
	struct kh_buf out;
	struct kh_view text, rest = kh_view_str(form);
	size_t at;

	kh_buf_init(&out, &f->arena, 1 << 16);
	while ((at = kh_view_find(rest, KH_LIT("%s"), 0)) != SIZE_MAX) {
		kh_buf_add(&out, kh_view_sub(rest, 0, at));
		kh_buf_add(&out, id);
		rest = kh_view_from(rest, at + 2);
	}
	kh_buf_add(&out, rest);
	kh_buf_byte(&out, '\0');
	assert_int_equal(kh_buf_end(&out, &text), KH_OK);
	return text.p;
}

#define REASON  ",\"reason\":\"the crates of Kiln Lane are in no list\"}"
#define SEARCH  "{\"operation\":\"comm.search\",\"query\":{\"$block\":\"%s\"},\"scope\":\"internal\"" REASON
#define OUTSIDE "{\"operation\":\"comm.search\",\"query\":{\"$block\":\"%s\"},\"scope\":\"web\"" REASON
#define COUNT   "{\"operation\":\"comm.exec\",\"command\":\"words\",\"args\":[\"-w\",{\"$block\":\"%s\"}]" REASON

/* K8: the content is put in when it runs, and only then: the row, the Controller and the record have the reference. */
static void test_carried(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view task = kh_operating_task(f), block = brought(f, task, "/srv/docs/stock.txt");
	struct kh_comm_call act;
	static const struct kh_digest none;

	must(t, kh_operating_call(f, task, declare(f, SEARCH, block), KH_LIT(""), &act));
	assert_int_equal(act.next, KH_CALL_RUNS);
	assert_view(kh_json_str(kh_json_get(act.errand.parameters, "query")), TEXT);
	assert_view(kh_json_str(kh_json_get(act.errand.parameters, "scope")), "internal");
	const struct kh_declaration_row *row = kh_operating_row(f, act.look.id);
	assert_true(kh_view_find(row->parameters, KH_LIT("Kiln"), 0) == SIZE_MAX);
	assert_true(kh_view_find(row->parameters, block, 0) != SIZE_MAX);
	assert_true(kh_view_find(act.look.parameters, KH_LIT("Kiln"), 0) == SIZE_MAX);
	assert_true(memcmp(&row->content, &none, sizeof(none)) != 0);
}

/* K8: by default nowhere; otherwise where the policy says for that origin, in the parameters that it marks. */
static void test_destinations(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view task = kh_operating_task(f), block = brought(f, task, "/srv/docs/stock.txt");
	struct kh_view page = brought(f, task, "https://stock.example/");
	struct kh_comm_call act;

	must_fail(t, KH_EREFUSED, kh_operating_call(f, task, declare(f, OUTSIDE, block), KH_LIT(""), &act));
	assert_code(t, "content_not_allowed");
	must_fail(t, KH_EREFUSED, kh_operating_call(f, task, declare(f, SEARCH, page), KH_LIT(""), &act));
	assert_code(t, "content_not_allowed");
	must_fail(t, KH_EINPUT,
		  kh_operating_call(f, task,
				    declare(f,
					    "{\"operation\":\"comm.exec\",\"command\":\"words\",\"args\":[[{\"$block\":"
					    "\"%s\"}]]" REASON,
					    block),
				    KH_LIT(""), &act));
}

/* K8: what somebody put in has no host and no operation for its origin, whatever its giver says about it. */
static void test_put(struct kh_test *t)
{
	static const char *const sources[] = {"/srv/docs/stock.txt", "comm.read", "https://comm.read/"};
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view task = kh_operating_task(f);
	struct kh_comm_call act;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		struct kh_view block = put(f, task, sources[i], "comm.read");
		must_fail(t, KH_EREFUSED, kh_operating_call(f, task, declare(f, SEARCH, block), KH_LIT(""), &act));
		assert_code(t, "content_not_allowed");
	}
}

static void test_default(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, KH_OPERATING_POLICY);
	struct kh_view task = kh_operating_task(f), block = brought(f, task, "/srv/docs/stock.txt");
	struct kh_comm_call act;

	must_fail(t, KH_EREFUSED, kh_operating_call(f, task, declare(f, SEARCH, block), KH_LIT(""), &act));
	assert_code(t, "content_not_allowed");
	must_fail(t, KH_EREFUSED, kh_operating_call(f, task, declare(f, COUNT, block), KH_LIT(""), &act));
}

/* K8: a reference is one member with one id, in the place of one value; inside another there is none. */
static void test_forms(struct kh_test *t)
{
	static const char *const bad[] = {
		"{\"operation\":\"comm.search\",\"query\":{\"$block\":{\"$block\":\"%s\"}},\"scope\":"
		"\"internal\"" REASON,
		"{\"operation\":\"comm.search\",\"query\":{\"$block\":\"%s\",\"more\":1},\"scope\":\"internal\"" REASON,
		"{\"operation\":\"comm.search\",\"query\":{\"text\":{\"$block\":\"%s\"}},\"scope\":\"internal\"" REASON,
		"{\"operation\":\"comm.search\",\"query\":[{\"$block\":\"%s\"}],\"scope\":\"internal\"" REASON,
		"{\"operation\":\"comm.search\",\"query\":{\"$block\":7},\"scope\":\"internal\"" REASON,
		"{\"operation\":\"comm.search\",\"query\":{\"$block\":\"\"},\"scope\":\"internal\"" REASON,
		"{\"operation\":\"comm.search\",\"query\":{\"$block\":\"b0000000000000000\"},\"scope\":"
		"\"internal\"" REASON,
		"{\"operation\":\"comm.fetch\",\"url\":{\"$block\":\"%s\"}" REASON,
		"{\"operation\":\"comm.exec\",\"command\":{\"$block\":\"%s\"}" REASON,
		"{\"operation\":\"comm.exec\",\"command\":\"words\",\"args\":{\"$block\":\"%s\"}" REASON,
		"{\"operation\":\"comm.read\",\"path\":{\"$block\":\"%s\"}" REASON,
	};
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view task = kh_operating_task(f), block = brought(f, task, "/srv/docs/stock.txt");

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_comm_call act = {0};
		enum kh_err e = kh_operating_call(f, task, declare(f, bad[i], block), KH_LIT(""), &act);
		if (e == KH_OK)
			fail_msg("it was let through: %s", bad[i]);
		if (e == KH_ENOMEM)
			must(t, e);
	}
}

/* K8: another context's block does not exist, and a delivery is not sealed content. */
static void test_whose(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view theirs = kh_fixture_block(f, f->hosted, kh_fixture_task(f, f->hosted), TEXT);
	struct kh_view task = kh_operating_task(f);
	struct kh_comm_call act;

	must_fail(t, KH_EUNKNOWN, kh_operating_call(f, task, declare(f, SEARCH, theirs), KH_LIT(""), &act));
	assert_code(t, "unknown_block");
}

/* What somebody did to a block in the store. */
struct change {
	int64_t id;
	bool hash;
	bool purge;
};

static enum kh_err change_block(struct kh_op *op, void *call)
{
	const struct change *change = call;
	struct kh_block_row *row;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, change->id, &row);

	if (e != KH_OK)
		return e;
	row->content = change->purge ? KH_LIT("") : KH_LIT("The warehouse is empty.");
	if (change->purge)
		row->purged_at = op->now;
	if (change->hash)
		row->content_hash = kh_canonical_digest(row->content);
	/* No change goes unrecorded: this one is on the record, and is found all the same. */
	return kh_op_event(op, KH_AUDIT_CONTEXT_BLOCK, NULL, KH_LIT("{\"event\":\"test\"}"));
}

/* K8, A2, E10: approved with its content; changed or purged afterwards it does not run, whoever said yes. */
static void test_changed(struct kh_test *t)
{
	static const struct {
		bool hash, purge;
	} all[] = {{false, false}, {true, false}, {false, true}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_fixture *f = kh_fixture_fresh(t, POLICY);
		struct kh_view task = kh_operating_task(f), block = brought(f, task, "/srv/docs/stock.txt");
		struct change change = {kh_fixture_number(f, KH_ID_BLOCK, block), all[i].hash, all[i].purge};
		struct kh_comm_call act;

		f->unverified = true; /* the store was changed by hand: the record does not agree any more */
		must(t, kh_operating_call(f, task, declare(f, COUNT, block), KH_LIT(""), &act));
		assert_int_equal(act.next, KH_CALL_WAITS);
		struct kh_view id = kh_arena_dup(&f->arena, act.look.id);
		must(t, kh_approving_decide(f, f->reviewer, act.look.approval, KH_CHOICE_APPROVE, NULL));
		must(t, kh_fixture_own(f, change_block, &change));
		enum kh_err e = kh_operating_call(f, task, NULL, id, &act);
		if (e == KH_ENOMEM)
			must(t, e);
		assert_true(e != KH_OK || act.next != KH_CALL_RUNS);
	}
}

/* K8: unchanged, the approved one runs, with the content in the place of the reference. */
static void test_approved(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view task = kh_operating_task(f), block = brought(f, task, "/srv/docs/stock.txt");
	struct kh_comm_call act;

	must(t, kh_operating_call(f, task, declare(f, COUNT, block), KH_LIT(""), &act));
	assert_int_equal(act.next, KH_CALL_WAITS);
	struct kh_view id = kh_arena_dup(&f->arena, act.look.id);
	must(t, kh_approving_decide(f, f->reviewer, act.look.approval, KH_CHOICE_APPROVE, NULL));
	must(t, kh_operating_call(f, task, NULL, id, &act));
	assert_int_equal(act.next, KH_CALL_RUNS);
	assert_view(kh_json_str(yyjson_arr_get(kh_json_get(act.errand.parameters, "args"), 1)), TEXT);
}

/* A2, I-35: a grant is for a block.  That it covers another one would show that both have the same content. */
static void test_same_content(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, POLICY);
	struct kh_view task = kh_operating_task(f);
	struct kh_digest content[2];
	struct kh_comm_call act;

	for (size_t i = 0; i < 2; i++) {
		struct kh_view block = brought(f, task, "/srv/docs/stock.txt");
		must(t, kh_operating_call(f, task, declare(f, COUNT, block), KH_LIT(""), &act));
		content[i] = kh_operating_row(f, act.look.id)->content;
	}
	assert_true(memcmp(&content[0], &content[1], sizeof(content[0])) != 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_carried),  KH_TEST_ONCE(test_destinations), KH_TEST_ONCE(test_default),
	KH_TEST_ONCE(test_forms),    KH_TEST_ONCE(test_whose),        KH_TEST_ONCE(test_changed),
	KH_TEST_ONCE(test_approved), KH_TEST_ONCE(test_put),          KH_TEST_ONCE(test_same_content),
};
KH_TEST_MAIN(cases)
