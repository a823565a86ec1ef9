#include "opened.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static enum kh_err open_in(struct opened *o, enum kh_store_mode mode)
{
	return kh_store_open(&kh_sqlite_backend, o->path, mode, &o->store, &o->err);
}

static void test_modes(struct kh_test *t)
{
	struct opened o;

	(void)t;
	opened_folder(&o);
	must_store_fail(&o, KH_ESTORE, "store_missing", open_in(&o, KH_STORE_EXISTING));
	must_store_fail(&o, KH_ESTORE, "store_missing", open_in(&o, KH_STORE_READ));
	must_store(&o, open_in(&o, KH_STORE_CREATE));
	kh_store_close(o.store);
	o.store = NULL;
	must_store_fail(&o, KH_ESTORE, "store_exists", open_in(&o, KH_STORE_CREATE));
	must_store(&o, open_in(&o, KH_STORE_EXISTING));
	must_store_fail(&o, KH_ESTORE, "store_exists",
			kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_CREATE, &(struct kh_store *){NULL}, &o.err));
	kh_store_close(NULL);
	opened_remove(&o);
}

static void assert_mode(struct opened *o, const char *suffix)
{
	char name[128];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", o->path, suffix);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* I9: nobody else can read what it keeps, whatever the umask. */
static void test_files_are_private(struct kh_test *t)
{
	struct opened o;
	mode_t mask = umask(0);

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	umask(mask);
	assert_mode(&o, "");
	assert_mode(&o, "-wal");
	assert_mode(&o, "-shm");
	assert_mode(&o, "-holders");
	opened_remove(&o);
}

/* A creation that was cut off leaves an empty file: no store yet, and it can be made there. */
static void test_cut_off(struct kh_test *t)
{
	struct opened o;

	(void)t;
	opened_folder(&o);
	close(open(o.path, O_CREAT | O_WRONLY, 0600));
	must_store_fail(&o, KH_ESTORE, "store_missing", open_in(&o, KH_STORE_EXISTING));
	must_store(&o, open_in(&o, KH_STORE_CREATE));
	opened_remove(&o);
}

static void write_file(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* What is no store, or a damaged one, is refused, in every mode. */
static void test_corrupt(struct kh_test *t)
{
	static const char text[] = "This is a letter to somebody, and no database at all.";
	struct opened o;
	struct stat st;

	opened_folder(&o);
	write_file(o.path, text, sizeof(text));
	must_store_fail(&o, KH_ESTORE, "store_corrupt", open_in(&o, KH_STORE_EXISTING));
	must_store_fail(&o, KH_ESTORE, "store_corrupt", open_in(&o, KH_STORE_READ));
	must_store_fail(&o, KH_ESTORE, "store_corrupt", open_in(&o, KH_STORE_CREATE));
	assert_int_equal(stat(o.path, &st), 0);
	assert_int_equal(st.st_size, sizeof(text)); /* and is left as it is */
	unlink(o.path);
	/* Another program's database. */
	must_store(&o, open_in(&o, KH_STORE_CREATE));
	kh_store_close(o.store);
	o.store = NULL;
	assert_int_equal(opened_sql(&o, "PRAGMA application_id = 7"), SQLITE_OK);
	must_store_fail(&o, KH_ESTORE, "store_corrupt", open_in(&o, KH_STORE_EXISTING));
	assert_int_equal(opened_sql(&o, "PRAGMA application_id = 1265136495"), SQLITE_OK);
	must_store(&o, open_in(&o, KH_STORE_EXISTING));
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	kh_store_close(o.store);
	o.store = NULL;
	/* Cut in half. */
	assert_int_equal(stat(o.path, &st), 0);
	assert_int_equal(truncate(o.path, st.st_size / 8192 * 4096), 0);
	must_store_fail(&o, KH_ESTORE, "store_corrupt", open_in(&o, KH_STORE_EXISTING));
	opened_remove(&o);
}

static enum kh_err write_nothing(struct kh_txn *txn, void *arg)
{
	(void)txn;
	*(bool *)arg = true;
	return KH_OK;
}

static enum kh_err try_to_write(struct kh_txn *txn, void *arg)
{
	return opened_first_rows(txn, arg);
}

/* A store that was opened to be read runs no operation, and a reading writes nothing. */
static void test_read_only(struct kh_test *t)
{
	struct kh_store *reading = NULL;
	bool ran = false;
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_READ, &reading, &o.err));
	must_store_fail(&o, KH_ESTORE, "read_only", kh_store_run(reading, write_nothing, &ran, &o.err));
	assert_false(ran);
	must_store_fail(&o, KH_ESTORE, "read_only", kh_store_read(reading, try_to_write, &t->arena, &o.err));
	must_store_fail(&o, KH_ESTORE, "read_only", kh_store_read(o.store, try_to_write, &t->arena, &o.err));
	must_store(&o, kh_store_read(reading, write_nothing, &ran, &o.err));
	assert_true(ran);
	kh_store_close(reading);
	opened_remove(&o);
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

struct looking {
	struct opened *o;
	struct kh_arena *arena;
	enum kh_err first, second;
};

static enum kh_err look_twice(struct kh_txn *txn, void *arg)
{
	struct looking *l = arg;
	union opened_row row;

	kh_txn_use_arena(txn, l->arena);
	l->first = txn->backend->get(txn, KH_TABLE_READERS, 1, &row);
	must_store(l->o, kh_store_run(l->o->store, opened_first_rows, l->arena, &l->o->err));
	l->second = txn->backend->get(txn, KH_TABLE_READERS, 1, &row);
	return KH_OK;
}

static enum kh_err look(struct kh_txn *txn, void *arg)
{
	struct looking *l = arg;
	union opened_row row;

	kh_txn_use_arena(txn, l->arena);
	return txn->backend->get(txn, KH_TABLE_READERS, 1, &row);
}

/* A reading sees the store as it was when it began, while others write. */
static void test_snapshot(struct kh_test *t)
{
	struct opened o;
	struct looking l = {&o, &t->arena, KH_OK, KH_OK};

	opened_new(&o);
	must_store(&o, kh_store_read(o.store, look_twice, &l, &o.err));
	assert_int_equal(l.first, KH_EUNKNOWN);
	assert_int_equal(l.second, KH_EUNKNOWN);
	must_store(&o, kh_store_read(o.store, look, &l, &o.err));
	opened_remove(&o);
}

/* A scratch store has no file, and no constraints; it reads what it wrote. */
static enum kh_err write_impossible(struct kh_txn *txn, void *arg)
{
	union opened_row row;

	opened_fill(KH_TABLE_READERS, arg, 1, &row);
	enum kh_err e = txn->backend->insert(txn, KH_TABLE_READERS, &row);
	opened_fill(KH_TABLE_BLOCKS, arg, 1, &row);
	row.block.type = KH_INSTRUCTION;
	return e == KH_OK ? txn->backend->insert(txn, KH_TABLE_BLOCKS, &row) : e;
}

static void test_scratch(struct kh_test *t)
{
	struct opened o;
	struct looking l = {&o, &t->arena, KH_OK, KH_OK};

	memset(&o, 0, sizeof(o));
	must_store(&o, kh_store_open(&kh_sqlite_backend, NULL, KH_STORE_SCRATCH, &o.store, &o.err));
	must_store(&o, kh_store_run(o.store, write_impossible, &t->arena, &o.err));
	must_store(&o, kh_store_read(o.store, look, &l, &o.err));
	assert_int_equal(kh_store_holder(o.store), 0);
	kh_store_close(o.store);
}

/* --- two processes ------------------------------------------------------------------------------------------------ */

struct adding {
	struct kh_arena arena;
	int64_t seen;
};

static enum kh_err add_one(struct kh_txn *txn, void *arg)
{
	struct adding *a = arg;
	struct kh_reader_row row;

	kh_arena_clear(&a->arena);
	kh_txn_use_arena(txn, &a->arena);
	enum kh_err e = txn->backend->get(txn, KH_TABLE_READERS, 1, &row);
	if (e != KH_OK)
		return e;
	a->seen = (int64_t)++row.total_1;
	return txn->backend->update(txn, KH_TABLE_READERS, &row, UINT64_MAX >> (64 - 10));
}

#define EACH 150

static void be_adder(const char *path)
{
	struct kh_store *store;
	struct kh_error err;
	struct adding a;

	kh_arena_init(&a.arena, NULL, 1U << 20);
	if (kh_store_open(&kh_sqlite_backend, path, KH_STORE_EXISTING, &store, &err) != KH_OK)
		_exit(1);
	for (int i = 0; i < EACH; i++) {
		if (kh_store_run(store, add_one, &a, &err) != KH_OK)
			_exit(2);
	}
	kh_store_close(store);
	_exit(0);
}

/* D4: three processes on one store at once: every operation takes place once, and none is kept waiting for good. */
static void test_processes(struct kh_test *t)
{
	struct adding a;
	struct opened o;
	pid_t pids[3];

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	kh_store_close(o.store);
	o.store = NULL;
	for (size_t i = 0; i < 3; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			be_adder(o.path);
	}
	for (size_t i = 0; i < 3; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	opened_open(&o, KH_STORE_EXISTING);
	kh_arena_init(&a.arena, NULL, 1U << 20);
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	assert_int_equal(a.seen, 3 * EACH + 1);
	kh_arena_done(&a.arena);
	opened_remove(&o);
}

/* Several that create at once are one creation and refusals: of a store that is there, or of one that is being made. */
static void test_create_race(struct kh_test *t)
{
	(void)t;
	for (int round = 0; round < 5; round++) {
		struct opened o;
		pid_t pids[4];
		int made = 0, refused = 0;
		opened_folder(&o);
		for (size_t i = 0; i < 4; i++) {
			pids[i] = fork();
			assert_true(pids[i] >= 0);
			if (pids[i] == 0) {
				struct kh_store *store;
				struct kh_error err;
				if (kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_CREATE, &store, &err) == KH_OK) {
					kh_store_close(store);
					_exit(10);
				}
				_exit(err.code != NULL && (strcmp(err.code, "store_exists") == 0 ||
							   strcmp(err.code, "store_busy") == 0)
					      ? 11
					      : 12);
			}
		}
		for (size_t i = 0; i < 4; i++) {
			int status;
			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			made += WEXITSTATUS(status) == 10;
			refused += WEXITSTATUS(status) == 11;
		}
		assert_int_equal(made, 1);
		assert_int_equal(refused, 3);
		opened_remove(&o);
	}
}

/* A process that was killed in the middle of its work leaves what it was told is durable, and nothing half. */
static void test_killed_writer(struct kh_test *t)
{
	struct adding a;
	struct opened o;
	int ends[2], status;
	int64_t seen, last = 0;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	kh_store_close(o.store);
	o.store = NULL;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct kh_store *store;
		struct kh_error err;
		kh_arena_init(&a.arena, NULL, 1U << 20);
		if (kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_EXISTING, &store, &err) != KH_OK)
			_exit(1);
		while (kh_store_run(store, add_one, &a, &err) == KH_OK)
			(void)!write(ends[1], &a.seen, sizeof(a.seen));
		_exit(2);
	}
	close(ends[1]);
	while (last < 50 && read(ends[0], &seen, sizeof(seen)) == sizeof(seen))
		last = seen;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	while (read(ends[0], &seen, sizeof(seen)) == sizeof(seen))
		last = seen;
	close(ends[0]);
	opened_open(&o, KH_STORE_EXISTING);
	kh_arena_init(&a.arena, NULL, 1U << 20);
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	assert_true(a.seen == last + 1 || a.seen == last + 2); /* one may have been durable, and not said yet */
	kh_arena_done(&a.arena);
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_modes),         KH_TEST_ONCE(test_files_are_private), KH_TEST_ONCE(test_cut_off),
	KH_TEST_ONCE(test_corrupt),       KH_TEST_ONCE(test_read_only),         KH_TEST_ONCE(test_snapshot),
	KH_TEST_ONCE(test_scratch),       KH_TEST_ONCE(test_processes),         KH_TEST_ONCE(test_create_race),
	KH_TEST_ONCE(test_killed_writer),
};
KH_TEST_MAIN(cases)
