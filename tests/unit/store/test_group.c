#include "opened.h"

#include "../../crash/disk.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>

/* The disk of this program; each test says what is to happen. */
static struct disk disk;

/* --- operations on one row ---------------------------------------------------------------------------------------- */

struct step {
	struct kh_arena *arena;
	int64_t reader;
	int64_t add;
	enum kh_err end; /* what the operation says in the end */
	struct kh_view text;
	uint64_t total; /* out */
};

static const uint64_t all_columns = UINT64_MAX >> (64 - 10);

static enum kh_err add_to_reader(struct kh_txn *txn, void *arg)
{
	struct step *s = arg;
	struct kh_reader_row row;

	kh_txn_use_arena(txn, s->arena);
	enum kh_err e = txn->backend->get(txn, KH_TABLE_READERS, s->reader, &row);
	if (e != KH_OK)
		return e;
	row.total_1 += (uint64_t)s->add;
	row.quota_1 = s->text;
	s->total = row.total_1;
	e = txn->backend->update(txn, KH_TABLE_READERS, &row, all_columns);
	return e == KH_OK ? s->end : e;
}

static enum kh_err get_total(struct kh_txn *txn, void *arg)
{
	struct step *s = arg;
	struct kh_reader_row row;

	kh_txn_use_arena(txn, s->arena);
	enum kh_err e = txn->backend->get(txn, KH_TABLE_READERS, s->reader, &row);
	if (e == KH_OK)
		s->total = row.total_1;
	return e;
}

static uint64_t total(struct opened *o, struct kh_arena *arena, int64_t reader)
{
	struct step s = {.arena = arena, .reader = reader};

	must_store(o, kh_store_read(o->store, get_total, &s, &o->err));
	return s.total;
}

static void open_with_rows(struct opened *o, struct kh_arena *arena)
{
	disk = (struct disk){.harm = DISK_NONE};
	opened_new(o);
	must_store(o, kh_store_run(o->store, opened_first_rows, arena, &o->err));
}

/* --- one group ---------------------------------------------------------------------------------------------------- */

static sem_t gate, arrived;

/* Holds the store's thread until the others are in the queue behind it. */
static enum kh_err wait_at_gate(struct kh_txn *txn, void *arg)
{
	(void)txn;
	(void)arg;
	sem_post(&arrived);
	sem_wait(&gate);
	return KH_OK;
}

static sem_t finished;

static void count_finished(struct kh_store_job *job)
{
	(void)job;
	sem_post(&finished);
}

/* Runs COUNT operations as one group, behind one that waits for them. */
static void run_group(struct opened *o, struct kh_store_job *jobs, size_t count)
{
	struct kh_store_job first = {.fn = wait_at_gate, .done = count_finished};

	sem_init(&gate, 0, 0);
	sem_init(&arrived, 0, 0);
	sem_init(&finished, 0, 0);
	kh_store_submit(o->store, &first);
	sem_wait(&arrived);
	for (size_t i = 0; i < count; i++) {
		jobs[i].done = count_finished;
		kh_store_submit(o->store, &jobs[i]);
	}
	sem_post(&gate);
	for (size_t i = 0; i < count + 1; i++)
		sem_wait(&finished);
	sem_destroy(&gate);
	sem_destroy(&arrived);
	sem_destroy(&finished);
}

/* D1: each operation in a savepoint: one that fails takes back what it wrote and nothing else, in a shared commit. */
static void test_one_fails(struct kh_test *t)
{
	struct step steps[5];
	struct kh_store_job jobs[5];
	struct kh_store_figures before, after;
	struct opened o;

	open_with_rows(&o, &t->arena);
	memset(jobs, 0, sizeof(jobs));
	for (size_t i = 0; i < 5; i++) {
		steps[i] = (struct step){
			.arena = &t->arena, .reader = 1, .add = 1, .end = i == 2 ? KH_EREFUSED : KH_OK};
		jobs[i].fn = add_to_reader;
		jobs[i].arg = &steps[i];
	}
	before = kh_store_figures(o.store);
	run_group(&o, jobs, 5);
	after = kh_store_figures(o.store);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(jobs[i].result, i == 2 ? KH_EREFUSED : KH_OK);
	assert_int_equal(after.operations - before.operations, 6);
	assert_int_equal(after.commits - before.commits, 2);
	assert_int_equal(steps[4].total, 4); /* each saw those before it that were kept */
	assert_int_equal(total(&o, &t->arena, 1), 4);
	opened_remove(&o);
}

/* A reference that leads nowhere is found when its operation ends, and fails that one alone. */
static enum kh_err insert_orphan(struct kh_txn *txn, void *arg)
{
	union opened_row row;

	opened_fill(KH_TABLE_NEEDS, arg, 2, &row);
	row.need.task = 999;
	return txn->backend->insert(txn, KH_TABLE_NEEDS, &row);
}

static void test_orphan_fails_alone(struct kh_test *t)
{
	struct step step = {.arena = &t->arena, .reader = 1, .add = 5};
	struct kh_store_job jobs[3] = {
		{.fn = insert_orphan, .arg = &t->arena},
		{.fn = add_to_reader, .arg = &step},
		{.fn = insert_orphan, .arg = &t->arena},
	};
	struct opened o;

	open_with_rows(&o, &t->arena);
	run_group(&o, jobs, 3);
	assert_int_equal(jobs[0].result, KH_ESTORE);
	assert_string_equal(jobs[0].err.code, "store_refused");
	assert_int_equal(jobs[1].result, KH_OK);
	assert_int_equal(jobs[2].result, KH_ESTORE);
	assert_int_equal(total(&o, &t->arena, 1), 5);
	opened_remove(&o);
}

/* What a constraint refused cannot be kept, even where the operation does not mind. */
static enum kh_err ignore_refusal(struct kh_txn *txn, void *arg)
{
	struct step *s = arg;
	union opened_row row;

	enum kh_err e = add_to_reader(txn, s);
	opened_fill(KH_TABLE_READERS, s->arena, 1, &row);
	(void)txn->backend->insert(txn, KH_TABLE_READERS, &row); /* there is one with this id */
	return e;
}

static void test_refusal_ignored(struct kh_test *t)
{
	struct step step = {.arena = &t->arena, .reader = 1, .add = 5};
	struct opened o;

	open_with_rows(&o, &t->arena);
	must_store_fail(&o, KH_ESTORE, "store_refused", kh_store_run(o.store, ignore_refusal, &step, &o.err));
	assert_int_equal(total(&o, &t->arena, 1), 0);
	opened_remove(&o);
}

/* The number of the next event is rolled back with the operation that would have written it. */
static enum kh_err take_event(struct kh_txn *txn, void *arg)
{
	struct step *s = arg;
	int64_t id = 0;

	enum kh_err e = kh_txn_next_event(txn, &id);
	if (e != KH_OK)
		return e;
	struct kh_audit_entry entry = {
		.id = id, .n = id, .prev = id - 1, .kind = KH_LIT("started"), .body = KH_LIT("{}")};
	e = txn->backend->append(txn, &entry);
	txn->event = id;
	s->total = (uint64_t)id;
	return e == KH_OK ? s->end : e;
}

static void test_event_numbers(struct kh_test *t)
{
	struct step steps[4];
	struct kh_store_job jobs[4];
	struct opened o;

	open_with_rows(&o, &t->arena);
	memset(jobs, 0, sizeof(jobs));
	for (size_t i = 0; i < 4; i++) {
		steps[i] = (struct step){.end = i == 1 ? KH_EREFUSED : KH_OK};
		jobs[i].fn = take_event;
		jobs[i].arg = &steps[i];
	}
	run_group(&o, jobs, 4);
	assert_int_equal(steps[0].total, 1);
	assert_int_equal(steps[1].total, 2); /* taken back */
	assert_int_equal(steps[2].total, 2);
	assert_int_equal(steps[3].total, 3);
	assert_int_equal(jobs[3].result, KH_OK);
	opened_remove(&o);
}

/* --- what it costs ------------------------------------------------------------------------------------------------ */

/* Operations that write nothing pay for no sync; a group of many pays for one. */
static void test_syncs(struct kh_test *t)
{
	struct step steps[50];
	struct kh_store_job jobs[50];
	struct opened o;
	uint64_t calls;

	open_with_rows(&o, &t->arena);
	memset(jobs, 0, sizeof(jobs));
	for (size_t i = 0; i < 50; i++) {
		steps[i] = (struct step){.arena = &t->arena, .reader = 1, .add = 1};
		jobs[i].fn = get_total;
		jobs[i].arg = &steps[i];
	}
	calls = disk.calls;
	run_group(&o, jobs, 50);
	assert_int_equal(disk.calls, calls);
	for (size_t i = 0; i < 50; i++)
		jobs[i].fn = add_to_reader;
	run_group(&o, jobs, 50);
	assert_true(disk.calls > calls && disk.calls - calls < 20);
	assert_int_equal(total(&o, &t->arena, 1), 50);
	opened_remove(&o);
}

/* --- many callers ------------------------------------------------------------------------------------------------- */

#define CALLERS 32
#define EACH    40

struct calling {
	struct opened *o;
	pthread_t thread;
	struct kh_arena arena;
	bool good;
};

static void *call(void *arg)
{
	struct calling *c = arg;
	struct kh_error err;

	c->good = true;
	for (int i = 0; i < EACH; i++) {
		struct step s = {.arena = &c->arena, .reader = 1, .add = 1, .end = i % 4 == 3 ? KH_EREFUSED : KH_OK};
		kh_arena_clear(&c->arena);
		enum kh_err e = i % 4 == 2 ? kh_store_read(c->o->store, get_total, &s, &err)
					   : kh_store_run(c->o->store, add_to_reader, &s, &err);
		c->good &= e == (i % 4 == 3 ? KH_EREFUSED : KH_OK);
	}
	return NULL;
}

static void test_many_callers(struct kh_test *t)
{
	struct calling callers[CALLERS];
	struct kh_store_figures figures;
	struct opened o;

	open_with_rows(&o, &t->arena);
	memset(callers, 0, sizeof(callers));
	for (size_t i = 0; i < CALLERS; i++) {
		callers[i].o = &o;
		kh_arena_init(&callers[i].arena, NULL, 1U << 20);
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
	}
	for (size_t i = 0; i < CALLERS; i++) {
		pthread_join(callers[i].thread, NULL);
		assert_true(callers[i].good);
		kh_arena_done(&callers[i].arena);
	}
	assert_int_equal(total(&o, &t->arena, 1), CALLERS * EACH / 2);
	figures = kh_store_figures(o.store);
	assert_int_equal(figures.operations, 1 + CALLERS * EACH * 3 / 4);
	assert_true(figures.commits < figures.operations);
	opened_remove(&o);
}

/* Closing waits for what was submitted. */
static void test_close_waits(struct kh_test *t)
{
	struct step steps[20];
	struct kh_store_job jobs[20];
	struct opened o;

	open_with_rows(&o, &t->arena);
	memset(jobs, 0, sizeof(jobs));
	sem_init(&finished, 0, 0);
	for (size_t i = 0; i < 20; i++) {
		steps[i] = (struct step){.arena = &t->arena, .reader = 1, .add = 1};
		jobs[i] = (struct kh_store_job){.fn = add_to_reader, .arg = &steps[i], .done = count_finished};
		kh_store_submit(o.store, &jobs[i]);
	}
	kh_store_close(o.store);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(sem_trywait(&finished), 0);
		assert_int_equal(jobs[i].result, KH_OK);
	}
	sem_destroy(&finished);
	opened_open(&o, KH_STORE_EXISTING);
	assert_int_equal(total(&o, &t->arena, 1), 20);
	opened_remove(&o);
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* D4: a full disk.  Nothing is done, all others of the group hear it too, and it works again when there is room. */
static void test_full(struct kh_test *t)
{
	struct step steps[3];
	struct kh_store_job jobs[3];
	struct opened o;
	size_t full = 0;

	open_with_rows(&o, &t->arena);
	memset(jobs, 0, sizeof(jobs));
	for (size_t i = 0; i < 3; i++) {
		steps[i] = (struct step){.arena = &t->arena, .reader = 1, .add = 1};
		jobs[i] = (struct kh_store_job){.fn = add_to_reader, .arg = &steps[i]};
	}
	disk = (struct disk){.harm = DISK_FULL, .at = 1};
	run_group(&o, jobs, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(jobs[i].result, KH_ESTORE);
		assert_string_equal(jobs[i].err.code, "store_full");
	}
	assert_int_equal(total(&o, &t->arena, 1), 0);
	for (size_t i = 0; i < 50; i++) { /* until the disk has room again */
		enum kh_err e = kh_store_run(o.store, add_to_reader, &steps[0], &o.err);
		if (e == KH_OK)
			break;
		must_store_fail(&o, KH_ESTORE, "store_full", e);
		full++;
	}
	assert_true(full < 50);
	assert_int_equal(total(&o, &t->arena, 1), 1);
	kh_store_close(o.store);
	opened_open(&o, KH_STORE_EXISTING);
	assert_int_equal(total(&o, &t->arena, 1), 1);
	opened_remove(&o);
}

static off_t reserve_size(const struct opened *o)
{
	struct stat st;
	char path[128];

	snprintf(path, sizeof(path), "%s-reserve", o->path);
	return stat(path, &st) == 0 ? st.st_size : -1;
}

/* D4: room that is kept is given back when there is none, and is kept again afterwards. */
static void test_reserve(struct kh_test *t)
{
	struct step step = {.arena = &t->arena, .reader = 1, .add = 1};
	struct opened o;

	open_with_rows(&o, &t->arena);
	must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	assert_int_equal(reserve_size(&o), -1); /* only for those who want it */
	kh_store_keep_room(o.store);
	must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	off_t size = reserve_size(&o);
	assert_true(size > 0);
	disk = (struct disk){.harm = DISK_FULL, .at = 1};
	must_store_fail(&o, KH_ESTORE, "store_full", kh_store_run(o.store, add_to_reader, &step, &o.err));
	assert_int_equal(reserve_size(&o), 0);
	disk = (struct disk){0};
	must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	assert_int_equal(reserve_size(&o), 0); /* not at once */
	for (int i = 0; i < 50 && reserve_size(&o) == 0; i++) {
		usleep(100000);
		must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	}
	assert_int_equal(reserve_size(&o), size);
	opened_remove(&o);
}

/* The same by the kernel: a file that may grow no more. */
static void test_file_limit(struct kh_test *t)
{
	struct rlimit before, now;
	struct stat st;
	struct opened o;
	char wal[128];
	char *large = calloc(1, 1 << 20);
	struct step step = {.arena = &t->arena, .reader = 1, .add = 1};

	assert_non_null(large);
	memset(large, 'x', 1 << 20);
	step.text = kh_view_of(large, 1 << 20);
	open_with_rows(&o, &t->arena);
	snprintf(wal, sizeof(wal), "%s-wal", o.path);
	assert_int_equal(stat(wal, &st), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)st.st_size + 300000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	enum kh_err e = kh_store_run(o.store, add_to_reader, &step, &o.err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	must_store_fail(&o, KH_ESTORE, "store_full", e);
	must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	assert_int_equal(total(&o, &t->arena, 1), 1);
	opened_remove(&o);
	free(large);
}

/* D4: a failed sync or write.  Everything afterwards fails too; when it is opened again, what was acknowledged is
 * there. */
static void fail_for_good(struct kh_test *t, enum disk_harm harm)
{
	struct step step = {.arena = &t->arena, .reader = 1, .add = 1};
	struct opened o;

	open_with_rows(&o, &t->arena);
	must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	disk = (struct disk){.harm = harm, .at = 1};
	must_store_fail(&o, KH_ESTORE, "store_failed", kh_store_run(o.store, add_to_reader, &step, &o.err));
	disk = (struct disk){.harm = DISK_NONE}; /* the disk is fine again; the store does not believe it */
	must_store_fail(&o, KH_ESTORE, "store_failed", kh_store_run(o.store, add_to_reader, &step, &o.err));
	must_store_fail(&o, KH_ESTORE, "store_failed", kh_store_run(o.store, get_total, &step, &o.err));
	kh_store_close(o.store);
	opened_open(&o, KH_STORE_EXISTING);
	uint64_t n = total(&o, &t->arena, 1);
	assert_true(n == 1 || n == 2);
	must_store(&o, kh_store_run(o.store, add_to_reader, &step, &o.err));
	assert_int_equal(total(&o, &t->arena, 1), n + 1);
	opened_remove(&o);
}

static void test_sync_fails(struct kh_test *t)
{
	fail_for_good(t, DISK_SYNC_FAILS);
}

static void test_write_fails(struct kh_test *t)
{
	fail_for_good(t, DISK_WRITE_FAILS);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_one_fails),       KH_TEST_ONCE(test_orphan_fails_alone),
	KH_TEST_ONCE(test_refusal_ignored), KH_TEST_ONCE(test_event_numbers),
	KH_TEST_ONCE(test_syncs),           KH_TEST_ONCE(test_many_callers),
	KH_TEST_ONCE(test_close_waits),     KH_TEST_ONCE(test_full),
	KH_TEST_ONCE(test_file_limit),      KH_TEST_ONCE(test_sync_fails),
	KH_TEST_ONCE(test_write_fails),     KH_TEST_ONCE(test_reserve),
};

int main(void)
{
	if (!disk_install(&disk))
		return 1;
	return kh_test_main(__FILE__, cases, sizeof(cases) / sizeof(cases[0]));
}
