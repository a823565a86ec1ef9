#include "opened.h"

#include "store/audit.h"

struct script {
	struct kh_arena *arena;
	int64_t last;
	char order[64]; /* of what was read: t and s, and the id as a digit */
	size_t stop_after, n;
	struct kh_audit_entry entry;
	struct kh_backend_checkpoint checkpoint;
};

static enum kh_err append(struct kh_txn *txn, int64_t id, int64_t chain, struct kh_view body)
{
	struct kh_audit_entry entry = {.id = id, .chain = chain, .n = id, .prev = id - 1, .at = id * 100, .by = 3};

	entry.kind = chain != 0 ? KH_LIT("query.admitted") : KH_LIT("token.created");
	entry.body = body;
	memset(entry.hash.bytes, (int)id, KH_DIGEST_SIZE);
	return txn->backend->append(txn, &entry);
}

/* Chains 5, 0, 0, 5, 6, 0. */
static enum kh_err append_some(struct kh_txn *txn, void *arg)
{
	static const int64_t chains[] = {5, 0, 0, 5, 6, 0};
	struct script *s = arg;
	enum kh_err e = txn->backend->last_event(txn, &s->last);

	assert_int_equal(s->last, 0);
	for (int64_t id = 1; id <= 6 && e == KH_OK; id++)
		e = append(txn, id, chains[id - 1], kh_arena_printf(s->arena, "{\"event\":%d}", (int)id));
	return e == KH_OK ? txn->backend->last_event(txn, &s->last) : e;
}

static bool note(const struct kh_audit_entry *entry, void *arg)
{
	struct script *s = arg;

	s->order[s->n * 2] = entry->chain != 0 ? 't' : 's';
	s->order[s->n * 2 + 1] = (char)('0' + entry->id);
	assert_int_equal(entry->n, entry->id);
	assert_int_equal(entry->prev, entry->id - 1);
	assert_int_equal(entry->at, entry->id * 100);
	assert_int_equal(entry->by, 3);
	assert_int_equal(entry->hash.bytes[31], entry->id);
	s->n++;
	return s->n != s->stop_after;
}

static enum kh_err read_all(struct kh_txn *txn, void *arg)
{
	return txn->backend->read(txn, 0, false, note, arg);
}

static enum kh_err read_after(struct kh_txn *txn, void *arg)
{
	return txn->backend->read(txn, 3, false, note, arg);
}

static enum kh_err read_system(struct kh_txn *txn, void *arg)
{
	return kh_audit_read_system(txn, 2, note, arg);
}

static enum kh_err get_entry(struct kh_txn *txn, void *arg)
{
	struct script *s = arg;

	return txn->backend->entry(txn, s->arena, s->last, &s->entry);
}

/* L1, L3: events go into their table, and come out of both in the order of their ids. */
static void test_events(struct kh_test *test)
{
	struct script s = {.arena = &test->arena};
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, append_some, &s, &o.err));
	assert_int_equal(s.last, 6);
	must_store(&o, kh_store_read(o.store, read_all, &s, &o.err));
	assert_string_equal(s.order, "t1s2s3t4t5s6");
	s = (struct script){.arena = &test->arena, .stop_after = 2};
	must_store(&o, kh_store_run(o.store, read_after, &s, &o.err));
	assert_string_equal(s.order, "t4t5");
	s = (struct script){.arena = &test->arena};
	must_store(&o, kh_store_read(o.store, read_system, &s, &o.err));
	assert_string_equal(s.order, "s3s6");
	s.last = 3;
	must_store(&o, kh_store_read(o.store, get_entry, &s, &o.err));
	assert_view(s.entry.kind, "token.created");
	assert_view(s.entry.body, "{\"event\":3}");
	s.last = 5;
	must_store(&o, kh_store_read(o.store, get_entry, &s, &o.err));
	assert_int_equal(s.entry.chain, 6);
	s.last = 7;
	assert_int_equal(kh_store_read(o.store, get_entry, &s, &o.err), KH_EUNKNOWN);
	opened_remove(&o);
}

/* No event is written twice, none without a place in its chain. */
static enum kh_err append_again(struct kh_txn *txn, void *arg)
{
	(void)arg;
	return append(txn, 4, 5, KH_LIT("{}"));
}

static void test_event_twice(struct kh_test *test)
{
	struct script s = {.arena = &test->arena};
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, append_some, &s, &o.err));
	must_store_fail(&o, KH_ESTORE, "store_refused", kh_store_run(o.store, append_again, &s, &o.err));
	opened_remove(&o);
}

static enum kh_err add_checkpoints(struct kh_txn *txn, void *arg)
{
	static const char signature[64] = "signature";
	struct script *s = arg;
	enum kh_err e = txn->backend->checkpoint(txn, s->arena, 0, &s->checkpoint);

	assert_int_equal(e, KH_EUNKNOWN);
	e = KH_OK;
	for (int64_t id = 1; id <= 3 && e == KH_OK; id++) {
		struct kh_backend_checkpoint c = {id, kh_arena_printf(s->arena, "{\"n\":%d}", (int)id),
						  kh_view_of(signature, sizeof(signature))};
		e = txn->backend->add_checkpoint(txn, &c);
	}
	return e;
}

static enum kh_err get_checkpoint(struct kh_txn *txn, void *arg)
{
	struct script *s = arg;

	return txn->backend->checkpoint(txn, s->arena, s->last, &s->checkpoint);
}

static enum kh_err add_unsigned(struct kh_txn *txn, void *arg)
{
	(void)arg;
	return txn->backend->add_checkpoint(txn, &(struct kh_backend_checkpoint){4, KH_LIT("{}"), KH_LIT("short")});
}

static void test_checkpoints(struct kh_test *test)
{
	struct script s = {.arena = &test->arena};
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, add_checkpoints, &s, &o.err));
	must_store(&o, kh_store_read(o.store, get_checkpoint, &s, &o.err));
	assert_int_equal(s.checkpoint.id, 3);
	s.last = 2;
	must_store(&o, kh_store_read(o.store, get_checkpoint, &s, &o.err));
	assert_view(s.checkpoint.body, "{\"n\":2}");
	assert_int_equal(s.checkpoint.signature.n, 64);
	s.last = 9;
	assert_int_equal(kh_store_read(o.store, get_checkpoint, &s, &o.err), KH_EUNKNOWN);
	must_store_fail(&o, KH_ESTORE, "store_refused", kh_store_run(o.store, add_unsigned, &s, &o.err));
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_events),
	KH_TEST_ONCE(test_event_twice),
	KH_TEST_ONCE(test_checkpoints),
};
KH_TEST_MAIN(cases)
