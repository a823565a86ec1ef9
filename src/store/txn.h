/*
 * What an operation does with a transaction.
 *
 * Rows are loaded, changed in place, and recorded by the next event: kh_txn_event() takes every loaded row that differs
 * from what was loaded, puts exactly these differences into the event, and appends the event to its chain.  These
 * differences, and nothing else, are written before the operation ends.  So there is no way to change state without an
 * audit event in the same transaction (L1, L2), and the audit says what every change was (L3).  An operation that ends
 * with a change that no event recorded is a bug, and fails (KH_ESTORE, `unrecorded`).
 *
 *     struct kh_task_row *task;
 *     e = kh_txn_load(txn, KH_TABLE_TASKS, id, &task);
 *     task->state = KH_TASK_CLOSED;
 *     e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_TASK_CLOSED, .task = task, .by = caller->id});
 *
 * Rows live in the operation's arena.  A row is loaded once: loading it again gives the same struct.
 */
#ifndef KH_STORE_TXN_H
#define KH_STORE_TXN_H

#include "store/audit.h"
#include "store/content.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/store.h"

/* The arena that rows come from; set before the first load.  The caller owns it: results live as long as it does. */
void kh_txn_use_arena(struct kh_txn *txn, struct kh_arena *arena);

/* The row with this id, to be changed in place.  KH_EUNKNOWN if there is none. */
#define kh_txn_load(txn, table, id, ret_row) kh_txn_load_row((txn), (table), (id), (void **)(ret_row))
enum kh_err kh_txn_load_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row) KH_CHECKED;

/*
 * A read-only copy of the row as the last event left it, without its sealed columns.  For lists, which must neither
 * read content nor keep every row that they pass in memory.  The caller owns *RET_ROW.
 */
#define kh_txn_peek(txn, table, id, ret_row) kh_txn_peek_row((txn), (table), (id), (void *)(ret_row))
enum kh_err kh_txn_peek_row(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row) KH_CHECKED;

/*
 * The same as kh_txn_load(), but the sealed columns are not read, because content may be large: they are empty.  What is
 * not changed stays as it is.  If the row was loaded before, it is given out as it is.
 */
#define kh_txn_load_closed(txn, table, id, ret_row) kh_txn_load_closed_row((txn), (table), (id), (void **)(ret_row))
enum kh_err kh_txn_load_closed_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row) KH_CHECKED;

/* A new row, all zero except its id.  The next event records it. */
#define kh_txn_new(txn, table, ret_row) kh_txn_new_row((txn), (table), (void **)(ret_row))
enum kh_err kh_txn_new_row(struct kh_txn *txn, enum kh_table table, void **ret_row) KH_CHECKED;

/*
 * Finds up to LIMIT ids greater than AFTER by an index, in ascending order, in the arena.  It sees what events have
 * recorded; changes that no event has recorded yet are not seen.
 */
enum kh_err kh_txn_find(struct kh_txn *txn, enum kh_index index, int64_t key, struct kh_view text, int64_t after,
			size_t limit, int64_t **ret_ids, size_t *ret_count) KH_CHECKED;

/* Records all changes in an event.  On success *AUDIT's id is the event's. */
enum kh_err kh_txn_event(struct kh_txn *txn, struct kh_audit *audit) KH_CHECKED;

/* Whether a row was changed since the last kh_txn_event(), so that another one has to follow. */
bool kh_txn_has_changed(const struct kh_txn *txn);

/*
 * BYTES, which a sealed column will hold, have this digest: an event records it, and so need not make it.  The operation
 * has it from where BYTES came into this process; BYTES are known by their address, and are not read.
 */
enum kh_err kh_txn_know(struct kh_txn *txn, struct kh_view bytes, const struct kh_digest *digest) KH_CHECKED;

/* What the operation has staged (content.h), a list.  A row that holds the bytes of one of them names it. */
void kh_txn_use_contents(struct kh_txn *txn, struct kh_content *contents);

/* The operation fails because it has to be run again: whoever waits for it is told at once, before the commit. */
void kh_txn_again(struct kh_txn *txn);

/* The id of the audit event that the next kh_txn_event() will write: for rows that name it. */
enum kh_err kh_txn_next_event(struct kh_txn *txn, int64_t *ret_id) KH_CHECKED;

#endif
