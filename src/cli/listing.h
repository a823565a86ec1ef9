/* A list that an operation of the engine gives page by page, written whole: as {KEY: [...]} or as columns. */
#ifndef KH_CLI_LISTING_H
#define KH_CLI_LISTING_H

#include "cli/frame.h"
#include "cli/table.h"

struct kh_listing {
	const char *key;
	const char *columns; /* table.h */
	const char *nothing; /* what is written if the list is empty */
	kh_engine_fn *fn;
	void *call; /* of FN; those below are members of it */
	const struct kh_view *json;
	struct kh_view *after;
	const struct kh_view *next; /* the AFTER of the next page; empty: there is none */
};

/* Members for the operation FN with CALL. */
#define KH_LISTING(fn_, call_) \
	.fn = (fn_), .call = &(call_), .json = &(call_).json, .after = &(call_).after, .next = &(call_).next

/* Returns the exit status. */
int kh_listing_write(struct kh_frame *f, const struct kh_listing *listing);

#endif
