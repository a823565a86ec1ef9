/*
 * Blocks as XML (K2), in the form of requirements/blocks.md:
 *
 *     <block id="b003" trust="untrusted" type="data" source="tool:read" tainted-by="b1,b2">content</block>
 *
 * one after another, separated by a newline.  `source` and `tainted-by` are there where the block has them; `taint`
 * where it differs from what the trust starts with; `created-at` (RFC 3339, UTC) where it is known.  The
 * content's hash does not travel: whoever reads the content computes it.
 *
 * Content cannot break out: it holds no `<`, `>` or `&`; attribute values and untrusted content hold no quotes either,
 * so that not even a reader who takes no care finds an attribute in them.  Control characters but tab
 * and newline, and U+FFFE and U+FFFF, are numeric references; in attributes tab and newline are too.  So the round trip
 * is exact.
 */
#ifndef KH_CORE_BLOCK_XML_H
#define KH_CORE_BLOCK_XML_H

#include "core/block/blocks.h"

/* All blocks of the set. */
enum kh_err kh_xml_write(struct kh_arena *arena, const struct kh_blocks *set, struct kh_view *ret_text) KH_CHECKED;

/*
 * Adds the blocks of TEXT to the set.  The blocks borrow from TEXT.  Taken: blocks, white space and comments between
 * them, nothing else.  References: the five of XML and numeric ones, to any scalar value, U+0000 too.  As XML says, a
 * raw CR or CR LF in content is read as LF, and raw white space in an attribute as a space.  `mutable` and `agent`,
 * which the running system writes, are read and dropped.  A `taint` below what the trust starts with is read as that:
 * text can raise taint, never lower it.
 *
 * Errors have the byte offset.  KH_EINPUT: `xml_syntax`, `xml_entity`, `xml_nesting`, `xml_attribute` (unknown),
 * `xml_duplicate`, `xml_missing`, `bad_value`, `bad_utf8`; and whatever kh_blocks_add() refuses, at the block's start.
 * After an error the set holds the blocks before it.
 */
enum kh_err kh_xml_read(struct kh_blocks *set, struct kh_view text, struct kh_error *err) KH_CHECKED;

#endif
