/*
 * A block: a piece of content with its labels (SPEC K1).
 *
 * Only kh_block_make(), kh_block_output(), kh_block_delivery() and kh_block_own() make blocks; the XML and JSON readers,
 * the sets and the contexts all use them.  None of them makes an untrusted instruction.  The taint of a block is never below the
 * initial taint of its trust, with two exceptions: a delivery, whose taint is one step below its Reader's (B23), and what
 * is or is claimed to be the user's own (K11).  A block is const and never changes.
 *
 * Limits: an id matches [A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}; a source has at most 4,096 bytes, content 16 MiB, and
 * tainted_by 2^20 ids.  Source and content are valid UTF-8; every character is allowed, including U+0000.
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
	struct kh_view source; /* for people; no decision depends on it.  Empty: none */
	struct kh_view content;
	const struct kh_view *tainted_by; /* ids of the blocks that influenced this one, each once */
	size_t tainted_by_count;
	struct kh_digest content_hash; /* BLAKE2b-256 of the content */
	int64_t created_at;            /* microseconds since 1970, UTC; 0: not known */
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint;
};

/* The block to make.  The views are borrowed and must live as long as the block. */
struct kh_block_spec {
	struct kh_view id;
	struct kh_view source;
	struct kh_view content;
	const struct kh_view *tainted_by;
	size_t tainted_by_count;
	int64_t created_at;
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint; /* can only raise taint: ignored if below the trust's initial taint */
	/* The content's digest, if the caller has checked that it is UTF-8 and hashed it; NULL: that is done here. */
	const struct kh_digest *hash;
};

/*
 * Makes a block in the arena.  KH_EREFUSED: `untrusted_instruction`, `self_reference`, `duplicate_reference`.
 * KH_EINPUT: `bad_id`, `bad_utf8`, `bad_value`.  KH_ELIMIT: `too_large`.
 */
enum kh_err kh_block_make(struct kh_arena *arena, const struct kh_block_spec *spec, const struct kh_block **ret_block,
			  struct kh_error *err) KH_CHECKED;

/*
 * Makes a delivery (B23): untrusted data, with the taint one step below READER_TAINT, the highest taint of all that the
 * Reader read.  SPEC's trust, type and taint are ignored.  Refuses what kh_block_make() refuses.
 */
enum kh_err kh_block_delivery(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint reader_taint,
			      const struct kh_block **ret_block, struct kh_error *err) KH_CHECKED;

/*
 * Makes an agent's output (K9): trusted (SPEC's trust is ignored), with the higher of SPEC's taint and GIVEN_TAINT, the
 * highest taint of all that its context was given.  So an agent can only raise the taint of its own output.  Refuses
 * what kh_block_make() refuses.
 */
enum kh_err kh_block_output(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint given_taint,
			    const struct kh_block **ret_block, struct kh_error *err) KH_CHECKED;

/*
 * Makes what a rule calls the user's own, or a message that is claimed to be the user's (K11): untrusted data (SPEC's
 * trust and type are ignored), with the taint of its context, GIVEN_TAINT.  Refuses what kh_block_make() refuses.
 */
enum kh_err kh_block_own(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint given_taint,
			 const struct kh_block **ret_block, struct kh_error *err) KH_CHECKED;

/* True if ID has the form of an id. */
bool kh_block_id_valid(struct kh_view id);

#endif
