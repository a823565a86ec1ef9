/*
 * Audit events for other programs, one line of JSON each (L4), and what every output of an event needs: who did it, and
 * in which task.  Events hold text of Controllers and reviewers, escaped as JSON.
 */
#ifndef KH_ENGINE_AUDIT_EVENTLINE_H
#define KH_ENGINE_AUDIT_EVENTLINE_H

#include "engine/state/publicid.h"
#include "store/txn.h"

#define KH_EVENTLINE_NAMES 64

/* Who did it. */
struct kh_eventline_name {
	int64_t token; /* 0: none */
	char id[24];   /* public id */
	char name[72];
};

struct kh_eventline {
	struct kh_txn *txn;
	struct kh_arena arena; /* for one event */
	unsigned char id_key[KH_PUBLICID_KEY];
	struct kh_eventline_name names[KH_EVENTLINE_NAMES];
};

/* Reads from the store what the lines need.  KH_ESTORE if the store has no system row. */
enum kh_err kh_eventline_init(struct kh_eventline *line, struct kh_txn *txn) KH_CHECKED;
void kh_eventline_done(struct kh_eventline *line);

/* The public id of an event. */
struct kh_view kh_eventline_id(struct kh_eventline *line, int64_t id);

/* The token that caused an event; "keyhole" for Keyhole itself. */
const struct kh_eventline_name *kh_eventline_by(struct kh_eventline *line, int64_t token);

/* The public id of a chain's task; "system" for the system's. */
struct kh_view kh_eventline_task(struct kh_eventline *line, int64_t chain);

/*
 * Adds one line, with its newline: {"event":{...},"hash":...,"name":...,"principal":...,"task":...}.  The event is in
 * it byte for byte.  The next call frees what this one allocated.
 */
void kh_eventline_json(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

/*
 * The same with `because` and `follows`, for whoever looks at this one event: why asks ended as they did, as
 * [[ROW OF EFFECTS, TEXT], ...] (text of a Reader's side: untrusted), and the event before it in its chain, or null.
 */
void kh_eventline_whole(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

/*
 * Why the ask of row EFFECT ended as it did, for a human who looks for a Reader's fault.  The text is sealed, and
 * RECORDED is its hash in the event.  Empty if retention removed it, or it differs from what was recorded.
 */
struct kh_view kh_eventline_reasons(struct kh_eventline *line, int64_t effect, struct kh_view recorded);

#endif
