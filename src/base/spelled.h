/*
 * Text in which something may stand in another spelling: as JSON writes it, in ASCII too ("p\u00e4ss", "\/"), or as a
 * URL does ("p%C3%A4ss").
 */
#ifndef KH_BASE_SPELLED_H
#define KH_BASE_SPELLED_H

#include "base/view.h"

/* Overwrites with stars what it finds in the N BYTES; see cover.h. */
typedef void kh_spelled_fn(const void *context, char *bytes, size_t n);

/* Has FN overwrite what it finds in the N BYTES, as they stand and in each spelling.  ROOM is for N bytes; what is in it
 * is wiped. */
void kh_spelled_apply(kh_spelled_fn *fn, const void *context, char *bytes, size_t n, char *room);

#endif
