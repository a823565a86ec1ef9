/*
 * Finding a header among lines as HTTP writes them: `Name: value`, one a line.
 *
 * The lines were sent by a server, or a request is about to send them.  Both sides of the boundary need this: the
 * worker that speaks HTTP, and the gateway, which reads the headers that the worker passed on.
 */
#ifndef KH_WIRE_HEADER_H
#define KH_WIRE_HEADER_H

#include "base/view.h"

/* The value of LINE, without blanks around it, if LINE is a header NAME. */
bool kh_header_is(struct kh_view line, struct kh_view name, struct kh_view *ret_value);

/* The value of the first header NAME of LINES. */
bool kh_header_find(struct kh_view lines, struct kh_view name, struct kh_view *ret_value);

#endif
