/* Checkpoints: what is signed, and that only that is read (L3). */
#include "history.h"

#include <sodium.h>
#include <stdio.h>

struct look {
	struct kh_test *t;
	struct kh_history *h;
	struct kh_backend_checkpoint stored;
	struct kh_view line;
	const struct kh_checkpoint_key *key;
	int64_t number;
	struct kh_error err;
};

static enum kh_err look_at(struct kh_txn *txn, void *arg)
{
	struct look *l = arg;
	enum kh_err e = txn->backend->checkpoint(txn, &l->t->arena, l->number, &l->stored);

	return e == KH_OK ? kh_checkpoint_line(txn, l->number, &l->t->arena, &l->line) : e;
}

static enum kh_err look_up(struct look *l, int64_t number)
{
	l->number = number;
	kh_history_open(l->h);
	enum kh_err e = kh_store_read(l->h->store, look_at, l, &l->err);
	kh_history_close(l->h);
	return e;
}

/* A key of a seed is the same key every time; it is Ed25519's. */
static void test_key(struct kh_test *t)
{
	static const unsigned char seed[32] = {1, 2, 3};
	struct kh_checkpoint_key a, b;
	unsigned char signature[64];

	(void)t;
	kh_checkpoint_key(seed, &a);
	kh_checkpoint_key(seed, &b);
	assert_memory_equal(&a, &b, sizeof(a));
	crypto_sign_detached(signature, NULL, (const unsigned char *)"abc", 3, a.secret);
	struct kh_view s = kh_view_of((const char *)signature, 64);
	assert_true(kh_checkpoint_signed(KH_LIT("abc"), s, &a.public));
	assert_false(kh_checkpoint_signed(KH_LIT("abd"), s, &a.public));
	assert_false(kh_checkpoint_signed(KH_LIT("abc"), kh_view_sub(s, 0, 63), &a.public));
	signature[5] ^= 1;
	assert_false(kh_checkpoint_signed(KH_LIT("abc"), s, &a.public));
	kh_checkpoint_forget(&a);
	assert_true(sodium_is_zero((const unsigned char *)&a, sizeof(a)));
}

/* The heads are those of the chains that have events since the one before, and each names the one before it. */
static void test_heads_signed(struct kh_test *t)
{
	struct look l = {.t = t, .h = kh_history_fresh()};
	struct kh_checkpoint one, two;
	struct kh_digest before;

	must(t, look_up(&l, 1));
	assert_true(kh_checkpoint_signed(l.stored.body, l.stored.signature, &l.h->key.public));
	before = kh_canonical_digest(l.stored.body);
	must(t, kh_checkpoint_parse(&t->arena, l.stored.body, &one, &t->err));
	assert_int_equal(one.n, 1);
	assert_int_equal(one.last, 9);
	assert_int_equal(one.count, 2);
	assert_int_equal(one.heads[0].number, 0);
	assert_int_equal(one.heads[0].chain.n, 4);
	assert_int_equal(one.heads[1].number, 1);
	assert_int_equal(one.heads[1].chain.n, 5);
	assert_true(sodium_is_zero(one.prev.bytes, 32));
	assert_memory_equal(&one.store, &l.h->key.public, 32);
	must(t, look_up(&l, 2));
	must(t, kh_checkpoint_parse(&t->arena, l.stored.body, &two, &t->err));
	assert_int_equal(two.last, 20);
	assert_int_equal(two.count, 3);
	assert_memory_equal(&two.prev, &before, 32);
	must_fail(t, KH_EUNKNOWN, look_up(&l, 3));
}

static enum kh_err make(struct kh_txn *txn, void *arg)
{
	struct look *l = arg;

	kh_txn_use_arena(txn, &l->t->arena);
	return kh_history_make(txn, l->key, l->h->now, NULL, &l->t->arena, &l->line);
}

/* Nothing new is not signed again; what is new is, and only that; another key is refused. */
static void test_make(struct kh_test *t)
{
	static const unsigned char seed[32] = {9};
	struct look l = {.t = t, .h = kh_history_fresh()};
	struct kh_checkpoint_line line;
	struct kh_checkpoint_key other;
	struct kh_checkpoint three;

	kh_history_open(l.h);
	kh_checkpoint_key(seed, &other);
	l.key = &other;
	enum kh_err g = kh_store_run(l.h->store, make, &l, &t->err);
	l.key = &l.h->key;
	enum kh_err e = kh_store_run(l.h->store, make, &l, &l.err), f = KH_OK;
	struct kh_view first = l.line;
	if (e == KH_OK)
		f = kh_store_run(l.h->store, make, &l, &l.err);
	struct kh_view second = l.line;
	kh_history_close(l.h);
	must(t, e);
	must(t, f);
	must_fail(t, KH_EREFUSED, g);
	assert_string_equal(t->err.code, "audit_key_other");
	assert_true(kh_checkpoint_read_line(&t->arena, first, &line));
	assert_int_equal(line.n, 3);
	assert_int_equal(line.last, 22);
	assert_int_equal(second.n, 0);
	must(t, look_up(&l, 0));
	must(t, kh_checkpoint_parse(&t->arena, l.stored.body, &three, &t->err));
	assert_int_equal(three.count, 1); /* the system's chain alone went on */
	assert_int_equal(three.n, 3);
	assert_true(kh_view_eq(l.line, first));
}

/* There is one text of a checkpoint: all others are refused. */
static void test_parse_strictly(struct kh_test *t)
{
#define ZEROS "\"0000000000000000000000000000000000000000000000000000000000000000\""
	static const char good[] = "{\"at\":1,\"heads\":[[0,1," ZEROS "]],\"last\":1,\"n\":1,\"prev\":" ZEROS
				   ",\"store\":" ZEROS "}";
	static const char text[] = "{\"at\":1,\"heads\":[[0,1," ZEROS "]],\"last\":\"1\",\"n\":1,\"prev\":" ZEROS
				   ",\"store\":" ZEROS "}";
	static const char *const all[] = {
		"{\"at\":1,\"heads\":[],\"last\":\"01\",\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":[],\"last\":\"x\",\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
		"",
		"{}",
		"[]",
		"{\"at\":1,\"heads\":[],\"last\":1,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "} ",
		"{\"at\":1, \"heads\":[],\"last\":1,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":[[0,1]],\"last\":1,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":{},\"last\":1,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":[[1,1," ZEROS "],[0,1," ZEROS "]],\"last\":1,\"n\":1,\"prev\":" ZEROS
		",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":[],\"last\":1,\"n\":1,\"prev\":\"00\",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":[],\"last\":1.0,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
		"{\"at\":1,\"heads\":[],\"last\":1,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS ",\"x\":1}",
		"{\"at\":1,\"heads\":[],\"last\":1,\"n\":9007199254740994,\"prev\":" ZEROS ",\"store\":" ZEROS "}",
	};
	struct kh_checkpoint c;

#define SEEN(list) \
	"{\"at\":1,\"heads\":[],\"last\":1,\"n\":1,\"prev\":" ZEROS ",\"store\":" ZEROS ",\"witnesses\":" list "}"
	static const char *const bad_witnesses[] = {
		SEEN("[]"),
		SEEN("{}"),
		SEEN("[[\"file:/x\",0,4]]"),
		SEEN("[[\"file:/x\",4,3]]"),
		SEEN("[[\"file:/x\",4]]"),
		SEEN("[[7,1,4]]"),
		SEEN("[[\"file:/x\",1,4,5]]"),
	};

	must(t, kh_checkpoint_parse(&t->arena, kh_view_str(good), &c, &t->err));
	assert_int_equal(c.count, 1);
	assert_int_equal(c.witness_count, 0);
	assert_true(c.numbered);
	must(t, kh_checkpoint_parse(&t->arena, kh_view_str(text), &c, &t->err));
	assert_true(!c.numbered && c.last == 1);
	must(t, kh_checkpoint_parse(&t->arena, KH_LIT(SEEN("[[\"file:/x\",2,4]]")), &c, &t->err));
	assert_int_equal(c.witness_count, 1);
	assert_true(kh_view_eq(c.witnesses[0].name, KH_LIT("file:/x")));
	assert_int_equal(c.witnesses[0].first, 2);
	assert_int_equal(c.witnesses[0].seen, 4);
	for (size_t i = 0; i < sizeof(bad_witnesses) / sizeof(bad_witnesses[0]); i++)
		must_fail(t, KH_EINPUT, kh_checkpoint_parse(&t->arena, kh_view_str(bad_witnesses[i]), &c, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		must_fail(t, KH_EINPUT, kh_checkpoint_parse(&t->arena, kh_view_str(all[i]), &c, &t->err));
}

static enum kh_err add_twice(struct kh_txn *txn, void *arg)
{
	struct look *l = arg;
	struct kh_checkpoint_made made = {.n = 0};
	struct kh_checkpoint last, next = {.n = 0};

	kh_txn_use_arena(txn, &l->t->arena);
	enum kh_err e = kh_checkpoint_last(txn, &l->t->arena, &last, &next.prev);
	next.n = last.n + 1;
	next.last = last.last + 1;
	if (e == KH_OK)
		e = kh_checkpoint_sign(&next, &l->h->key, &l->t->arena, &made);
	if (e == KH_OK)
		e = kh_checkpoint_add(txn, &l->h->key, &made, &l->t->arena);
	return e == KH_OK ? kh_checkpoint_add(txn, &l->h->key, &made, &l->t->arena) : e;
}

/* Two processes that make the same checkpoint: the second is told, and makes the next one. */
static void test_raced(struct kh_test *t)
{
	struct look l = {.t = t, .h = kh_history_fresh()};

	kh_history_open(l.h);
	enum kh_err e = kh_store_run(l.h->store, add_twice, &l, &t->err);
	kh_history_close(l.h);
	must_fail(t, KH_ECHANGED, e);
	assert_string_equal(t->err.code, "checkpoint_order");
}

/* A witness's line is short, whatever the number of heads, and is read strictly. */
static void test_line(struct kh_test *t)
{
	struct look l = {.t = t, .h = kh_history_fresh()};
	struct kh_checkpoint_line line;
	char text[600];

	must(t, look_up(&l, 2));
	assert_true(l.line.n < 400);
	bool yes = kh_checkpoint_read_line(&t->arena, l.line, &line);
	must(t, kh_arena_check(&t->arena));
	assert_true(yes);
	assert_int_equal(line.n, 2);
	assert_int_equal(line.last, 20);
	struct kh_digest hash = kh_canonical_digest(l.stored.body);
	assert_memory_equal(&line.hash, &hash, 32);
	assert_memory_equal(line.signature, l.stored.signature.p, 64);
	snprintf(text, sizeof(text), "<37>Nov 15 10:00:00 host keyhole: %.*s\n", KH_FMT(l.line));
	yes = kh_checkpoint_read_line(&t->arena, kh_view_str(text), &line);
	must(t, kh_arena_check(&t->arena));
	assert_true(yes);
	for (size_t n = 0; n < l.line.n; n++)
		assert_false(kh_checkpoint_read_line(&t->arena, kh_view_sub(l.line, 0, n), &line));
	snprintf(text, sizeof(text), "%.*s x", KH_FMT(l.line));
	assert_false(kh_checkpoint_read_line(&t->arena, kh_view_str(text), &line));
}

static const struct kh_test_case cases[] = {KH_TEST(test_key),   KH_TEST(test_heads_signed),
					    KH_TEST(test_make),  KH_TEST(test_parse_strictly),
					    KH_TEST(test_raced), KH_TEST(test_line)};
KH_TEST_MAIN(cases)
