/*
 * Audit events for people and for other systems: a line of text, a line of CEF, or a whole event (L4).  JSON is in
 * eventline.h.
 *
 * Events contain text of Controllers and reviewers, escaped as JSON; a line that goes to a terminal must be written by
 * terminal.c.  In CEF, no text of an event can begin another field or line.
 */
#ifndef KH_CLI_EVENTTEXT_H
#define KH_CLI_EVENTTEXT_H

#include "engine/audit/eventline.h"

/* Each adds one line, with its end.  What is allocated is freed by the next call. */
void kh_eventtext_text(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);
void kh_eventtext_cef(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

/* Adds the whole event, over several lines. */
void kh_eventtext_whole(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

#endif
