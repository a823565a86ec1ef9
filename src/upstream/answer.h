/*
 * What an upstream server answered (U6), a tool of it or as the content of a resource (U3): from one JSON-RPC response to
 * what is sealed.
 *
 * The message is hostile.  Nothing of it is believed, and nothing of it leaves from here but as tainted content: text for
 * Readers, the whole result as JSON for typed answers and for humans, and details for humans.
 */
#ifndef KH_UPSTREAM_ANSWER_H
#define KH_UPSTREAM_ANSWER_H

#include "base/arena.h"
#include "core/comm/errand.h"

/*
 * Reads MESSAGE, a response to tools/call or (IS_RESOURCE) to resources/read as a worker wrote it, into *RESULT: end,
 * content, original, details, vettable and why.  Its source is the caller's.
 *
 * The content has the texts, each after a blank line, or the structuredContent as JSON if there is no text.  An embedded
 * resource is a line with its address and type, and its text.  Bytes (images, sounds, blobs) are a line with their type
 * and size.  Links come last, a line each.  Each part of a resource is as an embedded one.  The original is the result
 * as canonical JSON, or as it came if it has a number that has no canonical form.
 *
 * An error, of the tool or of JSON-RPC, is a failure whose content has what the server says.  A server that asks for
 * input is refused, because nobody answers it; one that goes on in the background has an unknown effect.  More text than
 * KH_ERRAND_CONTENT, or a message of more than 16 MiB, is a failure without content.  Fails only for lack of memory.
 */
enum kh_err kh_answer_read(struct kh_arena *arena, struct kh_tainted message, bool is_resource,
			   struct kh_errand_result *result) KH_CHECKED;

#endif
