/*
 * Finding a header in lines of them, as HTTP writes them: `Name: value`, one a line.
 *
 * The lines are what a server sent, or what a request is to send.  Both sides of the boundary need to find one: the
 * worker that speaks HTTP, and the gateway in the headers that this worker passed on.
 */
#ifndef KH_WIRE_HEADER_H
#define KH_WIRE_HEADER_H

#include "base/view.h"

/* The value of LINE if it is a header NAME, without blanks around it. */
bool kh_header_is(struct kh_view line, struct kh_view name, struct kh_view *ret_value);

/* The value of the first header NAME of LINES. */
bool kh_header_find(struct kh_view lines, struct kh_view name, struct kh_view *ret_value);

#endif
