/*
 * A block: a piece of content with its labels (SPEC K1).
 *
 * A block comes into being in kh_block_make(), kh_block_output() or kh_block_delivery() and nowhere else: the XML and
 * JSON readers, the sets and the contexts all go through them.  None can give an untrusted instruction, and the taint
 * that they give is never below what the block's trust starts with, but for a delivery, whose taint is one step below
 * its Reader's (B23).  A made block is const and is not changed any more.
 *
 * Limits: an id matches [A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}; a source has at most 4,096 bytes, content 16 MiB, and
 * tainted_by 2^20 ids.  Source and content are valid UTF-8, with every character allowed, U+0000 too.
 */
#ifndef KH_CORE_BLOCK_BLOCK_H
#define KH_CORE_BLOCK_BLOCK_H

#include "base/canonical.h"
#include "core/block/label.h"

#define KH_BLOCK_ID_MAX      64
#define KH_BLOCK_SOURCE_MAX  4096
#define KH_BLOCK_CONTENT_MAX (16U << 20)
#define KH_BLOCK_REFS_MAX    (1U << 20)

struct kh_block {
	struct kh_view id;
	struct kh_view source; /* for people; nothing is ever decided by it.  Empty: none */
	struct kh_view content;
	const struct kh_view *tainted_by; /* ids of the blocks that influenced this one, each once */
	size_t tainted_by_count;
	struct kh_digest content_hash; /* BLAKE2b-256 of the content */
	int64_t created_at;            /* microseconds since 1970, UTC; 0: not known */
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint;
};

/* What is asked for.  The views are borrowed and must live as long as the block. */
struct kh_block_spec {
	struct kh_view id;
	struct kh_view source;
	struct kh_view content;
	const struct kh_view *tainted_by;
	size_t tainted_by_count;
	int64_t created_at;
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint; /* can only raise: below what the trust starts with it means nothing */
};

/*
 * Makes a block in the arena.  KH_EREFUSED: `untrusted_instruction`, `self_reference`, `duplicate_reference`.
 * KH_EINPUT: `bad_id`, `bad_utf8`, `bad_value`.  KH_ELIMIT: `too_large`.
 */
enum kh_err kh_block_make(struct kh_arena *arena, const struct kh_block_spec *spec, const struct kh_block **ret_block,
			  struct kh_error *err) KH_CHECKED;

/*
 * Makes a delivery (B23): untrusted data, whatever SPEC says of trust, type and taint, with the taint one step below
 * READER_TAINT, the highest taint of all that the Reader read.  Refuses what kh_block_make() refuses.
 */
enum kh_err kh_block_delivery(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint reader_taint,
			      const struct kh_block **ret_block, struct kh_error *err) KH_CHECKED;

/*
 * Makes an agent's output (K9): trusted, whatever SPEC says of trust, with the highest of SPEC's taint and of
 * GIVEN_TAINT, the highest taint of all that its context was given: what an agent says of its own words can only raise
 * their taint.  Refuses what kh_block_make() refuses.
 */
enum kh_err kh_block_output(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint given_taint,
			    const struct kh_block **ret_block, struct kh_error *err) KH_CHECKED;

/* True if ID has the form of an id. */
bool kh_block_id_valid(struct kh_view id);

#endif
