/*
 * Rules for the tools of an upstream server, proposed to a human (U5): from the tools' names, and from annotations where
 * those say that a tool does more.  A server's own word never makes a rule looser, and what is not known to read alone is
 * proposed as moderate at the least.
 */
#ifndef KH_CLI_UPSTREAM_RULES_H
#define KH_CLI_UPSTREAM_RULES_H

#include "base/buf.h"
#include "upstream/inventory.h"

/* Appends rules for all tools of INVENTORY, as a part of keyhole.yaml that says that it is a proposal. */
enum kh_err kh_rules_propose(struct kh_arena *arena, struct kh_view server, const struct kh_inventory *inventory,
			     struct kh_buf *buf) KH_CHECKED;

#endif
