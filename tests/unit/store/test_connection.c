#include "opened.h"

#include "store/sqlite/connection.h"

#include <errno.h>
#include <time.h>

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Another that has the store is waited for, and not for ever. */
static void test_busy(struct kh_test *t)
{
	struct kh_connection a, b;
	struct opened o;
	double start;

	(void)t;
	opened_new(&o);
	must_store(&o, kh_connection_open(&a, o.path, KH_STORE_EXISTING, &o.err));
	must_store(&o, kh_connection_open(&b, o.path, KH_STORE_EXISTING, &o.err));
	must_store(&o, kh_connection_exec(&a, "BEGIN IMMEDIATE", &o.err));
	b.patience = 100;
	start = seconds();
	must_store_fail(&o, KH_ESTORE, "store_busy", kh_connection_exec(&b, "BEGIN IMMEDIATE", &o.err));
	assert_true(seconds() - start > 0.09);
	must_store(&o, kh_connection_exec(&a, "COMMIT", &o.err));
	must_store(&o, kh_connection_exec(&b, "BEGIN IMMEDIATE; COMMIT", &o.err));
	kh_connection_close(&a);
	kh_connection_close(&b);
	opened_remove(&o);
}

/* Every failure of SQLite's has its word, and those after which nothing is certain are known. */
static void test_failures(struct kh_test *t)
{
	static const struct {
		int rc, error;
		enum kh_err e;
		const char *code;
		bool fatal;
	} all[] = {
		{SQLITE_FULL, 0, KH_ESTORE, "store_full", false},
		{SQLITE_IOERR_WRITE, ENOSPC, KH_ESTORE, "store_full", false},
		{SQLITE_IOERR_WRITE, EDQUOT, KH_ESTORE, "store_full", false},
		{SQLITE_IOERR_WRITE, EFBIG, KH_ESTORE, "store_full", false},
		{SQLITE_IOERR_SHMSIZE, ENOSPC, KH_ESTORE, "store_full", false},
		{SQLITE_IOERR_WRITE, EIO, KH_ESTORE, "store_failed", true},
		{SQLITE_IOERR_FSYNC, ENOSPC, KH_ESTORE, "store_failed", true},
		{SQLITE_IOERR_FSYNC, EIO, KH_ESTORE, "store_failed", true},
		{SQLITE_IOERR_READ, EIO, KH_ESTORE, "store_failed", true},
		{SQLITE_IOERR_SHORT_READ, 0, KH_ESTORE, "store_failed", true},
		{SQLITE_CORRUPT, 0, KH_ESTORE, "store_corrupt", true},
		{SQLITE_CORRUPT_INDEX, 0, KH_ESTORE, "store_corrupt", true},
		{SQLITE_NOTADB, 0, KH_ESTORE, "store_corrupt", true},
		{SQLITE_BUSY, 0, KH_ESTORE, "store_busy", false},
		{SQLITE_BUSY_SNAPSHOT, 0, KH_ESTORE, "store_busy", false},
		{SQLITE_LOCKED, 0, KH_ESTORE, "store_busy", false},
		{SQLITE_CONSTRAINT_CHECK, 0, KH_ESTORE, "store_refused", false},
		{SQLITE_READONLY, 0, KH_ESTORE, "store_failed", false},
		{SQLITE_NOMEM, 0, KH_ENOMEM, "-", false},
		{SQLITE_IOERR_NOMEM, 0, KH_ENOMEM, "-", false},
	};
	struct kh_connection c;
	struct opened o;

	(void)t;
	memset(&o, 0, sizeof(o));
	must_store(&o, kh_connection_open(&c, NULL, KH_STORE_SCRATCH, &o.err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		errno = all[i].error;
		int rc = kh_connection_told(all[i].rc);
		assert_int_equal(kh_connection_is_fatal(rc), all[i].fatal);
		must_store_fail(&o, all[i].e, all[i].code, kh_connection_fail(&c, rc, &o.err));
	}
	kh_connection_close(&c);
}

/* D1: what durability needs is set on every connection. */
static void test_settings(struct kh_test *t)
{
	struct kh_connection c;
	struct opened o;
	int64_t number = 0;

	(void)t;
	opened_new(&o);
	must_store(&o, kh_connection_open(&c, o.path, KH_STORE_EXISTING, &o.err));
	must_store(&o, kh_connection_number(&c, "PRAGMA synchronous", &number, &o.err));
	assert_int_equal(number, 2); /* FULL */
	must_store(&o, kh_connection_number(&c, "PRAGMA foreign_keys", &number, &o.err));
	assert_int_equal(number, 1);
	must_store(&o,
		   kh_connection_number(&c, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &number, &o.err));
	assert_int_equal(number, 1);
	must_store_fail(&o, KH_ESTORE, "store_failed", kh_connection_exec(&c, "nonsense", &o.err));
	kh_connection_close(&c);
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_busy),
	KH_TEST_ONCE(test_failures),
	KH_TEST_ONCE(test_settings),
};
KH_TEST_MAIN(cases)
