/* A list that an operation of the engine gives page by page, written whole: as {KEY: [...]} or as columns. */
#ifndef KH_CLI_LISTING_H
#define KH_CLI_LISTING_H

#include "cli/frame.h"
#include "cli/table.h"
#include "engine/state/op.h"

/* Calls the operation FN with PAGE, which says where to begin, until there are no more; writes the list with these
 * COLUMNS (table.h), or the line NOTHING if it is empty.  Returns the exit status. */
int kh_listing_write(struct kh_frame *f, kh_engine_fn *fn, struct kh_page *page, const char *key, const char *columns,
		     const char *nothing);

#endif
