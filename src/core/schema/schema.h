/*
 * JSON Schema, interpreted (SPEC U5, U7): what a call to an upstream's tool carries is checked against the schema that
 * was pinned, and members of what it returns are typed by it.
 *
 * Both come from outside: a schema from a server, a value from an agent or a server.  So it fails closed: a schema that
 * has anything which this part does not know is no schema, and the tool is held; a value passes only if everything in
 * it was looked at.  Nothing is fetched.  docs/reference/SCHEMAS.md lists the keywords.
 *
 * Drafts 07, 2019-09 and 2020-12 are known.  A schema without $schema may use the keywords of all three; where their
 * meanings differ, 2020-12 counts.  A schema with $schema may use those of its draft alone.
 *
 * Time and memory are bounded by the constants of limits.h, whatever schema and value are: a schema is measured when it is
 * compiled, and a check that takes too many steps fails.  There is no recursion without a bound.  A compiled schema does
 * not change: any number of threads may check values against it at once, each with an arena of its own.
 *
 * Numbers are exact decimals (base/decimal.h).  Patterns are those of ECMA-262 with Unicode, searched for and not
 * anchored, run by a matcher of our own in linear time (regex.h says why).
 */
#ifndef KH_CORE_SCHEMA_SCHEMA_H
#define KH_CORE_SCHEMA_SCHEMA_H

#include "base/canonical.h"
#include "core/schema/limits.h"

struct kh_schema;

/*
 * Compiles TEXT, which is JSON.  KH_EREFUSED if it is not a schema that is known whole: ERRORS has what holds it, up to
 * KH_SCHEMA_ERRORS, each with a JSON pointer into the schema.  So does KH_EINPUT (not JSON) and KH_ELIMIT (too large).
 * NULL as ALLOC: malloc.  TEXT is copied.
 */
enum kh_err kh_schema_new(const struct kh_alloc *alloc, struct kh_view text, struct kh_schema **ret_schema,
			  struct kh_reasons *errors) KH_CHECKED;
void kh_schema_free(struct kh_schema *schema);

/*
 * KH_OK if VALUE fits the schema, and only then.  KH_EREFUSED if it does not: ERRORS has why, up to KH_SCHEMA_ERRORS,
 * each with a JSON pointer into the value, what was expected and what was there.  KH_ELIMIT if finding out would take
 * too many steps; ERRORS has one of code `too_costly` then.  ERRORS is over ARENA, which has the scratch memory too.
 */
enum kh_err kh_schema_check(const struct kh_schema *schema, struct kh_arena *arena, yyjson_val *value,
			    struct kh_reasons *errors) KH_CHECKED;

/*
 * The canonical text of the schema (RFC 8785), for its digest.  KH_EREFUSED with `number_inexact` if it has an integer
 * past 2^53 that is no double.
 */
enum kh_err kh_schema_canonical(const struct kh_schema *schema, struct kh_arena *arena, struct kh_view *ret_text,
				struct kh_error *err) KH_CHECKED;

/*
 * Things that a reviewer should know and that do not hold the tool: formats that are not checked, each with its place.
 * They live as long as the schema.
 */
const struct kh_reasons *kh_schema_notes(const struct kh_schema *schema);

/* What a schema says for certain of a member of every value that fits it. */
enum kh_schema_kind {
	KH_SCHEMA_BOOLEAN,
	KH_SCHEMA_ENUM,    /* one of VALUES, each [A-Za-z0-9_.-]{1,64} */
	KH_SCHEMA_INTEGER, /* MIN to MAX */
	KH_SCHEMA_FORMAT,  /* a string of FORMAT, which has finitely many: date, time, date-time, uuid, ipv4, ipv6 */
	KH_SCHEMA_ARRAY,   /* MIN to MAX items */
};

struct kh_schema_member {
	enum kh_schema_kind kind;
	int64_t min, max;
	const struct kh_view *values; /* sorted, each once */
	size_t n_values;
	const char *format;
};

/* A typed member that is in a value. */
struct kh_schema_found {
	struct kh_schema_member type; /* never an array */
	yyjson_val *value; /* of this type; NULL: the length of an array, or a count of its items, which is: */
	int64_t number;
};

/*
 * Finds the member NAME of VALUE, and checks that it is of the type that the schema gives it (U7).  NAME is names of
 * members and indices of items, with dots between them: `state`, `items.3.state`.  `items.length` is how many items there
 * are, and `items.count.state.open` how many of them have this value there, a boolean or a value of an enum; of both the
 * range is 0 to MAX of the array.  If a part of NAME can mean more than one member, because names of members have dots too,
 * it means none.  An array that NAME goes through must have a last bound, by `maxItems` or as a closed tuple.  Nothing else
 * of VALUE is looked at.
 *
 * False if anything does not fit, whatever it is.  Out of memory marks the arena.  The result borrows from the schema and
 * from VALUE, and VALUES of its type are in ARENA.
 */
bool kh_schema_typed(const struct kh_schema *schema, struct kh_arena *arena, struct kh_view name, yyjson_val *value,
		     struct kh_schema_found *ret_found);

/*
 * Names what can be asked for by kh_schema_typed(), with its type, those with fewer parts first; of an array its first item
 * stands for all of them.  FN returns false to hear no more.  Bounded, so a large schema is not named whole.
 */
typedef bool kh_schema_member_fn(void *ctx, struct kh_view name, const struct kh_schema_member *type);
void kh_schema_typed_each(const struct kh_schema *schema, struct kh_arena *arena, kh_schema_member_fn *fn, void *ctx);

#endif
