/*
 * An entry of the REST API's table (rest.h), one call of it, and the functions that it may use.
 *
 * An entry names the operation of the engine that it is for; its roles are that operation's (operations.c).  A caller
 * of another role is refused before anything else of the request is read, by the engine itself, which records it.
 * Parameters and members of bodies that are not in the entry are errors, as are values of another type.
 */
#ifndef KH_HTTP_REST_CALL_H
#define KH_HTTP_REST_CALL_H

#include "engine/operations.h"
#include "gateway/operating.h"
#include "http/reply.h"
#include "http/rest/read.h"

#define KH_REST_BASE  "/api/v1"
#define KH_REST_SMALL (64U << 10)

struct kh_rest_call;

struct kh_rest_route {
	enum kh_http_method method;
	const char *path;        /* below KH_REST_BASE */
	const char *name;        /* operationId */
	const char *group;       /* tag */
	kh_engine_fn *operation; /* whose roles it has; NULL: no token is needed */
	const char *summary, *about;
	const struct kh_rest_member *query; /* parameters; NULL: none */
	const struct kh_rest_member *body;  /* members of a JSON object; NULL: none */
	const char *body_schema;            /* or: an object of this schema, which is taken whole */
	const char *text_body;              /* or: also text/plain; this describes it */
	size_t limit;                       /* of the body, in bytes; 0: no body */
	unsigned status;                    /* of success, */
	const char *answer;                 /* with this schema; NULL: no body */
	unsigned later;                     /* another status with the same schema; 0: none */
	const char *other_types[2];         /* other types that the answer can have, or has; NULL: none */
	bool conflicts;                     /* it can be 409 */
	bool waits;                         /* it may wait */
	bool rated;                         /* it can be 429 */
	bool fresh;                         /* check the token now, because no operation follows that would check it */
	unsigned roles; /* bits; for a route that is served elsewhere (`run` is NULL), only for the document */
	enum kh_err (*run)(struct kh_rest_call *call);
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
	const struct kh_rest *rest;
	const struct kh_rest_route *route;
	struct kh_gateway *gateway;
	struct kh_arena *arena;
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

/* Returns the value of this parameter or member, which is in the entry.  Never NULL. */
const struct kh_rest_value *kh_rest_call_query(const struct kh_rest_call *call, const char *name);
const struct kh_rest_value *kh_rest_call_body(const struct kh_rest_call *call, const char *name);

/* Runs the operation FN with the caller's token. */
enum kh_err kh_rest_call_run(struct kh_rest_call *call, kh_engine_fn *fn, void *of) KH_CHECKED;

/* Answers with the entry's status and this JSON; with an object; with a list and its next cursor (p NULL: the end). */
enum kh_err kh_rest_call_reply(struct kh_rest_call *call, struct kh_view json) KH_CHECKED;
enum kh_err kh_rest_call_reply_object(struct kh_rest_call *call, unsigned status, yyjson_mut_val *object) KH_CHECKED;
enum kh_err kh_rest_call_reply_list(struct kh_rest_call *call, struct kh_view items, struct kh_view next) KH_CHECKED;

/* Returns the id of the last of ITEMS, the next cursor, if there are MORE; else {NULL, 0}. */
enum kh_err kh_rest_call_last(struct kh_rest_call *call, struct kh_view items, bool more,
			      struct kh_view *ret_next) KH_CHECKED;

#endif
