/*
 * YAML read as a tree that remembers its lines (SPEC I8).
 *
 * The subset that a configuration needs: one document of maps, lists and scalars.  Anchors, aliases, tags, merge keys,
 * keys that are not plain text, more than one document, and whatever is too large or too deep are errors with their
 * line.  Values are text here: what they must be is for the schema (schema.h), which knows what was expected.
 */
#ifndef KH_CORE_POLICY_OUTLINE_H
#define KH_CORE_POLICY_OUTLINE_H

#include "base/error.h"

#define KH_OUTLINE_SIZE  (256U << 10) /* bytes of one file */
#define KH_OUTLINE_DEPTH 16
#define KH_OUTLINE_NODES 20000

enum kh_outline_kind { KH_OUTLINE_SCALAR, KH_OUTLINE_LIST, KH_OUTLINE_MAP };

struct kh_outline {
	enum kh_outline_kind kind;
	bool plain;          /* a scalar without quotes: only these can be numbers, or nothing at all */
	unsigned line;       /* from 1 */
	size_t offset;       /* byte of the file */
	struct kh_view text; /* of a scalar */
	struct kh_view key;  /* in a map: its name, and where that stands */
	unsigned key_line;
	size_t key_offset;
	struct kh_outline *first, *next; /* children, in the order of the file */
	size_t count;                    /* of children */
};

/* Where messages come from. */
struct kh_outline_source {
	struct kh_arena *arena;
	struct kh_view file; /* may be empty: messages then say "line 12" instead of "keyhole.yaml:12" */
};

/* Reads all of TEXT.  An empty file is a map without members.  The tree lives in the arena. */
enum kh_err kh_outline_read(const struct kh_outline_source *source, struct kh_view text,
			    const struct kh_outline **ret_root, struct kh_error *err) KH_CHECKED;

/* A message with its place: "FILE:LINE: WHAT: expected EXPECTED"; the code is "policy_invalid". */
enum kh_err kh_outline_error(const struct kh_outline_source *source, unsigned line, size_t offset, struct kh_view what,
			     struct kh_view expected, struct kh_error *err);

/* "a map", "a list", "an empty value" or the text in quotes: what stands there, for messages. */
struct kh_view kh_outline_found(struct kh_arena *arena, const struct kh_outline *node);

/* A name for the document's file in messages: at most 64 bytes, nothing in it that could be anything but a name. */
struct kh_view kh_outline_place(const struct kh_outline_source *source, unsigned line);

#endif
