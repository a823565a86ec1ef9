/* Events as lines of text, JSON and CEF, and the filter (L4). */
#include "cli/eventtext.h"
#include "engine/audit/eventfilter.h"
#include "store/history.h"

#include <stdio.h>

struct call {
	struct kh_test *t;
	struct kh_eventline line;
	struct kh_buf buf;
	int64_t id;
	void (*line_of)(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf); /* or */
	void (*write)(const struct kh_eventtext *event, struct kh_buf *buf);
	struct kh_eventfilter wanted;
	struct kh_eventfilter filter;
	size_t passed;
};

static enum kh_err write_one(struct kh_txn *txn, void *arg)
{
	struct call *c = arg;
	struct kh_audit_entry entry;

	kh_txn_use_arena(txn, &c->t->arena);
	enum kh_err e = kh_eventline_init(&c->line, txn);
	if (e != KH_OK)
		return e;
	e = kh_audit_get(txn, &c->t->arena, c->id, &entry);
	if (e == KH_OK && c->line_of != NULL) {
		c->line_of(&c->line, &entry, &c->buf);
	} else if (e == KH_OK) {
		struct kh_eventtext event;
		kh_eventtext_of(&c->line, &entry, &event);
		c->write(&event, &c->buf);
		e = kh_arena_check(&c->line.arena);
	}
	kh_eventline_done(&c->line);
	return e;
}

static struct kh_view run(struct kh_test *t, struct kh_history *h, struct call c)
{
	struct kh_view text;

	c.t = t;
	kh_buf_init(&c.buf, &t->arena, 1U << 20);
	kh_history_open(h);
	enum kh_err e = kh_store_read(h->store, write_one, &c, &t->err);
	kh_history_close(h);
	must(t, e);
	must(t, kh_buf_end(&c.buf, &text));
	return text;
}

static struct kh_view written(struct kh_test *t, struct kh_history *h, int64_t id,
			      void (*write)(const struct kh_eventtext *, struct kh_buf *))
{
	return run(t, h, (struct call){.id = id, .write = write});
}

static struct kh_view line_of(struct kh_test *t, struct kh_history *h, int64_t id,
			      void (*line)(struct kh_eventline *, const struct kh_audit_entry *, struct kh_buf *))
{
	return run(t, h, (struct call){.id = id, .line_of = line});
}

static bool has(struct kh_view text, const char *part)
{
	bool yes = kh_view_find(text, kh_view_str(part), 0) != SIZE_MAX;

	if (!yes)
		print_error("no %s in %.*s\n", part, KH_FMT(text));
	return yes;
}

static size_t lines(struct kh_view text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

static void test_text(struct kh_test *t)
{
	struct kh_view text = written(t, kh_history_fresh(), 6, kh_eventtext_text);

	assert_int_equal(lines(text), 1);
	assert_int_equal(text.p[0], 'e'); /* its public id */
	assert_true(has(kh_view_from(text, 17), "  2025-11-15T08:00:04Z  block.sealed        t"));
	assert_true(has(text, "agent         {\"size\":27}\n"));
	text = written(t, kh_history_fresh(), 1, kh_eventtext_text);
	assert_true(has(text, "store.created       system             keyhole\n"));
}

/* The event itself is in the line byte for byte: its hash is that of what stands there. */
static void test_json(struct kh_test *t)
{
	struct kh_view text = line_of(t, kh_history_fresh(), 6, kh_eventline_json);
	struct kh_view body, again;
	yyjson_val *root;

	assert_int_equal(lines(text), 1);
	must(t, kh_json_read(&t->arena, text, &root, &t->err));
	must(t, kh_canonical_json(&t->arena, kh_json_get(root, "event"), &body, &t->err));
	must(t, kh_canonical_json(&t->arena, root, &again, &t->err));
	assert_true(kh_view_eq(again, kh_view_sub(text, 0, text.n - 1)));
	struct kh_digest digest = kh_canonical_digest(body);
	struct kh_view hex = kh_canonical_hex(&t->arena, &digest);
	must(t, kh_arena_check(&t->arena));
	assert_true(kh_view_eq(kh_json_str(kh_json_get(root, "hash")), hex));
	assert_view(kh_json_str(kh_json_get(root, "name")), "agent");
	assert_int_equal(kh_json_str(kh_json_get(root, "task")).n, 17);
	assert_int_equal(kh_json_str(kh_json_get(root, "principal")).p[0], 'k');
}

/* Nothing of an event begins another field or line of CEF, however it was chosen. */
static void test_cef(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	struct kh_view text = written(t, h, 6, kh_eventtext_cef);

	assert_int_equal(lines(text), 1);
	assert_true(has(text, "CEF:0|Keyhole|Keyhole|"));
	assert_true(has(text, "|block.sealed|block.sealed|3|externalId=e"));
	assert_true(has(text, " rt=1763193604000 suid=k"));
	assert_true(has(text, " suser=agent cs1Label=task cs1=t"));
	assert_true(has(text, " msg={\"size\":27}\n"));
	kh_history_sql(h, "UPDATE tokens SET name = 'a=b' || char(10) || 'CEF:0|x\\' WHERE id = 3;"
			  "UPDATE task_audits SET kind = 'k|i=' || char(13) || char(27) || '\\', "
			  "body = replace(body, '{\"size\":27}', '{\"a\":\"x=y\\n|\"}') WHERE id = 6");
	text = written(t, h, 6, kh_eventtext_cef);
	assert_int_equal(lines(text), 1);
	assert_true(has(text, "|k\\|i=\\r \\\\|"));
	assert_true(has(text, " suser=a\\=b\\nCEF:0|x\\\\ cs1Label"));
	assert_true(has(text, " msg={\"a\":\"x\\=y\\\\n|\"}\n"));
}

static void test_whole(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	struct kh_view text = written(t, h, 6, kh_eventtext_whole);

	assert_true(has(text, "event e") && has(text, ", block.sealed\n"));
	assert_true(has(text, "  chain     t"));
	assert_true(has(text, ", number 2\n"));
	assert_true(has(text, "  follows   event e"));
	assert_true(has(text, "row 1 of blocks\n"));
	assert_true(has(text, "              trust           untrusted\n"));
	assert_true(kh_view_find(text, KH_LIT("NOT THE HASH"), 0) == SIZE_MAX);
	kh_history_sql(h, "UPDATE task_audits SET body = replace(body, 'untrusted', 'trusted') WHERE id = 6");
	assert_true(has(written(t, h, 6, kh_eventtext_whole), "NOT THE HASH OF THIS EVENT"));
	/* What cannot be read is shown as that. */
	kh_history_sql(h, "UPDATE task_audits SET body = '{' WHERE id = 6");
	assert_true(has(written(t, h, 6, kh_eventtext_whole), "(cannot be read)"));
	assert_true(has(line_of(t, h, 6, kh_eventline_json), "{\"event\":\"\\\"{\\\"\",\"hash\":"));
}

/* An event that came as a line of JSON is written as the one of the store. */
static void test_read(struct kh_test *t)
{
	static void (*const writes[])(const struct kh_eventtext *,
				      struct kh_buf *) = {kh_eventtext_text, kh_eventtext_cef, kh_eventtext_whole};
	struct kh_history *h = kh_history_fresh();

	for (int64_t id = 1; id <= 6; id++) {
		struct kh_view line = line_of(t, h, id, kh_eventline_whole), text;
		struct kh_eventtext event;
		must(t, kh_eventtext_read(&t->arena, line, &event));
		for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
			struct kh_buf buf;
			kh_buf_init(&buf, &t->arena, 1U << 20);
			writes[i](&event, &buf);
			must(t, kh_buf_end(&buf, &text));
			must(t, kh_arena_check(&t->arena));
			assert_true(kh_view_eq(text, written(t, h, id, writes[i])));
		}
	}
	struct kh_eventtext none;
	must_fail(t, KH_EINPUT, kh_eventtext_read(&t->arena, KH_LIT("{}"), &none));
	must_fail(t, KH_EINPUT, kh_eventtext_read(&t->arena, KH_LIT("<html>"), &none));
}

static bool count(const struct kh_audit_entry *entry, void *arg)
{
	struct call *c = arg;

	c->passed += kh_eventfilter_passes(&c->filter, &c->line, entry);
	return true;
}

static enum kh_err filter_all(struct kh_txn *txn, void *arg)
{
	struct call *c = arg;

	kh_txn_use_arena(txn, &c->t->arena);
	enum kh_err e = kh_eventline_init(&c->line, txn);
	if (e != KH_OK)
		return e;
	c->filter = c->wanted;
	if (kh_view_eq(c->wanted.task, KH_LIT("first")))
		c->filter.task = kh_arena_dup(&c->t->arena, kh_eventline_task(&c->line, 1));
	e = kh_arena_check(&c->t->arena);
	if (e == KH_OK)
		e = kh_eventfilter_read(&c->filter, c->line.id_key, &c->t->err);
	if (e == KH_OK)
		e = kh_audit_read(txn, 0, count, c);
	kh_eventline_done(&c->line);
	return e;
}

static enum kh_err filter(struct kh_test *t, struct kh_eventfilter wanted, size_t *ret_passed)
{
	struct kh_history *h = kh_history_fresh();
	struct call c = {.t = t, .wanted = wanted};
	struct kh_error err;

	kh_history_open(h);
	enum kh_err e = kh_store_read(h->store, filter_all, &c, &err);
	kh_history_close(h);
	*ret_passed = c.passed;
	return e;
}

static void test_filter(struct kh_test *t)
{
	static const struct {
		struct kh_eventfilter wanted;
		size_t passed;
	} all[] = {
		{{.has_task = false}, 22},
		{{.task = KH_LIT_INIT("system")}, 8},
		{{.task = KH_LIT_INIT("first")}, 13},
		{{.kind = KH_LIT_INIT("query")}, 4},
		{{.kind = KH_LIT_INIT("query.delivered")}, 1},
		{{.kind = KH_LIT_INIT("store")}, 1},
		{{.principal = KH_LIT_INIT("vera")}, 2},
		{{.principal = KH_LIT_INIT("keyhole")}, 6},
		{{.principal = KH_LIT_INIT("nobody")}, 0},
		{{.since = KH_LIT_INIT("2025-11-15")}, 22},
		{{.until = KH_LIT_INIT("2025-11-15")}, 0},
		{{.since = KH_LIT_INIT("2025-11-15T08:00:04Z"), .until = KH_LIT_INIT("2025-11-15T08:00:05Z")}, 1},
		{{.since = KH_LIT_INIT("2025-11-15T08:00:04Z"),
		  .kind = KH_LIT_INIT("approval"),
		  .principal = KH_LIT_INIT("vera")},
		 2},
	};
	size_t passed;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must(t, filter(t, all[i].wanted, &passed));
		if (passed != all[i].passed)
			print_error("filter %zu\n", i);
		assert_int_equal(passed, all[i].passed);
	}
}

/* What cannot be understood is refused: it does not just pass nothing. */
static void test_filter_refused(struct kh_test *t)
{
	static const struct kh_eventfilter all[] = {
		{.task = KH_LIT_INIT("1")},
		{.task = KH_LIT_INIT("t0")},
		{.task = KH_LIT_INIT("q0123456789abcdef")},
		{.kind = KH_LIT_INIT("quer")},
		{.kind = KH_LIT_INIT("")},
		{.kind = KH_LIT_INIT("query.")},
		{.since = KH_LIT_INIT("yesterday")},
		{.since = KH_LIT_INIT("2025-13-01")},
		{.until = KH_LIT_INIT("2025-11-15T08:00:00+01:00")},
	};
	size_t passed;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_fail(t, KH_EINPUT, filter(t, all[i], &passed));
		assert_string_equal(t->err.code, "bad_value");
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_text), KH_TEST_ONCE(test_json),   KH_TEST_ONCE(test_cef),           KH_TEST_ONCE(test_whole),
	KH_TEST_ONCE(test_read), KH_TEST_ONCE(test_filter), KH_TEST_ONCE(test_filter_refused)};
KH_TEST_MAIN(cases)
