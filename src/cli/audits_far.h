/* The record as a gateway gives it, page by page, for keyhole audit tail, show and export (L4). */
#ifndef KH_CLI_AUDITS_FAR_H
#define KH_CLI_AUDITS_FAR_H

#include "cli/eventout.h"
#include "engine/audit/eventfilter.h"

#define KH_AUDITS_FAR_CURSOR 32

struct kh_audits_far {
	struct kh_remote *remote;
	const struct kh_eventfilter *wanted; /* not read: the gateway does */
	struct kh_eventout *out;
	char after[KH_AUDITS_FAR_CURSOR]; /* where to begin; empty: at the first event */
	uint64_t last;                    /* used inside: begin with the last so many */
	char (*ring)[KH_AUDITS_FAR_CURSOR];
	uint64_t passed, room;
};

/* Writes the events after far->after that match; what comes later is after that. */
enum kh_err kh_audits_far_on(struct kh_audits_far *far, struct kh_error *err) KH_CHECKED;

/* Writes the last N that match. */
enum kh_err kh_audits_far_last(struct kh_audits_far *far, uint64_t n, struct kh_arena *arena,
			       struct kh_error *err) KH_CHECKED;

/* Writes the event ID, whatever it is. */
enum kh_err kh_audits_far_one(struct kh_audits_far *far, struct kh_view id, struct kh_error *err) KH_CHECKED;

#endif
