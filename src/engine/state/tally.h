/*
 * What this process has counted, for /metrics: decisions, operations, denials, alerts, bits.
 *
 * Labels are words of fixed lists, or names of the configuration; never anything that an agent or the world wrote.  A
 * counter counts what was decided, even if the commit that follows fails, so it is for watching and not for accounting.
 */
#ifndef KH_ENGINE_STATE_TALLY_H
#define KH_ENGINE_STATE_TALLY_H

#include "base/alloc.h"
#include "base/view.h"

#include <stdint.h>

#define KH_TALLY_ROWS 128 /* more are counted as "other" */
#define KH_TALLY_WORD 64  /* bytes of a label, with its NUL */

enum kh_tally_kind {
	KH_TALLY_DECIDED,  /* approvals, by outcome */
	KH_TALLY_ENDED,    /* external operations, by operation and outcome */
	KH_TALLY_DENIED,   /* calls that a gate denied, by gate */
	KH_TALLY_REFUSED,  /* other refused calls, by code */
	KH_TALLY_ALERTS,   /* by code */
	KH_TALLY_RESERVED, /* microbits */
	KH_TALLY_CHARGED,  /* microbits */
	KH_TALLY_KINDS
};

struct kh_tally_row {
	enum kh_tally_kind kind;
	char label[KH_TALLY_WORD], other[KH_TALLY_WORD]; /* empty: none */
	uint64_t count;
};

struct kh_tally;

/* NULL: no memory. */
struct kh_tally *kh_tally_new(const struct kh_alloc *alloc);
void kh_tally_free(struct kh_tally *tally); /* NULL is fine */

/* Adds AMOUNT.  Any thread. */
void kh_tally_add(struct kh_tally *tally, enum kh_tally_kind kind, struct kh_view label, struct kh_view other,
		  uint64_t amount);

/* Copies all rows, and returns their number. */
size_t kh_tally_copy(struct kh_tally *tally, struct kh_tally_row ret_rows[KH_TALLY_ROWS]);

#endif
