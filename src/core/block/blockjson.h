/*
 * Blocks as JSON (K1, C3).
 *
 * Read: `id`, `trust`, `type` and `content` are required; `source`, `tainted_by` (an array of ids), `taint`,
 * `created_at` (RFC 3339, UTC) and `content_hash` are optional.  A `content_hash` must be the hexadecimal BLAKE2b-256
 * of the content, or, as the running system writes it, its SHA-256.  `mutable`, `agent_context` and `created_at_seq`,
 * which that system writes, are read and dropped.  Any other member is an error.  A `taint` below the initial taint of
 * the trust is read as that initial taint: text can raise taint, never lower it.
 *
 * Written: `id`, `trust`, `type`, `content`, `tainted_by`, `taint` and `content_hash` always; `source` and `created_at`
 * if the block has one.
 */
#ifndef KH_CORE_BLOCK_BLOCKJSON_H
#define KH_CORE_BLOCK_BLOCKJSON_H

#include "core/block/blocks.h"

/*
 * Adds the block that OBJ describes to the set; it borrows OBJ's strings.  KH_EINPUT: `wrong_type`, `missing`,
 * `unknown_member`, `bad_value`; KH_ECHANGED: `hash_mismatch`; and everything that kh_blocks_add() refuses.
 */
enum kh_err kh_blockjson_read(struct kh_blocks *set, yyjson_val *obj, struct kh_error *err) KH_CHECKED;

/* Adds every block of the array ARR.  The error's member is "blocks[3]" and so on, with PATH for "blocks". */
enum kh_err kh_blockjson_read_all(struct kh_blocks *set, yyjson_val *arr, const char *path,
				  struct kh_error *err) KH_CHECKED;

/* All blocks of the set, as an array of objects that borrow their texts.  Out of memory marks ARENA, which is the
 * document's. */
yyjson_mut_val *kh_blockjson_write_all(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_blocks *set);

#endif
