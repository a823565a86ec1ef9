/*
 * Witnesses (L3): checkpoints are sent to them, so that an older copy of the store, or one that was cut off and signed
 * again, is noticed.  A witness is a file (appended to, synced) or syslog.  Running a command as a witness would be the
 * engine's part, through the executor.
 */
#ifndef KH_STORE_WITNESS_H
#define KH_STORE_WITNESS_H

#include "store/store.h"

/* Appends LINE, or several lines with newlines between them, durably.  The file is made if it is not there. */
enum kh_err kh_witness_file(const char *path, struct kh_view line, struct kh_error *err) KH_CHECKED;
void kh_witness_syslog(struct kh_view line);

/*
 * Compares a line that a witness has with LINE, the store's checkpoint of the same number (empty: the store has none).
 * KH_ECHANGED `store_older` or `store_forked` if the store is not the one that the witness saw, `witness_changed` if
 * only something else in the line differs: its signature, its key, or how far it covers the record.
 */
enum kh_err kh_witness_compare(struct kh_arena *arena, struct kh_view witnessed, struct kh_view line,
			       struct kh_error *err) KH_CHECKED;

/* What a witness has: whole lines, each of which is the store's checkpoint of its number. */
struct kh_witness_seen {
	uint64_t compared;
	int64_t last; /* the highest number of them; 0: there is none */
};

/*
 * Compares every line of LINES, in a transaction that may read.  KH_ECHANGED as kh_witness_compare(), and
 * `witness_incomplete` for a line of a checkpoint that is not whole.  Text that is no line of a checkpoint, and a line
 * that a crash cut off, are passed over.  *RET_SEEN counts the lines before the one that differs.  SCRATCH is cleared.
 */
enum kh_err kh_witness_check(struct kh_txn *txn, struct kh_view lines, struct kh_arena *scratch,
			     struct kh_witness_seen *ret_seen, struct kh_error *err) KH_CHECKED;

/* The number of the checkpoint in LINE; 0 if LINE is not one. */
int64_t kh_witness_number(struct kh_arena *arena, struct kh_view line);

/*
 * The lines of the file at PATH, after those of PATH.1: logrotate renames a file to that, and what it had is still
 * there.  A file that does not exist has no lines.
 */
enum kh_err kh_witness_read(const char *path, struct kh_arena *arena, struct kh_view *ret_lines,
			    struct kh_error *err) KH_CHECKED;

/* The number of the last checkpoint in the file at PATH; 0 if there is none, or no file. */
enum kh_err kh_witness_last(const char *path, struct kh_arena *arena, int64_t *ret_number,
			    struct kh_error *err) KH_CHECKED;

/*
 * Which of the checkpoints FIRST to SEEN have no line in LINES: *RET_MISSING is the first of them, 0 if all are there.
 * Only the numbers of the lines are looked at: kh_witness_check() has found all of them whole.
 */
enum kh_err kh_witness_missing(struct kh_view lines, int64_t first, int64_t seen, struct kh_arena *arena,
			       int64_t *ret_missing) KH_CHECKED;

/* The last line of LINES that is a checkpoint, and the first number of the run without a gap that ends with it. */
struct kh_view kh_witness_last_line(struct kh_view lines, struct kh_arena *arena, int64_t *ret_first);

#endif
