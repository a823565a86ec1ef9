/* P6: in which order an operation's rows are written. */
#include "opened.h"

/* The backend, and which tables it was told to write, in turn: "+" for a new row. */
static struct {
	struct kh_backend backend;
	char writes[64];
} recording;

static void record(const char *before, enum kh_table table)
{
	size_t n = strlen(recording.writes);

	snprintf(recording.writes + n, sizeof(recording.writes) - n, "%s%s", before, kh_record_of(table)->table);
}

static enum kh_err record_insert(struct kh_txn *txn, enum kh_table table, const void *row)
{
	record(" +", table);
	return kh_sqlite_backend.insert(txn, table, row);
}

static enum kh_err record_update(struct kh_txn *txn, enum kh_table table, const void *row, uint64_t columns)
{
	record(" ", table);
	return kh_sqlite_backend.update(txn, table, row, columns);
}

static enum kh_err begin(struct kh_txn *txn, void *arg)
{
	struct kh_system_row *system;
	struct kh_context_row *context;

	kh_txn_use_arena(txn, arg);
	enum kh_err e = kh_txn_new(txn, KH_TABLE_SYSTEM, &system);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_CONTEXTS, &context);
	if (e != KH_OK)
		return e;
	system->id_key = KH_LIT("0123456789abcdef");
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_STORE_CREATED, .at = 1});
}

/* Changes the context, and then makes a task in it. */
static enum kh_err change_and_make(struct kh_txn *txn, void *arg)
{
	struct kh_context_row *context;
	struct kh_task_row *task;

	recording.backend = kh_sqlite_backend;
	recording.backend.insert = record_insert;
	recording.backend.update = record_update;
	txn->backend = &recording.backend;
	kh_txn_use_arena(txn, arg);
	enum kh_err e = kh_txn_load(txn, KH_TABLE_CONTEXTS, 1, &context);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_TASKS, &task);
	if (e != KH_OK)
		return e;
	context->blocks++;
	task->context = context->id;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_TASK_OPENED, .task = task, .at = 5});
}

/*
 * New rows are written before those that may refer to them.  Otherwise the database reads a whole table for each new row,
 * to find out who has referred to it.
 */
static void test_new_rows_first(struct kh_test *t)
{
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, begin, &t->arena, &o.err));
	must_store(&o, kh_store_run(o.store, change_and_make, &t->arena, &o.err));
	assert_string_equal(recording.writes, " +tasks contexts");
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_new_rows_first),
};
KH_TEST_MAIN(cases)
