/*
 * Tools of upstream servers that a human approved, ready to be called (U5): what was approved is read, and its schemas
 * compiled, once in a process.  An entry is found by the digest of what was approved, so it can never be for something
 * else.  Entries stay: whoever has found one may use it for as long as the engine lives, on any thread.
 */
#ifndef KH_ENGINE_STATE_TOOLBOX_H
#define KH_ENGINE_STATE_TOOLBOX_H

#include "base/canonical.h"
#include "core/schema/schema.h"

#define KH_TOOLBOX_MOST 4096 /* tools, as they are now and as they were: each of them was approved by a human */

struct kh_toolbox;

struct kh_toolbox_tool {
	struct kh_digest hash;
	struct kh_view name; /* the server's own */
	const struct kh_schema *input;
	const struct kh_schema *output; /* of its results (U7); NULL: there is none, or it is not known whole */
};

/* NULL: no memory. */
struct kh_toolbox *kh_toolbox_new(const struct kh_alloc *alloc);
void kh_toolbox_free(struct kh_toolbox *toolbox); /* NULL is fine */

/* The tool that was approved with this digest; NULL: nobody has needed it yet. */
const struct kh_toolbox_tool *kh_toolbox_find(struct kh_toolbox *toolbox, const struct kh_digest *hash);

/*
 * Reads PINNED, canonical JSON of all that the server says of a tool.  KH_EREFUSED `tool_unusable` if the schema of
 * its arguments is not known whole, with the reason; KH_ELIMIT `too_many_tools`.
 */
enum kh_err kh_toolbox_add(struct kh_toolbox *toolbox, struct kh_arena *arena, struct kh_view pinned,
			   const struct kh_toolbox_tool **ret_tool, struct kh_error *err) KH_CHECKED;

#endif
