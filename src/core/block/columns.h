/*
 * Lists in one call (K7): a list of short texts, or of objects that each have a short text under the same name, can
 * spell content one letter an item, with a counter or a constant beside it: h0, a1, r2.  The items are put together in
 * the ways of pieces.h, as if each were a call.
 */
#ifndef KH_CORE_BLOCK_COLUMNS_H
#define KH_CORE_BLOCK_COLUMNS_H

#include "base/json.h"
#include "core/block/pieces.h"

/* The texts of one list; PATH is where it stands, ".fields". */
struct kh_column_texts {
	struct kh_view path;
	struct kh_view *at;
	size_t n;
};

struct kh_columns {
	struct kh_column_texts *at;
	size_t n, cap;
};

/* Finds the lists of ARGUMENTS with four short texts or more. */
enum kh_err kh_columns_find(struct kh_arena *arena, yyjson_val *arguments, struct kh_columns *ret_columns) KH_CHECKED;

/* Puts COLUMN together; OF: the text of the comparison that it belongs to.  *WINDOWS: how often that is still done. */
enum kh_err kh_columns_join(struct kh_arena *arena, const struct kh_column_texts *column, size_t of, size_t *windows,
			    struct kh_pieces *pieces) KH_CHECKED;
#define KH_COLUMNS_WINDOWS 256 /* of a call: 16 KiB of short texts; what comes after these is compared as it stands */

#endif
