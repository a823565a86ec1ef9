/*
 * Audit events for people and for other systems: a line of text, a line of JSON, a line of CEF (L4).
 *
 * Events hold words of Controllers and reviewers, escaped as JSON; whoever writes a line to a terminal does it through
 * terminal.c.  In CEF nothing of an event can begin another field or line.
 */
#ifndef KH_CLI_EVENTLINE_H
#define KH_CLI_EVENTLINE_H

#include "engine/publicid.h"
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
enum kh_err kh_eventline_init(struct kh_eventline *line, struct kh_txn *txn) __attribute__((warn_unused_result));
void kh_eventline_done(struct kh_eventline *line);

/* The token that an event is by; "keyhole" for Keyhole itself. */
const struct kh_eventline_name *kh_eventline_by(struct kh_eventline *line, int64_t token);

/* The public id of a chain's task; "system" for the system's. */
struct kh_view kh_eventline_task(struct kh_eventline *line, int64_t chain);

/* Each adds one line, with its end.  What is allocated is gone with the next. */
void kh_eventline_text(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);
void kh_eventline_json(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);
void kh_eventline_cef(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

/* The whole event, over several lines. */
void kh_eventline_whole(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

#endif
