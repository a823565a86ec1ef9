/* L1-L3: the tables of columns are whole and in order: what they leave out would be neither stored nor audited. */
#include "opened.h"

static size_t size_of(const struct kh_column *c)
{
	switch (c->kind) {
	case KH_COLUMN_INT:
		return sizeof(int64_t);
	case KH_COLUMN_WORD:
		return sizeof(unsigned);
	case KH_COLUMN_DIGEST:
		return sizeof(struct kh_digest);
	case KH_COLUMN_TEXT:
	case KH_COLUMN_SEALED:
		return sizeof(struct kh_view);
	}
	return 0;
}

/* Ascending: the audit's members are in this order, and canonical JSON has no other. */
static void test_record_order(struct kh_test *t)
{
	(void)t;
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		const struct kh_record *record = kh_record_of((enum kh_table)i);
		assert_true(record->count > 0 && record->count <= KH_RECORD_COLUMNS);
		for (size_t k = 0; k < record->count; k++) {
			assert_string_not_equal(record->columns[k].name, "id");
			struct kh_view key = record->columns[k].key, name = kh_view_str(record->columns[k].name);
			assert_true(kh_view_eq(kh_view_sub(key, 1, key.n - 2), name));
			assert_true(kh_view_starts(key, KH_LIT("\"")) && kh_view_ends(key, KH_LIT("\":")));
			if (k > 0 && strcmp(record->columns[k - 1].name, record->columns[k].name) >= 0)
				fail_msg("%s.%s is out of order", record->table, record->columns[k].name);
			assert_true((record->columns[k].kind == KH_COLUMN_WORD) == (record->columns[k].words != NULL));
		}
	}
}

/* Every byte of a row is its id, of one column, or padding after a word. */
static void test_record_covers_rows(struct kh_test *t)
{
	unsigned char owner[sizeof(union opened_row)];

	(void)t;
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		const struct kh_record *record = kh_record_of((enum kh_table)i);
		assert_true(record->size <= sizeof(owner));
		memset(owner, 0, sizeof(owner));
		memset(owner, 1, sizeof(int64_t));
		for (size_t k = 0; k < record->count; k++) {
			const struct kh_column *c = &record->columns[k];
			assert_true(c->offset + size_of(c) <= record->size);
			for (size_t n = 0; n < size_of(c); n++) {
				if (owner[c->offset + n] != 0)
					fail_msg("%s.%s lies on another column", record->table, c->name);
				owner[c->offset + n] = c->kind == KH_COLUMN_WORD ? 2 : 1;
			}
		}
		for (size_t n = 0; n < record->size; n++) {
			bool padding = n % 8 >= 4 && owner[n - n % 8] == 2;
			if (owner[n] == 0 && !padding)
				fail_msg("%s: byte %zu of the row is in no column", record->table, n);
		}
	}
}

/* One difference is seen in its column and in no other; texts are compared by what they say. */
static void test_record_same(struct kh_test *t)
{
	union opened_row a, b;

	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		const struct kh_record *record = kh_record_of((enum kh_table)i);
		for (size_t k = 0; k < record->count; k++) {
			const struct kh_column *c = &record->columns[k];
			opened_fill((enum kh_table)i, &t->arena, 1, &a);
			opened_fill((enum kh_table)i, &t->arena, 1, &b); /* other pointers, the same texts */
			must(t, kh_arena_check(&t->arena));
			for (size_t n = 0; n < record->count; n++)
				assert_true(kh_record_same(&record->columns[n], &a, &b));
			if (c->kind == KH_COLUMN_TEXT || c->kind == KH_COLUMN_SEALED)
				memcpy((char *)&b + c->offset, &KH_LIT("other"), sizeof(struct kh_view));
			else
				((char *)&b)[c->offset] ^= 1;
			for (size_t n = 0; n < record->count; n++)
				assert_int_equal(kh_record_same(&record->columns[n], &a, &b), n != k);
		}
	}
}

/* An empty text is an empty text, whether or not it points somewhere. */
static void test_record_empty_texts(struct kh_test *t)
{
	struct kh_need_row a = {.id = 1}, b = {.id = 1, .name = KH_LIT("")};
	const struct kh_record *record = kh_record_of(KH_TABLE_NEEDS);

	(void)t;
	for (size_t i = 0; i < record->count; i++)
		assert_true(kh_record_same(&record->columns[i], &a, &b));
}

/* Chain heads are not in events; nothing else is left out. */
static void test_record_chains(struct kh_test *t)
{
	(void)t;
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		const struct kh_record *record = kh_record_of((enum kh_table)i);
		size_t count = 0;
		for (size_t k = 0; k < record->count; k++) {
			if (!record->columns[k].chain)
				continue;
			count++;
			assert_memory_equal(record->columns[k].name, "audit_", 6);
		}
		assert_int_equal(count, i == KH_TABLE_SYSTEM ? 3 : i == KH_TABLE_TASKS ? 4 : 0);
	}
}

/* L5: what untrusted content is in is sealed: it is never in an event. */
static void test_record_sealed(struct kh_test *t)
{
	static const struct {
		enum kh_table table;
		const char *name;
	} sealed[] = {
		{KH_TABLE_SYSTEM, "id_key"},     {KH_TABLE_BLOCKS, "content"},
		{KH_TABLE_BLOCKS, "prints"},     {KH_TABLE_QUERIES, "held"},
		{KH_TABLE_EFFECTS, "raw"},       {KH_TABLE_EFFECTS, "reasons"},
		{KH_TABLE_APPROVALS, "subject"}, {KH_TABLE_APPROVALS, "edited"},
		{KH_TABLE_RESULTS, "details"},   {KH_TABLE_RESULTS, "original"},
		{KH_TABLE_SENT, "last"},         {KH_TABLE_SENT, "lines"},
		{KH_TABLE_UPSTREAMS, "about"},   {KH_TABLE_UPSTREAMS, "seen_about"},
		{KH_TABLE_TOOLS, "name"},        {KH_TABLE_TOOLS, "pinned"},
		{KH_TABLE_TOOLS, "seen"},        {KH_TABLE_TOOLS, "words"},
	};
	size_t found = 0;

	(void)t;
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		const struct kh_record *record = kh_record_of((enum kh_table)i);
		for (size_t k = 0; k < record->count; k++)
			found += record->columns[k].kind == KH_COLUMN_SEALED;
	}
	assert_int_equal(found, sizeof(sealed) / sizeof(sealed[0]));
	for (size_t i = 0; i < sizeof(sealed) / sizeof(sealed[0]); i++) {
		const struct kh_record *record = kh_record_of(sealed[i].table);
		bool is = false;
		for (size_t k = 0; k < record->count; k++)
			is = is || (strcmp(record->columns[k].name, sealed[i].name) == 0 &&
				    record->columns[k].kind == KH_COLUMN_SEALED);
		assert_true(is);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_record_order),       KH_TEST_ONCE(test_record_covers_rows), KH_TEST(test_record_same),
	KH_TEST_ONCE(test_record_empty_texts), KH_TEST_ONCE(test_record_chains),      KH_TEST_ONCE(test_record_sealed),
};
KH_TEST_MAIN(cases)
