/* Parameters and bodies of requests, read by the table of their route (call.h).  Fails closed: a member that is not
 * in the table, is given twice, or is of another type is an error that names it and says what was expected. */
#ifndef KH_HTTP_REST_READ_H
#define KH_HTTP_REST_READ_H

#include "base/member.h"
#include "base/words.h"

#define KH_REST_MEMBERS 10 /* of a body or of a query, including the end of the list */

/* The type of a parameter or a member. */
enum kh_rest_kind {
	KH_REST_TEXT,
	KH_REST_ID,     /* a public id; the operation checks that it is of the right kind */
	KH_REST_NUMBER, /* a plain integer, min to max */
	KH_REST_FLAG,   /* parameters only: true or false */
	KH_REST_TIME,   /* RFC 3339, in UTC */
	KH_REST_WORD,   /* one of `words` */
	KH_REST_IDS,    /* members only: a list of public ids */
	KH_REST_OBJECT, /* members only: an object that is taken as it is */
	KH_REST_ANSWER, /* members only: a text, or an object that is taken as it is */
};

struct kh_rest_member {
	const char *name; /* NULL ends a list */
	enum kh_rest_kind kind;
	const char *about; /* for the document */
	bool required;
	int64_t min, max;
	const struct kh_words *words;
	char letter; /* of ids */
};

/* The value that was given for it. */
struct kh_rest_value {
	bool there;
	struct kh_view text; /* TEXT, ID, WORD; of an ANSWER its JSON, or its text */
	int64_t number;      /* NUMBER, TIME; of a FLAG 0 or 1 */
	unsigned word;
	yyjson_val *object; /* OBJECT; NULL: it was not given */
	const struct kh_view *ids;
	size_t count;
};

/* Reads one parameter of the URL, decoded; KH_EINPUT if MEMBERS has none of this NAME, or it was given
 * before. */
enum kh_err kh_rest_read_parameter(struct kh_arena *arena, const struct kh_rest_member *members, struct kh_view name,
				   struct kh_view value, struct kh_rest_value values[KH_REST_MEMBERS],
				   struct kh_error *err) KH_CHECKED;

/* Call it after the last parameter: KH_EINPUT if a required one is missing. */
enum kh_err kh_rest_read_parameters_end(const struct kh_rest_member *members,
					const struct kh_rest_value values[KH_REST_MEMBERS],
					struct kh_error *err) KH_CHECKED;

/* Reads the members of a body. */
enum kh_err kh_rest_read_body(struct kh_arena *arena, const struct kh_rest_member *members, yyjson_val *body,
			      struct kh_rest_value values[KH_REST_MEMBERS], struct kh_error *err) KH_CHECKED;

/* The type of a Content-Type, without parameters; a charset other than UTF-8 is KH_REST_READ_OTHER. */
enum kh_rest_read_type { KH_REST_READ_NONE, KH_REST_READ_JSON, KH_REST_READ_TEXT, KH_REST_READ_OTHER };
enum kh_rest_read_type kh_rest_read_type(struct kh_view header);

/* Returns the index of NAME in MEMBERS; KH_REST_MEMBERS if it is not there. */
size_t kh_rest_read_find(const struct kh_rest_member *members, struct kh_view name);

#endif
