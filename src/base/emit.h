/*
 * Canonical JSON (RFC 8785) written straight into a buffer, for texts whose shape is known in advance: audit events,
 * grants, checkpoints.  The caller writes the members of an object in ascending order of their names, which are plain
 * ASCII; a member out of order fails the buffer (KH_EREFUSED).  kh_canonical_json() of the result gives the same bytes;
 * a test checks that.
 */
#ifndef KH_BASE_EMIT_H
#define KH_BASE_EMIT_H

#include "base/buf.h"
#include "base/canonical.h"

#define KH_EMIT_DEPTH 8

struct kh_emit {
	struct kh_buf *buf;
	struct kh_buf own; /* of a text that is nothing but this */
	unsigned depth;
	struct {
		const char *last; /* the member written last; NULL: none yet */
		bool is_array, any;
	} level[KH_EMIT_DEPTH];
};

/* Writes into BUF, behind what it has. */
void kh_emit_init(struct kh_emit *emit, struct kh_buf *buf);

/*
 * Writes a text of its own, of at most LIMIT bytes; kh_emit_finish() gives it.  KH_ENOMEM, also if another allocation of
 * the arena has failed; KH_ELIMIT; KH_EREFUSED.
 */
void kh_emit_begin(struct kh_emit *emit, struct kh_arena *arena, size_t limit);
enum kh_err kh_emit_finish(const struct kh_emit *emit, struct kh_view *ret_text) KH_CHECKED;

/* A member's name; its value comes next.  NAME must outlive the object. */
void kh_emit_key(struct kh_emit *emit, const char *name);

void kh_emit_object(struct kh_emit *emit);
void kh_emit_array(struct kh_emit *emit);
void kh_emit_end(struct kh_emit *emit); /* of the innermost object or array */

/* Values.  An integer is within +-2^53. */
void kh_emit_int(struct kh_emit *emit, int64_t value);
void kh_emit_null(struct kh_emit *emit);
void kh_emit_text(struct kh_emit *emit, struct kh_view text);              /* valid UTF-8 */
void kh_emit_digest(struct kh_emit *emit, const struct kh_digest *digest); /* 64 hexadecimal digits */
void kh_emit_raw(struct kh_emit *emit, struct kh_view json);               /* canonical already */

/* Members: a name and its value. */
void kh_emit_add(struct kh_emit *emit, const char *name, struct kh_view text);
void kh_emit_add_word(struct kh_emit *emit, const char *name, const char *word);
void kh_emit_add_int(struct kh_emit *emit, const char *name, int64_t value);
void kh_emit_add_bool(struct kh_emit *emit, const char *name, bool value);
void kh_emit_add_digest(struct kh_emit *emit, const char *name, const struct kh_digest *digest);
void kh_emit_add_raw(struct kh_emit *emit, const char *name, struct kh_view json);

/* A string in quotes, or an integer, as in canonical JSON, on its own and not in an object. */
void kh_emit_string(struct kh_buf *buf, struct kh_view text);
void kh_emit_integer(struct kh_buf *buf, int64_t value);

/*
 * Writes an integer (KH_EMIT_INTEGER bytes at most), or a digest as 2 * KH_DIGEST_SIZE hexadecimal digits, into memory;
 * returns where it ends.
 */
#define KH_EMIT_INTEGER 20
char *kh_emit_put_integer(char *p, int64_t value);
char *kh_emit_put_digest(char *p, const struct kh_digest *digest);

#endif
