/* U1: a program of an upstream server runs only while this process has its lease, and never twice. */
#include "upstream/holding.h"

#include "base/clock.h"
#include "harness.h"

#include <stdio.h>
#include <time.h>

/* The store, as far as leases go. */
struct record {
	enum kh_holding_taken next; /* what the next try gets */
	enum kh_err fails;          /* every transaction ends so */
	int taken, given;
	bool is_wanted;
};

static enum kh_err take(void *context, struct kh_view server, int64_t of, enum kh_holding_taken *ret_taken,
			struct kh_error *err)
{
	struct record *record = context;

	assert_true(kh_view_eq(server, KH_LIT("mail")));
	assert_int_equal(of, 7);
	record->taken++;
	if (record->fails != KH_OK)
		return kh_error_set(err, record->fails, "store_full", "the disk is full");
	*ret_taken = record->next;
	return KH_OK;
}

static enum kh_err give(void *context, struct kh_view server, int64_t of, struct kh_error *err)
{
	struct record *record = context;

	assert_true(kh_view_eq(server, KH_LIT("mail")));
	assert_int_equal(of, 7);
	if (record->fails != KH_OK)
		return kh_error_set(err, record->fails, "store_full", "the disk is full");
	record->given++;
	return KH_OK;
}

static enum kh_err wanted(void *context, void (*each)(void *arg, struct kh_view server, int64_t of), void *arg)
{
	const struct record *record = context;

	each(arg, KH_LIT("notes"), 7); /* of no interest */
	if (record->is_wanted)
		each(arg, KH_LIT("mail"), 7);
	return record->fails;
}

static struct kh_holding_all *open(struct kh_test *t, struct record *record)
{
	struct kh_holding_settings settings = {&t->alloc, record, take, give, wanted};
	struct kh_holding_all *all = NULL;
	struct kh_error err;

	must(t, kh_holding_all_new(&settings, &all, &err));
	return all;
}

static struct kh_holding mail(void)
{
	return (struct kh_holding){.server = KH_LIT("mail"), .of = 7};
}

/* Waits for at most MS. */
static enum kh_err await(struct kh_holding_all *all, struct kh_holding *holding, int64_t ms, struct kh_error *err)
{
	atomic_bool stop = false;

	*err = (struct kh_error){.detail = ""};
	return kh_holding_await(all, holding, kh_clock_ms() + ms, &stop, err);
}

static void pause_for(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* It is taken once for as many calls as there are, and everything is given back in the end. */
static void test_holding_is_taken(struct kh_test *t)
{
	struct record record = {.next = KH_HOLDING_YES};
	struct kh_holding_all *all = open(t, &record);
	struct kh_holding first = mail();
	struct kh_error err;
	enum kh_err e = await(all, &first, 0, &err);

	if (e == KH_OK)
		e = await(all, &first, 0, &err);
	int taken = record.taken;
	kh_holding_drop(all, &first);
	kh_holding_drop(all, &first); /* it has none any more */
	kh_holding_all_free(all);
	must(t, e);
	assert_int_equal(taken, 1);
	assert_int_equal(record.given, 1);
}

/* Without other processes there are no leases. */
static void test_holding_alone(struct kh_test *t)
{
	struct kh_holding_settings settings = {.alloc = &t->alloc};
	struct kh_holding_all *all = NULL;
	struct kh_holding first = mail(), second = mail();
	struct kh_error err;

	must(t, kh_holding_all_new(&settings, &all, &err));
	assert_null(all);
	must(t, await(all, &first, 0, &err));
	must(t, await(all, &second, 0, &err));
	assert_false(kh_holding_is_wanted(all, &first));
	assert_false(kh_holding_tend(all));
	kh_holding_drop(all, &first);
	kh_holding_all_free(all);
}

/* The next process of the same server waits until the one before has ended, and some time has passed since. */
static void test_holding_has_one_user(struct kh_test *t)
{
	struct record record = {.next = KH_HOLDING_YES};
	struct kh_holding_all *all = open(t, &record);
	struct kh_holding first = mail(), second = mail();
	struct kh_error err;

	must(t, await(all, &first, 0, &err));
	assert_int_equal(await(all, &second, 250, &err), KH_EREFUSED);
	assert_string_equal(err.code, "held_elsewhere");
	assert_string_equal(err.detail, "an older process of it has not ended in time");
	assert_false(kh_holding_tend(all)); /* what is used is not given back */
	kh_holding_drop(all, &first);
	int64_t began = kh_clock_ms();
	must(t, await(all, &second, 10000, &err));
	assert_true(kh_clock_ms() - began >= KH_HOLDING_SETTLE_MS);
	assert_int_equal(record.taken, 1);
	assert_int_equal(record.given, 0);
	kh_holding_drop(all, &second);
	assert_true(kh_holding_tend(all)); /* not yet */
	assert_int_equal(record.given, 0);
	pause_for(KH_HOLDING_SETTLE_MS + 50);
	assert_false(kh_holding_tend(all));
	assert_int_equal(record.given, 1);
	kh_holding_all_free(all);
	assert_int_equal(record.given, 1);
}

/* Another gateway has it: a call waits for its time, or until everything is stopped. */
static void test_holding_elsewhere(struct kh_test *t)
{
	struct record record = {.next = KH_HOLDING_NOT};
	struct kh_holding_all *all = open(t, &record);
	struct kh_holding first = mail();
	atomic_bool stop = true;
	struct kh_error err;

	assert_int_equal(await(all, &first, 250, &err), KH_EREFUSED);
	assert_string_equal(err.code, "held_elsewhere");
	assert_string_equal(err.detail, "it is held by another gateway, which did not give it back in time");
	assert_true(record.taken > 1);
	assert_int_equal(kh_holding_await(all, &first, kh_clock_ms() + 10000, &stop, &err), KH_EREFUSED);
	assert_string_equal(err.code, "server_held");
	kh_holding_all_free(all);
	assert_int_equal(record.given, 0);
}

/* What a dead gateway ran may be dying still. */
static void test_holding_of_the_dead(struct kh_test *t)
{
	struct record record = {.next = KH_HOLDING_HEIR};
	struct kh_holding_all *all = open(t, &record);
	struct kh_holding first = mail();
	int64_t began = kh_clock_ms();
	struct kh_error err;

	must(t, await(all, &first, 10000, &err));
	assert_true(kh_clock_ms() - began >= KH_HOLDING_SETTLE_MS);
	assert_int_equal(record.taken, 1);
	kh_holding_drop(all, &first);
	kh_holding_all_free(all);
}

static void test_holding_is_wanted(struct kh_test *t)
{
	struct record record = {.next = KH_HOLDING_YES};
	struct kh_holding_all *all = open(t, &record);
	struct kh_holding first = mail();
	struct kh_error err;

	must(t, await(all, &first, 0, &err));
	assert_false(kh_holding_tend(all));
	assert_false(kh_holding_is_wanted(all, &first));
	record.is_wanted = true;
	assert_false(kh_holding_tend(all));
	assert_true(kh_holding_is_wanted(all, &first));
	kh_holding_drop(all, &first);
	assert_false(kh_holding_is_wanted(all, &first));
	must(t, await(all, &first, 10000, &err)); /* it is known anew whether it is wanted */
	assert_false(kh_holding_is_wanted(all, &first));
	kh_holding_drop(all, &first);
	kh_holding_all_free(all);
}

/* What cannot be recorded does not happen: nothing is run without a lease, and one that is not given back is kept. */
static void test_holding_unrecorded(struct kh_test *t)
{
	struct record record = {.next = KH_HOLDING_YES, .fails = KH_ESTORE};
	struct kh_holding_all *all = open(t, &record);
	struct kh_holding first = mail();
	struct kh_error err;

	assert_int_equal(await(all, &first, 10000, &err), KH_ESTORE);
	assert_string_equal(err.code, "store_full");
	record.fails = KH_OK;
	must(t, await(all, &first, 0, &err));
	kh_holding_drop(all, &first);
	record.fails = KH_ESTORE;
	pause_for(KH_HOLDING_SETTLE_MS + 50);
	assert_true(kh_holding_tend(all));
	record.fails = KH_OK;
	pause_for(KH_HOLDING_SETTLE_MS + 50);
	assert_false(kh_holding_tend(all));
	assert_int_equal(record.given, 1);
	kh_holding_all_free(all);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_holding_is_taken),          KH_TEST(test_holding_alone),
	KH_TEST_ONCE(test_holding_has_one_user), KH_TEST_ONCE(test_holding_elsewhere),
	KH_TEST_ONCE(test_holding_of_the_dead),  KH_TEST_ONCE(test_holding_is_wanted),
	KH_TEST_ONCE(test_holding_unrecorded),
};
KH_TEST_MAIN(cases)
