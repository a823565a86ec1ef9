/*
 * A row of the table of routes (routes.h), one call of it, and what the functions that answer may use.
 *
 * A row names the operation of the engine that it is for; its roles are that operation's (operations.c).  A caller
 * of another role is refused before anything else of the request is read, by the engine itself, which records it.
 * Parameters and members of bodies that are not in the row are errors, as are values of another type.
 */
#ifndef KH_HTTP_REST_CALL_H
#define KH_HTTP_REST_CALL_H

#include "engine/operations.h"
#include "gateway/operating.h"
#include "http/reply.h"
#include "http/rest/read.h"

#define KH_REST_BASE  "/api/v1"
#define KH_REST_SMALL (64U << 10)

#define KH_REST_CONFLICTS (1U << 0) /* it can be 409 */
#define KH_REST_RATED     (1U << 1) /* it can be 429 */
#define KH_REST_WAITS     (1U << 2) /* it may wait */
#define KH_REST_FRESH     (1U << 3) /* check the token now, because no operation follows that would check it */

struct kh_rest_call;
typedef enum kh_err kh_rest_fn(struct kh_rest_call *call);

struct kh_rest_route {
	enum kh_http_method method;
	const char *path;        /* below KH_REST_BASE */
	const char *name;        /* operationId */
	const char *group;       /* tag */
	kh_engine_fn *operation; /* whose roles it has; NULL: no token is needed */
	kh_rest_fn *run;         /* NULL: it is served elsewhere, and is here for the document alone */
	const char *answer;      /* the schema of success; NULL: no body */
	const char *summary, *about;
	struct kh_rest_member query[KH_REST_MEMBERS]; /* parameters */
	struct kh_rest_member body[KH_REST_MEMBERS];  /* members of a JSON object */
	const char *body_schema;                      /* or: an object of this schema, which is taken whole */
	const char *text_body;                        /* or: also text/plain; this describes it */
	size_t limit;                                 /* of the body, in bytes; 0: KH_REST_SMALL if there is a body */
	unsigned status;                              /* of success; 0: 200 */
	unsigned later;                               /* another status with the same schema; 0: none */
	const char *other_types[2];                   /* other types that the answer can have, or has; NULL: none */
	unsigned flags;                               /* KH_REST_CONFLICTS, ... */
	unsigned roles;                               /* bits, if not all of the operation's, or if there is none */
};

/* What a call keeps over waits. */
struct kh_rest_kept {
	bool begun;
	int64_t until;
	struct kh_asking asking;
	struct kh_operating operating;
};

/* A running call: one step of it. */
struct kh_rest_call {
	struct kh_http_request *r;
	const struct kh_rest_route *route;
	struct kh_view document; /* of OpenAPI */
	struct kh_gateway *gateway;
	struct kh_arena *arena;
	yyjson_mut_doc *doc; /* for the answer */
	struct kh_token_claim token;
	struct kh_who who;
	struct kh_rest_kept *kept;
	/* In the first step only. */
	struct kh_rest_value query[KH_REST_MEMBERS], body[KH_REST_MEMBERS];
	yyjson_val *whole;   /* if the body is taken whole */
	struct kh_view text; /* if it is text/plain; else p is NULL */
	/* Set by a handler that has not answered: it is called again (gateway/works.h). */
	bool waits;
	struct kh_error err;
};

/* The roles that may call a route, as bits; 0: no token is needed. */
unsigned kh_rest_call_roles(const struct kh_rest_route *route);

/* The status of success of a route, and the most bytes of body that it accepts; 0: it has none. */
unsigned kh_rest_call_status(const struct kh_rest_route *route);
size_t kh_rest_call_limit(const struct kh_rest_route *route);

/* Returns the value of this parameter or member, which is in the row.  Never NULL. */
const struct kh_rest_value *kh_rest_call_query(const struct kh_rest_call *call, const char *name);
const struct kh_rest_value *kh_rest_call_body(const struct kh_rest_call *call, const char *name);

/* Returns until when a call that came now waits: its parameter `wait`, at most the gateway's bound, which is also the
 * default if BY_DEFAULT, else 0. */
int64_t kh_rest_call_until(const struct kh_rest_call *call, bool by_default);

/* Runs the operation FN with the caller's token. */
enum kh_err kh_rest_call_run(struct kh_rest_call *call, kh_engine_fn *fn, void *of) KH_CHECKED;

/* Runs it, and answers with *JSON, a member of OF. */
enum kh_err kh_rest_call_show(struct kh_rest_call *call, kh_engine_fn *fn, void *of,
			      const struct kh_view *json) KH_CHECKED;

/* The handler of every row whose operation makes a struct kh_page. */
kh_rest_fn kh_rest_call_page;

/* Answers with the row's status: with JSON; with a list and its cursor; with an object; with an object {KEY: ID}. */
enum kh_err kh_rest_call_reply(struct kh_rest_call *call, struct kh_view json) KH_CHECKED;
enum kh_err kh_rest_call_reply_list(struct kh_rest_call *call, struct kh_view items, struct kh_view next) KH_CHECKED;
enum kh_err kh_rest_call_reply_object(struct kh_rest_call *call, yyjson_mut_val *object) KH_CHECKED;
enum kh_err kh_rest_call_reply_id(struct kh_rest_call *call, const char *key, struct kh_view id) KH_CHECKED;

/* Answers with an object and the row's status if ENDED, else with its other one. */
enum kh_err kh_rest_call_tell(struct kh_rest_call *call, bool ended, yyjson_mut_val *object) KH_CHECKED;

/* The same for a call on something that has an ID: besides the name that the engine gives it there is `id`. */
enum kh_err kh_rest_call_reply_of(struct kh_rest_call *call, bool ended, yyjson_mut_val *object,
				  struct kh_view id) KH_CHECKED;

/* Answers 204. */
enum kh_err kh_rest_call_reply_nothing(struct kh_rest_call *call);

#endif
