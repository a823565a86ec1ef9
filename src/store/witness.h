/*
 * Witnesses (L3): checkpoints are sent to them, so that an older copy of the store, or one that was cut off and signed
 * again, is noticed.  A witness is a file (appended to, synced) or syslog.  Running a command as a witness would be the
 * engine's part, through the executor.
 */
#ifndef KH_STORE_WITNESS_H
#define KH_STORE_WITNESS_H

#include "base/error.h"

/* Appends LINE, durably. */
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

#endif
