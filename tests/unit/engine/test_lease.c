/* U1: with several processes on one store a lease names the one that runs an upstream server for a context. */
#include "engine/upstream/lease.h"

#include "other.h"

static const struct kh_lease_of mail = {KH_LIT_INIT("mail"), 7};

/* Takes the lease OF in the fixture's process. */
static struct kh_lease_take take(struct kh_fixture *f, struct kh_lease_of of)
{
	struct kh_lease_take call = {.of = of};

	must(f->t, kh_fixture_own(f, kh_lease_take_run, &call));
	return call;
}

/* Runs FN in the other process. */
static enum kh_err elsewhere(struct kh_other *other, struct kh_fixture *f, kh_engine_fn *fn, void *call)
{
	struct kh_error err = {0};

	return kh_engine_own(other->engine, fn, call, &f->arena, &err);
}

static struct kh_lease_row *row_of(struct kh_fixture *f)
{
	return kh_fixture_row(f, KH_TABLE_LEASES, 1);
}

/* It is taken once, is told so as often as it is asked for, and can be taken again when it was given back. */
static void test_lease_of_one(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_lease_take got = take(f, mail);
	struct kh_lease_of of = mail;

	assert_true(got.is_taken && !got.is_heir);
	assert_int_equal(row_of(f)->holder, kh_store_holder(f->store));
	assert_int_equal(row_of(f)->context, 7);
	assert_true(kh_asking_has(kh_fixture_event(f, KH_AUDIT_UPSTREAM_LEASED), "\"what\":{\"upstream\":\"mail\"}"));
	int64_t events = kh_fixture_events(f);
	got = take(f, mail);
	assert_true(got.is_taken && !got.is_heir);
	assert_int_equal(kh_fixture_events(f), events);
	must(t, kh_fixture_own(f, kh_lease_give_run, &of));
	assert_int_equal(row_of(f)->holder, 0);
	assert_int_equal(kh_fixture_events(f), events + 1);
	must(t, kh_fixture_own(f, kh_lease_give_run, &of)); /* there is nothing to give back */
	assert_int_equal(kh_fixture_events(f), events + 1);
	got = take(f, mail);
	assert_true(got.is_taken && !got.is_heir);
}

/* Each server and each context has a lease of its own; so has a server that is shared. */
static void test_lease_of_each(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	const struct kh_lease_of all[] = {mail, {KH_LIT("mail"), 8}, {KH_LIT("mail"), 0}, {KH_LIT("notes"), 7}};
	struct kh_other other;

	for (size_t i = 0; i < 3; i++)
		assert_true(take(f, all[i]).is_taken);
	kh_other_open(&other, f, NULL, 0);
	struct kh_lease_take there[4];
	enum kh_err e[4];
	for (size_t i = 0; i < 4; i++) {
		there[i] = (struct kh_lease_take){.of = all[i]};
		e[i] = elsewhere(&other, f, kh_lease_take_run, &there[i]);
	}
	kh_other_close(&other); /* before anything that may end the test */
	for (size_t i = 0; i < 4; i++) {
		must(t, e[i]);
		assert_int_equal(there[i].is_taken, i == 3);
	}
	struct kh_lease_wanted wanted;
	must(t, kh_fixture_own(f, kh_lease_wanted_run, &wanted));
	assert_int_equal(wanted.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(kh_view_eq(wanted.list[i].server, all[i].server));
		assert_int_equal(wanted.list[i].context, all[i].context);
	}
}

/* A lease is not taken from a process that lives, however often it is asked for; when it is given back, it is. */
static void test_lease_is_wanted(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_lease_take first = {.of = mail}, again = {.of = mail};
	struct kh_lease_wanted wanted;
	struct kh_lease_of of = mail;
	struct kh_other other;

	assert_true(take(f, mail).is_taken);
	must(t, kh_fixture_own(f, kh_lease_wanted_run, &wanted));
	assert_int_equal(wanted.count, 0);
	kh_other_open(&other, f, NULL, 0);
	enum kh_err e = elsewhere(&other, f, kh_lease_take_run, &first);
	int64_t events = kh_fixture_events(f);
	enum kh_err e_again = elsewhere(&other, f, kh_lease_take_run, &again);
	enum kh_err e_give = elsewhere(&other, f, kh_lease_give_run, &of); /* it is not its own */
	int64_t later = kh_fixture_events(f), holder = row_of(f)->holder;
	enum kh_err e_wanted = kh_fixture_own(f, kh_lease_wanted_run, &wanted);
	enum kh_err e_back = kh_fixture_own(f, kh_lease_give_run, &of);
	struct kh_lease_take last = {.of = mail};
	enum kh_err e_last = elsewhere(&other, f, kh_lease_take_run, &last);
	int64_t heir = row_of(f)->holder, theirs = kh_store_holder(other.store), is_wanted = row_of(f)->wanted;
	kh_other_close(&other);
	must(t, e);
	must(t, e_again);
	must(t, e_give);
	must(t, e_wanted);
	must(t, e_back);
	must(t, e_last);
	assert_false(first.is_taken || again.is_taken);
	assert_int_equal(later, events);
	assert_int_equal(holder, kh_store_holder(f->store));
	assert_int_equal(wanted.count, 1);
	assert_true(last.is_taken && !last.is_heir);
	assert_int_equal(heir, theirs);
	assert_int_equal(is_wanted, 0);
}

/* The holder has died: whoever needs the lease takes it over, and knows from whom. */
static void test_lease_of_the_dead(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_lease_take there = {.of = mail};
	struct kh_other other;

	kh_other_open(&other, f, NULL, 0);
	enum kh_err e = elsewhere(&other, f, kh_lease_take_run, &there);
	int64_t theirs = kh_store_holder(other.store);
	struct kh_lease_take call = {.of = mail};
	enum kh_err e_early = kh_fixture_own(f, kh_lease_take_run, &call);
	kh_other_close(&other);
	must(t, e);
	must(t, e_early);
	assert_true(there.is_taken);
	assert_false(call.is_taken);
	assert_int_equal(row_of(f)->holder, theirs);
	assert_int_equal(row_of(f)->wanted, 1);
	call = take(f, mail);
	assert_true(call.is_taken && call.is_heir);
	assert_int_equal(row_of(f)->holder, kh_store_holder(f->store));
	assert_int_equal(row_of(f)->wanted, 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_lease_of_one),
	KH_TEST(test_lease_of_each),
	KH_TEST(test_lease_is_wanted),
	KH_TEST(test_lease_of_the_dead),
};
KH_TEST_MAIN(cases)
