/* Pins what was seen of an upstream server: a human has agreed to it (U4). */
#ifndef KH_ENGINE_UPSTREAM_PIN_H
#define KH_ENGINE_UPSTREAM_PIN_H

#include "engine/state/op.h"

/* BY: the token of who agreed.  The caller's next event records it. */
void kh_pin_server(const struct kh_op *op, int64_t by, struct kh_upstream_row *row);

/* TOOL as it was seen; one that is gone is let go. */
void kh_pin_tool(const struct kh_op *op, int64_t by, struct kh_tool_row *tool);

#endif
