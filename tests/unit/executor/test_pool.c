/* E7, P5: sandboxes are made ahead, serve once, and are gone. */
#include "sandbox/boxed.h"

#include "executor/pool.h"

#include <sys/resource.h>

static struct kh_pool pool;
static char buffer[KH_MESSAGE_MAX];

static size_t count(enum kh_slot_use use)
{
	size_t n = 0;

	for (size_t i = 0; i < KH_POOL_SLOTS; i++)
		n += pool.slots[i].use == use;
	return n;
}

static struct kh_slot *take(void)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0;

	return kh_pool_take(&pool, KH_PROFILE_RUN, KH_POOL_PLAIN, &part, &error);
}

/* Starts ARGV0 with nothing for its descriptors. */
static bool start(struct kh_slot *slot, struct kh_run *run)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	run->limits = *kh_profile_limits(KH_PROFILE_RUN);
	bool ok = kh_pool_start(slot, run, (const int[]){null, null, null}, 3, buffer);
	close(null);
	return ok;
}

static void wait_gone(struct kh_slot *slot)
{
	for (int i = 0; i < BOXED_MS && !slot->gone; i++) {
		assert_true(wait_readable(slot->sandbox.pidfd));
		kh_pool_look(&pool, slot);
	}
	assert_true(slot->gone);
}

static void test_serve_once(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	struct kh_run run = {.argc = 1, .argv = {KH_LIT("true")}};

	kit_init(t, &kit);
	kh_pool_init(&pool, &kit, 0);
	assert_false(kh_pool_refill(&pool, true));
	struct kh_slot *slot = take();
	assert_non_null(slot);
	assert_int_equal(slot->use, KH_SLOT_TAKEN);
	assert_true(start(slot, &run));
	wait_gone(slot);
	assert_int_equal(slot->status, 0);
	assert_int_equal(slot->broken, KH_PART_NONE);
	assert_int_equal(slot->use, KH_SLOT_TAKEN); /* until the request lets it go */
	kh_pool_drop(&pool, slot);
	assert_int_equal(count(KH_SLOT_EMPTY), KH_POOL_SLOTS);
	kh_pool_done(&pool);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* The warm one is taken, and another put in its place; nothing of it serves twice. */
static void test_warm(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	struct kh_run run = {.argc = 1, .argv = {KH_LIT("true")}};
	int pid = -1;

	kit_init(t, &kit);
	kh_pool_init(&pool, &kit, KH_POOL_WARM + 5);
	assert_int_equal(pool.warm, KH_POOL_WARM);
	pool.warm = 1;
	/* P6: nobody has asked for any, so none is wanted. */
	assert_false(kh_pool_refill(&pool, true));
	pool.used[KH_POOL_PLAIN] = true;
	for (int i = 0; i < 3; i++) {
		assert_true(kh_pool_refill(&pool, false)); /* one is wanted, and not made */
		assert_int_equal(count(KH_SLOT_WARM), 0);
		assert_true(kh_pool_refill(&pool, true));
		assert_false(kh_pool_refill(&pool, true));
		assert_int_equal(count(KH_SLOT_WARM), 1);
		struct kh_slot *slot = take();
		assert_int_equal(count(KH_SLOT_WARM), 0);
		assert_int_not_equal(slot->sandbox.pid, pid);
		pid = slot->sandbox.pid;
		assert_true(start(slot, &run));
		wait_gone(slot);
		assert_int_equal(slot->status, 0);
		kh_pool_drop(&pool, slot);
	}
	kh_pool_done(&pool);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* P5: a program that names no folder gets a sandbox that is locked already; any other one that is not. */
static void test_locked(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	struct kh_run run = {.argc = 1, .argv = {KH_LIT("true")}, .limits = *kh_profile_limits(KH_PROFILE_RUN)};
	enum kh_part part;
	int error;

	assert_int_equal(kh_pool_kind(&run), KH_POOL_LOCKED);
	run.work = KH_LIT("/tmp");
	assert_int_equal(kh_pool_kind(&run), KH_POOL_PLAIN);
	run.work = KH_LIT("");
	run.reads = 1;
	assert_int_equal(kh_pool_kind(&run), KH_POOL_PLAIN);
	run.reads = 0;
	run.limits.disk++;
	assert_int_equal(kh_pool_kind(&run), KH_POOL_PLAIN);
	run.limits.disk--;
	run.profile = KH_PROFILE_READ;
	assert_int_equal(kh_pool_kind(&run), KH_POOL_READ);
	run.profile = KH_PROFILE_TEXT;
	assert_int_equal(kh_pool_kind(&run), KH_POOL_TEXT);
	run.profile = KH_PROFILE_RUN;

	kit_init(t, &kit);
	kh_pool_init(&pool, &kit, 1);
	pool.used[KH_POOL_PLAIN] = pool.used[KH_POOL_LOCKED] = true;
	assert_true(kh_pool_refill(&pool, true) && kh_pool_refill(&pool, true) && !kh_pool_refill(&pool, true));
	/* Two that ask for a locked one: the second is served by the other. */
	for (int i = 0; i < 2; i++) {
		struct kh_slot *slot = kh_pool_take(&pool, KH_PROFILE_RUN, KH_POOL_LOCKED, &part, &error);
		assert_non_null(slot);
		assert_int_equal(slot->sandbox.locked, i == 0);
		assert_true(start(slot, &run));
		wait_gone(slot);
		assert_int_equal(slot->status, 0);
		kh_pool_drop(&pool, slot);
	}
	assert_int_equal(count(KH_SLOT_WARM), 0);
	kh_pool_done(&pool);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* One that dies while nobody wants it is put away, and none is made ahead until one has worked again. */
static void test_warm_dies(struct kh_test *t)
{
	struct kh_sandbox_kit kit;

	kit_init(t, &kit);
	kh_pool_init(&pool, &kit, 1);
	pool.used[KH_POOL_PLAIN] = true;
	assert_true(kh_pool_refill(&pool, true));
	struct kh_slot *slot = &pool.slots[0];
	kill(slot->sandbox.pid, SIGKILL);
	wait_gone(slot);
	assert_int_equal(slot->use, KH_SLOT_EMPTY);
	assert_false(kh_pool_refill(&pool, true));
	slot = take();
	assert_non_null(slot);
	assert_true(wait_readable(slot->sandbox.channel));
	kh_pool_look(&pool, slot);
	assert_int_equal(slot->state, KH_STATE_SANDBOX_WARM);
	assert_true(kh_pool_refill(&pool, true));
	kh_pool_done(&pool);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* A job that does not fit, or cannot be sent, is told of at once. */
static void test_not_started(struct kh_test *t)
{
	static char filling[KH_MESSAGE_TEXT];
	struct kh_sandbox_kit kit;
	struct kh_run run = {.argc = 17, .argv = {KH_LIT("true")}};

	memset(filling, 'x', sizeof(filling));
	for (size_t i = 1; i < run.argc; i++)
		run.argv[i] = kh_view_of(filling, i + 1 < run.argc ? sizeof(filling) - 8 : 4030);
	kit_init(t, &kit);
	kh_pool_init(&pool, &kit, 0);
	struct kh_slot *slot = take();
	assert_non_null(slot);
	assert_false(start(slot, &run));
	assert_int_equal(slot->broken, KH_PART_PROGRAM);
	assert_int_equal(slot->error, E2BIG);
	kh_pool_drop(&pool, slot);
	assert_int_equal(slot->use, KH_SLOT_DYING);
	wait_gone(slot);
	assert_int_equal(slot->use, KH_SLOT_EMPTY);

	/* A sandbox that is gone has said why, or says so by being gone: no part is blamed. */
	slot = take();
	assert_non_null(slot);
	kill(slot->sandbox.pid, SIGKILL);
	assert_true(wait_readable(slot->sandbox.pidfd));
	run.argc = 1;
	assert_false(start(slot, &run));
	assert_int_equal(slot->broken, KH_PART_NONE);
	wait_gone(slot);
	assert_int_equal(slot->status, -1);
	kh_pool_drop(&pool, slot);
	kh_pool_done(&pool);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* Out of descriptors there is no sandbox, with the reason, and nothing is lost; afterwards there is one again. */
static void test_no_descriptors(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	enum kh_part part = KH_PART_NONE;
	int error = 0, taken[512];
	size_t n = 0;

	kit_init(t, &kit);
	kh_pool_init(&pool, &kit, 0);
	size_t before = open_descriptors();
	for (size_t spare = 0; spare < 6; spare++) {
		struct rlimit limit, low;
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
		low = limit;
		low.rlim_cur = 256;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
		for (n = 0; n < 512 && (taken[n] = dup(1)) >= 0; n++)
			;
		for (size_t i = 0; i < spare && n > 0; i++)
			close(taken[--n]);
		struct kh_slot *slot = kh_pool_take(&pool, KH_PROFILE_RUN, KH_POOL_PLAIN, &part, &error);
		if (slot == NULL)
			assert_true(error == EMFILE && part != KH_PART_NONE);
		assert_true(slot != NULL || spare < 5);
		while (n > 0)
			close(taken[--n]);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		if (slot != NULL) {
			kh_pool_drop(&pool, slot);
			wait_gone(slot);
		}
		assert_int_equal(open_descriptors(), before);
	}
	kh_pool_done(&pool);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_serve_once), KH_TEST_ONCE(test_warm),        KH_TEST_ONCE(test_locked),
	KH_TEST_ONCE(test_warm_dies),  KH_TEST_ONCE(test_not_started), KH_TEST_ONCE(test_no_descriptors),
};

KH_TEST_MAIN(cases)
