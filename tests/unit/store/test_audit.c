#include "harness.h"
#include "store/audit.h"
#include "store/backend.h"
#include "store/rows.h"

/* L3: the bytes of an event up to and with `prev`, as audit.h writes them down. */
static void test_head(struct kh_test *t)
{
	struct kh_digest prev = {.bytes = {0x01, 0xab, [31] = 0xf0}};
	struct kh_audit_entry entry = {.id = 345,
				       .chain = 12,
				       .n = 17,
				       .prev = 340,
				       .at = 1763193600000000,
				       .by = 3,
				       .kind = KH_LIT("query.admitted")};
	struct kh_view head;
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	kh_audit_head(&buf, &entry, &prev);
	must(t, kh_buf_end(&buf, &head));
	assert_view(head, "{\"at\":1763193600000000,\"by\":3,\"chain\":12,\"event\":345,\"kind\":\"query.admitted\","
			  "\"n\":17,\"prev\":\"01ab0000000000000000000000000000000000000000000000000000000000f0\"");
	assert_int_equal(kh_audit_format(head), 1);
	/* D2: format 2 has no number over all chains, and may name the end of the system's. */
	struct kh_chain system = {.n = 9, .head = prev};
	entry.format = KH_AUDIT_FORMAT;
	entry.seen = &system;
	kh_buf_init(&buf, &t->arena, 4096);
	kh_audit_head(&buf, &entry, &prev);
	must(t, kh_buf_end(&buf, &head));
	assert_view(head, "{\"at\":1763193600000000,\"by\":3,\"chain\":12,\"format\":2,\"kind\":\"query.admitted\","
			  "\"n\":17,\"prev\":\"01ab0000000000000000000000000000000000000000000000000000000000f0\","
			  "\"seen\":[9,\"01ab0000000000000000000000000000000000000000000000000000000000f0\"]");
	assert_int_equal(kh_audit_format(head), 2);
}

/* Columns that somebody changed are written as they are, however long, so that they differ from the body. */
static void test_head_extremes(struct kh_test *t)
{
	struct kh_digest prev = {.bytes = {0}};
	struct kh_audit_entry entry = {
		.id = INT64_MIN, .chain = INT64_MAX, .n = -1, .at = INT64_MIN, .by = INT64_MIN, .kind = KH_LIT("")};
	struct kh_view head;
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	kh_audit_head(&buf, &entry, &prev);
	must(t, kh_buf_end(&buf, &head));
	assert_view(head, "{\"at\":-9223372036854775808,\"by\":-9223372036854775808,\"chain\":9223372036854775807,"
			  "\"event\":-9223372036854775808,\"kind\":\"\",\"n\":-1,"
			  "\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\"");

	char kind[1000];
	memset(kind, 'k', sizeof(kind));
	for (size_t n = 60; n <= sizeof(kind); n += n < 70 ? 1 : 310) {
		entry.kind = kh_view_of(kind, n);
		kh_buf_init(&buf, &t->arena, 4096);
		kh_audit_head(&buf, &entry, &prev);
		must(t, kh_buf_end(&buf, &head));
		size_t at = kh_view_find(head, KH_LIT("\"kind\":\""), 0);
		assert_int_not_equal(at, SIZE_MAX);
		assert_int_equal(kh_view_find(head, KH_LIT("\",\"n\":-1,"), 0), at + strlen("\"kind\":\"") + n);
	}
	kh_buf_init(&buf, &t->arena, 100);
	kh_audit_head(&buf, &entry, &prev);
	must_fail(t, KH_ELIMIT, kh_buf_end(&buf, &head));
}

/* A whole event is canonical JSON: the members' order is that of RFC 8785. */
static void test_head_is_canonical(struct kh_test *t)
{
	struct kh_digest prev = kh_canonical_digest(KH_LIT("before"));
	struct kh_audit_entry entry = {.id = 1, .chain = 0, .n = 1, .at = 1, .by = 0, .kind = KH_LIT("alert")};
	struct kh_view body, again;
	yyjson_val *root;
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	kh_audit_head(&buf, &entry, &prev);
	kh_buf_lit(&buf, ",\"set\":[],\"what\":{}}");
	must(t, kh_buf_end(&buf, &body));
	must(t, kh_json_read(&t->arena, body, &root, &t->err));
	must(t, kh_canonical_json(&t->arena, root, &again, &t->err));
	assert_true(kh_view_eq(body, again));
}

/* Every kind has one word, and no two the same. */
static void test_kinds(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_audit_kind_words.n, KH_AUDIT_KIND_COUNT);
	for (unsigned i = 0; i < KH_AUDIT_KIND_COUNT; i++) {
		unsigned back = KH_AUDIT_KIND_COUNT;
		assert_non_null(kh_audit_kind_words.at[i]);
		assert_true(kh_words_parse(&kh_audit_kind_words, kh_view_str(kh_audit_kind_words.at[i]), &back));
		assert_int_equal(back, i);
	}
}

struct seen {
	int64_t id;
};

static enum kh_err fake_read(struct kh_txn *txn, int64_t after, bool system_only, kh_audit_fn *fn, void *arg)
{
	assert_false(system_only);
	(void)txn;
	for (int64_t id = after + 1; id <= 5; id++) {
		if (!fn(&(struct kh_audit_entry){.id = id}, arg))
			break;
	}
	return KH_OK;
}

static enum kh_err fake_entry(struct kh_txn *txn, struct kh_arena *arena, int64_t id, struct kh_audit_entry *ret_entry)
{
	(void)txn;
	(void)arena;
	if (id > 5)
		return KH_EUNKNOWN;
	*ret_entry = (struct kh_audit_entry){.id = id};
	return KH_OK;
}

static bool see(const struct kh_audit_entry *entry, void *arg)
{
	struct seen *seen = arg;

	assert_int_equal(entry->id, seen->id + 1);
	seen->id = entry->id;
	return entry->id < 4;
}

/* Reading goes to the transaction's own backend, and stops where it is told to. */
static void test_read_goes_to_backend(struct kh_test *t)
{
	struct kh_backend backend = {.read = fake_read, .entry = fake_entry};
	struct kh_txn txn = {.backend = &backend};
	struct seen seen = {.id = 2};
	struct kh_audit_entry entry;

	must(t, kh_audit_read(&txn, 2, see, &seen));
	assert_int_equal(seen.id, 4);
	must(t, kh_audit_get(&txn, &t->arena, 5, &entry));
	assert_int_equal(entry.id, 5);
	must_fail(t, KH_EUNKNOWN, kh_audit_get(&txn, &t->arena, 6, &entry));
}

static const struct kh_test_case cases[] = {KH_TEST(test_head), KH_TEST(test_head_extremes),
					    KH_TEST(test_head_is_canonical), KH_TEST(test_kinds),
					    KH_TEST(test_read_goes_to_backend)};
KH_TEST_MAIN(cases)
