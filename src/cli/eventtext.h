/*
 * Audit events for people and for other systems: a line of text, a line of CEF, or all of one (L4).  JSON is
 * eventline.h's.
 *
 * Events hold words of Controllers and reviewers, escaped as JSON; whoever writes a line to a terminal does it through
 * terminal.c.  In CEF nothing of an event can begin another field or line.
 */
#ifndef KH_CLI_EVENTTEXT_H
#define KH_CLI_EVENTTEXT_H

#include "engine/audit/eventline.h"

/* Each adds one line, with its end.  What is allocated is gone with the next. */
void kh_eventtext_text(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);
void kh_eventtext_cef(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

/* The whole event, over several lines. */
void kh_eventtext_whole(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

#endif
