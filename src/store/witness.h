/*
 * Witnesses (L3): where checkpoints are sent, so that an older copy of the store, or one that was cut and signed anew,
 * is noticed.  A file (appended to, synced) or syslog; a command is the engine's to run, through the executor.
 */
#ifndef KH_STORE_WITNESS_H
#define KH_STORE_WITNESS_H

#include "base/error.h"

/* Appends LINE, durably. */
enum kh_err kh_witness_file(const char *path, struct kh_view line, struct kh_error *err) KH_CHECKED;
void kh_witness_syslog(struct kh_view line);

/*
 * Compares the last line that a witness has with the store's checkpoint LINE of the same number (empty: the store has
 * none). KH_ECHANGED `store_older` or `store_forked` where the store is not the one that the witness saw.
 */
enum kh_err kh_witness_compare(struct kh_arena *arena, struct kh_view witnessed, struct kh_view line,
			       struct kh_error *err) KH_CHECKED;

/* The number of the checkpoint in LINE; 0 where it is none. */
int64_t kh_witness_number(struct kh_arena *arena, struct kh_view line);

#endif
