/*
 * Audit events for people and for other systems: a line of text, a line of CEF, or a whole event (L4).  JSON is in
 * eventline.h.
 *
 * An event comes from the store, or from a line of JSON that a gateway sent.  It contains text of Controllers and
 * reviewers, escaped as JSON; a line that goes to a terminal must be written by terminal.c.  In CEF, no text of an event
 * can begin another field or line.
 */
#ifndef KH_CLI_EVENTTEXT_H
#define KH_CLI_EVENTTEXT_H

#include "base/json.h"
#include "engine/audit/eventline.h"

/* An event, ready to be written.  All texts are borrowed. */
struct kh_eventtext {
	struct kh_arena *arena;
	struct kh_view id, kind;
	struct kh_view task;            /* "system": none */
	struct kh_view name, principal; /* who caused it; PRINCIPAL is empty for Keyhole itself */
	struct kh_view follows;         /* the event before it in its chain; empty: none */
	struct kh_view hash;
	bool is_hashed; /* it is the hash of the body */
	int64_t at, n;
	yyjson_val *body; /* NULL: it cannot be read */
	/* Why the ask of this row of effects ended as it did; RECORDED is the hash in the event.  Empty: not known. */
	struct kh_view (*reasons)(const struct kh_eventtext *e, int64_t effect, struct kh_view recorded);
	struct kh_eventline *line; /* of an event of the store */
	yyjson_val *because;       /* of one that a gateway sent */
};

/* An event of the store.  It is valid until the next one is made from LINE. */
void kh_eventtext_of(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_eventtext *ret_event);

/* An event from LINE, which kh_eventline_json() or kh_eventline_whole() wrote elsewhere.  KH_EINPUT if they did not. */
enum kh_err kh_eventtext_read(struct kh_arena *arena, struct kh_view line, struct kh_eventtext *ret_event) KH_CHECKED;

/* Each adds one line, with its end. */
void kh_eventtext_text(const struct kh_eventtext *e, struct kh_buf *buf);
void kh_eventtext_cef(const struct kh_eventtext *e, struct kh_buf *buf);

/* Adds the whole event, over several lines. */
void kh_eventtext_whole(const struct kh_eventtext *e, struct kh_buf *buf);

#endif
