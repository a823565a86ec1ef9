/*
 * A schema as data (SPEC I8): one table of fields for each struct that a configuration fills.
 *
 * The same table reads YAML into the struct, says what was expected if a value does not fit, and writes the struct as
 * JSON; a test compares docs/use/POLICY.md with it.  A field that is left out keeps its value in the struct, so
 * defaults are set before reading.
 */
#ifndef KH_CORE_POLICY_SCHEMA_H
#define KH_CORE_POLICY_SCHEMA_H

#include "base/json.h"
#include "base/words.h"
#include "core/policy/outline.h"

/* What a field holds, and the C type behind it. */
enum kh_field_kind {
	KH_FIELD_NUMBER, /* uint64_t, min to max */
	KH_FIELD_WHOLE,  /* int64_t: an integer that may be negative, within KH_SCHEMA_WHOLE */
	KH_FIELD_WORD,   /* an enum, one of its words */
	KH_FIELD_WORDS,  /* unsigned, bits of an enum: a list of its words */
	KH_FIELD_TEXT,   /* struct kh_view, min to max bytes */
	KH_FIELD_TEXTS,  /* struct kh_texts, min to max of them */
	KH_FIELD_PAIRS,  /* struct kh_pairs, min to max of them: a map whose keys are the operator's */
	KH_FIELD_RATE,   /* struct kh_rate */
	KH_FIELD_MAP,    /* a struct, in place */
	KH_FIELD_LIST,   /* struct kh_list of structs, min to max of them */
};

struct kh_texts {
	struct kh_view *at;
	size_t n;
};

/* A text with a name that the file gives it, and its line there. */
struct kh_pair {
	struct kh_view name, text;
	unsigned line;
};

struct kh_pairs {
	struct kh_pair *at;
	size_t n;
};

struct kh_list {
	void *at;
	size_t n;
};

#define KH_SCHEMA_WHOLE (INT64_C(1) << 53) /* either way; JSON has no larger integers that all programs read alike */

struct kh_shape;

struct kh_schema_field {
	const char *key;
	enum kh_field_kind kind;
	size_t offset; /* in the struct */
	bool needed;
	uint64_t min, max;
	const struct kh_words *words;       /* of a WORD or WORDS */
	const struct kh_shape *shape;       /* of a MAP or of a LIST's items */
	bool (*check)(struct kh_view);      /* of a TEXT or each of TEXTS or PAIRS; NULL: any text */
	const char *expected;               /* for everything with a check: "a host such as example.com" */
	bool (*check_name)(struct kh_view); /* of each name of PAIRS */
	const char *expected_name;
};

struct kh_shape {
	const struct kh_schema_field *fields;
	size_t count;
	size_t size; /* of the struct */
	size_t line; /* offset of an `unsigned` for the line number, or SIZE_MAX */
	void (*start)(const struct kh_outline *node, void *item); /* sets a LIST item's initial values; NULL: zero */
};

#define KH_NO_LINE SIZE_MAX

/* The first text of A that is in B too, or NULL; if they are one list, the first that stands in it twice. */
const struct kh_view *kh_schema_both(const struct kh_texts *a, const struct kh_texts *b);

/* The bytes of all texts together. */
size_t kh_schema_bytes(const struct kh_texts *texts);

/* Reads NODE, whose path is PATH ("policy"), into the struct at TARGET. */
enum kh_err kh_schema_read(const struct kh_outline_source *source, const struct kh_shape *shape,
			   const struct kh_outline *node, const char *path, void *target,
			   struct kh_error *err) KH_CHECKED;

/* The struct as a JSON object, every field of it.  NULL or an incomplete one marks the document's arena. */
yyjson_mut_val *kh_schema_json(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_shape *shape,
			       const void *from);

#endif
