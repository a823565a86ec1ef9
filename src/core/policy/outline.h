/*
 * YAML read as a tree with line numbers (SPEC I8).
 *
 * Only the subset that a configuration needs is read: one document of maps, lists and scalars.  Anchors, aliases, tags,
 * merge keys, keys that are not plain text, more than one document, and input that is too large or too deep are errors
 * with their line.  Values are text here; the schema (schema.h) checks them, because it knows what is expected.
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
	bool plain;          /* a scalar without quotes: only these can be numbers, or null */
	unsigned line;       /* from 1 */
	size_t offset;       /* byte of the file */
	struct kh_view text; /* of a scalar */
	struct kh_view key;  /* in a map: its name, and the position of the name */
	unsigned key_line;
	size_t key_offset;
	struct kh_outline *first, *next; /* children, in the order of the file */
	size_t count;                    /* of children */
};

/* The file that messages name, and the arena for them. */
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

/* The kind of NODE for messages: "a map", "a list", "an empty value" or the text in quotes. */
struct kh_view kh_outline_found(struct kh_arena *arena, const struct kh_outline *node);

/* The document's file and LINE for messages; the file's name is escaped and has at most 64 bytes. */
struct kh_view kh_outline_place(const struct kh_outline_source *source, unsigned line);

#endif
