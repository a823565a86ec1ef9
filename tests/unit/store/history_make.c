/*
 * A checkpoint in one transaction: the parts that a gateway runs in different threads, one after the other.  And what
 * the engine does when it opens a store that was begun with format 1.  And ways past all rules, for who has the file.
 */
#include "history.h"

#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <unistd.h>

enum kh_err kh_history_make(struct kh_txn *txn, const struct kh_checkpoint_key *key, int64_t now,
			    const struct kh_checkpoint_witness *witness, struct kh_arena *arena,
			    struct kh_view *ret_line)
{
	struct kh_checkpoint_made made = {.n = 0};
	struct kh_checkpoint last, next = {.at = now, .witnesses = witness, .witness_count = witness != NULL};
	struct kh_chains chains;

	kh_chains_init(&chains, arena->alloc);
	enum kh_err e = kh_checkpoint_last(txn, arena, &last, &next.prev);
	if (e == KH_OK)
		e = kh_checkpoint_heads(txn, last.last, &chains, &next.last);
	if (e == KH_OK && chains.n > 0) {
		kh_chains_sort(&chains);
		next.n = last.n + 1;
		next.heads = chains.at;
		next.count = chains.n;
		e = kh_checkpoint_sign(&next, key, arena, &made);
		if (e == KH_OK)
			e = kh_checkpoint_add(txn, key, &made, arena);
	}
	kh_chains_done(&chains);
	if (e == KH_OK)
		*ret_line = made.n > 0 ? made.line : KH_LIT("");
	return e;
}

static enum kh_err upgrade(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;
	struct kh_audit audit = {.kind = KH_AUDIT_UPGRADED, .at = h->now};
	struct kh_system_row *system;

	kh_txn_use_arena(txn, &h->arena);
	enum kh_err e = kh_txn_load(txn, KH_TABLE_SYSTEM, 1, &system);
	if (e != KH_OK)
		return e;
	system->format = KH_AUDIT_FORMAT;
	return kh_txn_event(txn, &audit);
}

/* U1: a server is leased to a process, another one wants it, and it is given back. */
static enum kh_err lease(struct kh_txn *txn, void *arg)
{
	static const enum kh_audit_kind kinds[] = {KH_AUDIT_UPSTREAM_LEASED, KH_AUDIT_UPSTREAM_WANTED,
						   KH_AUDIT_UPSTREAM_RELEASED};
	struct kh_history *h = arg;
	struct kh_lease_row *row;

	kh_txn_use_arena(txn, &h->arena);
	enum kh_err e = kh_txn_new(txn, KH_TABLE_LEASES, &row);
	for (size_t i = 0; e == KH_OK && i < 3; i++) {
		struct kh_audit audit = {.kind = kinds[i], .at = h->now};
		row->context = 1;
		row->server = KH_LIT("mail");
		row->holder = i < 2 ? 7 : 0;
		row->wanted = i == 1;
		e = kh_txn_event(txn, &audit);
	}
	return e;
}

void kh_history_lease(struct kh_history *h)
{
	struct kh_error err = {.code = NULL};

	kh_history_open(h);
	assert_int_equal(kh_store_run(h->store, lease, h, &err), KH_OK);
	kh_history_close(h);
}

void kh_history_upgrade(struct kh_history *h)
{
	struct kh_error err = {.code = NULL};

	kh_history_open(h);
	assert_int_equal(kh_store_run(h->store, upgrade, h, &err), KH_OK);
	kh_history_close(h);
}

sqlite3 *kh_history_connect(const struct kh_history *h)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(h->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;"
				      "PRAGMA synchronous = OFF;",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	return db;
}

void kh_history_sql(const struct kh_history *h, const char *sql)
{
	sqlite3 *db = kh_history_connect(h);
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (rc != SQLITE_OK)
		print_error("%s: %s\n", sqlite3_errmsg(db), sql);
	assert_int_equal(rc, SQLITE_OK);
	sqlite3_close(db);
}

struct kh_verify kh_history_verify(struct kh_test *t, struct kh_history *h, bool state)
{
	struct kh_verify v = {.state = state, .arena = &t->arena};

	if (h->seen == NULL)
		must(t, kh_store_open(&kh_sqlite_backend, h->path, KH_STORE_READ, &h->seen, &t->err));
	must(t, kh_verify_store(h->seen, &v, &t->err));
	return v;
}

void kh_history_unlink(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-holders"};
	char name[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
}

void kh_history_copy(const char *from, const char *to)
{
	static char bytes[65536];
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		assert_int_equal(fwrite(bytes, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}
