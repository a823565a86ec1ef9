/*
 * An entry of the REST API's table (rest.h), one call of it, and what its function may use.
 *
 * An entry names the operation of the engine that it is for; its roles are that operation's (operations.c).  Whoever
 * has another role is refused before anything else of the request is looked at, by the engine itself, which records it.
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
	kh_engine_fn *operation; /* whose roles it has; NULL: nobody is asked who he is */
	const char *summary, *about;
	const struct kh_rest_member *query; /* parameters; NULL: none */
	const struct kh_rest_member *body;  /* members of a JSON object; NULL: none */
	const char *body_schema;            /* or: an object that is taken whole, of this schema */
	const char *text_body;              /* or: also text/plain, and what that is */
	size_t limit;                       /* of the body, in bytes; 0: there is none */
	unsigned status;                    /* where it was done, */
	const char *answer;                 /* with this schema; NULL: with no body */
	unsigned later;                     /* another status with the same schema; 0: none */
	const char *other_types[2];         /* other types that the answer can have, or has; NULL: none */
	bool conflicts;                     /* it can be 409 */
	bool waits;                         /* it may wait */
	bool rated;                         /* it can be 429 */
	bool fresh; /* no operation follows that would look at the token again: it is looked at now */
	unsigned
		roles; /* bits; of a route that is served elsewhere, where `run` is NULL: it is in the document alone */
	enum kh_err (*run)(struct kh_rest_call *call);
};

/* What a call remembers over waits. */
struct kh_rest_kept {
	bool begun;
	int64_t until;
	struct kh_asking asking;
	struct kh_operating operating;
};

/* A call under way: one step of it. */
struct kh_rest_call {
	struct kh_http_request *r;
	const struct kh_rest *rest;
	const struct kh_rest_route *route;
	struct kh_gateway *gateway;
	struct kh_arena *arena;
	struct kh_view token;
	struct kh_who who;
	struct kh_rest_kept *kept;
	/* Of the first step alone. */
	struct kh_rest_value query[KH_REST_MEMBERS], body[KH_REST_MEMBERS];
	yyjson_val *whole;   /* where the body is taken whole */
	struct kh_view text; /* where it is text/plain; else p is NULL */
	/* Set by the handler that has not answered: it is called again (work.h). */
	bool waits;
	struct kh_error err;
};

/* What was given for this parameter or member, which is in the entry.  Never NULL. */
const struct kh_rest_value *kh_rest_call_query(const struct kh_rest_call *call, const char *name);
const struct kh_rest_value *kh_rest_call_body(const struct kh_rest_call *call, const char *name);

/* The operation FN with the caller's token. */
enum kh_err kh_rest_call_run(struct kh_rest_call *call, kh_engine_fn *fn, void *of) KH_CHECKED;

/* Answers with the entry's status and this JSON; with an object; with a list and where to go on (p NULL: at its end).
 */
enum kh_err kh_rest_call_reply(struct kh_rest_call *call, struct kh_view json) KH_CHECKED;
enum kh_err kh_rest_call_reply_object(struct kh_rest_call *call, unsigned status, yyjson_mut_val *object) KH_CHECKED;
enum kh_err kh_rest_call_reply_list(struct kh_rest_call *call, struct kh_view items, struct kh_view next) KH_CHECKED;

/* The id of the last of ITEMS, to go on from, where there are MORE; {NULL, 0}: there are none. */
enum kh_err kh_rest_call_last(struct kh_rest_call *call, struct kh_view items, bool more,
			      struct kh_view *ret_next) KH_CHECKED;

#endif
