/*
 * Witnesses (L3): checkpoints are sent to them, so that an older copy of the store, or one that was cut off and signed
 * again, is noticed.  A witness is a file (appended to, synced) or syslog.  Running a command as a witness would be the
 * engine's part, through the executor.
 */
#ifndef KH_STORE_WITNESS_H
#define KH_STORE_WITNESS_H

#include "base/error.h"

/* Appends LINE, or several lines with newlines between them, durably.  The file is made if it is not there. */
enum kh_err kh_witness_file(const char *path, struct kh_view line, struct kh_error *err) KH_CHECKED;
void kh_witness_syslog(struct kh_view line);

/*
 * Compares the last line that a witness has with LINE, the store's checkpoint of the same number (empty: the store has
 * none).  KH_ECHANGED `store_older` or `store_forked` if the store is not the one that the witness saw.
 */
enum kh_err kh_witness_compare(struct kh_arena *arena, struct kh_view witnessed, struct kh_view line,
			       struct kh_error *err) KH_CHECKED;

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
 * Only the numbers of the lines are looked at; kh_witness_compare() compares a line.
 */
enum kh_err kh_witness_missing(struct kh_view lines, int64_t first, int64_t seen, struct kh_arena *arena,
			       int64_t *ret_missing) KH_CHECKED;

/* The last line of LINES that is a checkpoint, and the first number of the run without a gap that ends with it. */
struct kh_view kh_witness_last_line(struct kh_view lines, struct kh_arena *arena, int64_t *ret_first);

#endif
