/*
 * Blocks as XML (K2), in the form of requirements/blocks.md:
 *
 *     <block id="b003" trust="untrusted" type="data" source="tool:read" tainted-by="b1,b2">content</block>
 *
 * one after another, separated by a newline.  `source` and `tainted-by` are written if the block has them; `taint` if
 * it differs from the initial taint of the trust; `created-at` (RFC 3339, UTC) if it is known.  The content's hash is
 * not written, because the reader computes it.
 *
 * Content cannot break out of its block: it has no `<`, `>` or `&`.  Attribute values and untrusted content have no
 * quotes either, so that even a careless parser finds no attribute in them.  Control characters except tab and newline,
 * and U+FFFE and U+FFFF, are numeric references; in attributes tab and newline are too.  Therefore the round trip is
 * exact.
 */
#ifndef KH_CORE_BLOCK_XML_H
#define KH_CORE_BLOCK_XML_H

#include "core/block/blocks.h"

/* All blocks of the set. */
enum kh_err kh_xml_write(struct kh_arena *arena, const struct kh_blocks *set, struct kh_view *ret_text) KH_CHECKED;

/*
 * Adds the blocks of TEXT to the set.  The blocks borrow from TEXT.  Accepts blocks, with white space and comments
 * between them, and nothing else.  References: the five of XML and numeric ones, to any scalar value, U+0000 too.  As
 * XML says, a raw CR or CR LF in content is read as LF, and raw white space in an attribute as a space.  `mutable` and
 * `agent`, which the running system writes, are read and dropped.  A `taint` below the initial taint of the trust is
 * read as that initial taint: text can raise taint, never lower it.
 *
 * Errors have the byte offset.  KH_EINPUT: `xml_syntax`, `xml_entity`, `xml_nesting`, `xml_attribute` (unknown),
 * `xml_duplicate`, `xml_missing`, `bad_value`, `bad_utf8`; and everything that kh_blocks_add() refuses, at the block's
 * start.  After an error the set holds the blocks before it.
 */
enum kh_err kh_xml_read(struct kh_blocks *set, struct kh_view text, struct kh_error *err) KH_CHECKED;

#endif
