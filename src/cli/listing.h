/* A list that an operation of the engine gives page by page, written whole: as {KEY: [...]} or as columns. */
#ifndef KH_CLI_LISTING_H
#define KH_CLI_LISTING_H

#include "cli/frame.h"
#include "cli/table.h"

/* A call of the operation FN. */
struct kh_listing {
	kh_engine_fn *fn;
	void *call; /* those below are members of it */
	const struct kh_view *json;
	struct kh_view *after;
	const struct kh_view *next; /* the AFTER of the next page; empty: there is none */
};
#define KH_LISTING(fn, call) (&(struct kh_listing){(fn), &(call), &(call).json, &(call).after, &(call).next})

/* Writes the list with these COLUMNS (table.h), or the line NOTHING if it is empty.  Returns the exit status. */
int kh_listing_write(struct kh_frame *f, const struct kh_listing *listing, const char *key, const char *columns,
		     const char *nothing);

#endif
