/*
 * Audit events for other programs, a line of JSON each (L4), and what every way of writing one needs: who did it, in
 * which task.  Events hold words of Controllers and reviewers, escaped as JSON.
 */
#ifndef KH_ENGINE_AUDIT_EVENTLINE_H
#define KH_ENGINE_AUDIT_EVENTLINE_H

#include "engine/state/publicid.h"
#include "store/txn.h"

#define KH_EVENTLINE_NAMES 64

/* Who did it. */
struct kh_eventline_name {
	int64_t token; /* 0: none */
	char id[24];   /* public */
	char name[72];
};

struct kh_eventline {
	struct kh_txn *txn;
	struct kh_arena arena; /* of one event */
	unsigned char id_key[KH_PUBLICID_KEY];
	struct kh_eventline_name names[KH_EVENTLINE_NAMES];
};

/* Reads what lines need of the store.  KH_ESTORE where it has no system row. */
enum kh_err kh_eventline_init(struct kh_eventline *line, struct kh_txn *txn) KH_CHECKED;
void kh_eventline_done(struct kh_eventline *line);

/* The token that an event is by; "keyhole" for Keyhole itself. */
const struct kh_eventline_name *kh_eventline_by(struct kh_eventline *line, int64_t token);

/* The public id of a chain's task; "system" for the system's. */
struct kh_view kh_eventline_task(struct kh_eventline *line, int64_t chain);

/* Adds one line, with its end: {"event":{...},"hash":...,"name":...,"principal":...,"task":...}.  The event stands in
 * it byte for byte.  What is allocated is gone with the next. */
void kh_eventline_json(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

#endif
