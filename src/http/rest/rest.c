/*
 * The REST API: the table, and what is done with every call before its own function runs.
 *
 * Order: who calls, and whether that role may; parameters; the body's type, its JSON, its members; the operation.  So a
 * caller who may not call learns nothing from the later checks.
 */
#include "http/rest/rest.h"

#include "base/alloc.h"
#include "http/rest/openapi.h"
#include "http/rest/routes.h"

#define MEMORY   (4U << 20) /* bytes for the routes and the document */
#define ANY_CALL 4096       /* bytes that are enough for any operation's struct */

struct kh_rest {
	const struct kh_alloc *alloc;
	struct kh_arena arena;
	const struct kh_rest_route *rows;
	struct kh_http_route *routes; /* made of the rows, in their order */
	size_t count;
	struct kh_view document;
};

/* --- a call ------------------------------------------------------------------------------------------------------- */

/* The caller's role may not call the operation.  The engine says so, and records it, before the operation sees its
 * arguments. */
static enum kh_err refuse_role(struct kh_rest_call *call)
{
	void *any = kh_arena_alloc(call->arena, ANY_CALL);
	enum kh_err e = any == NULL ? KH_ENOMEM : kh_rest_call_run(call, call->route->operation, any);

	return e != KH_OK ? e : kh_error_set(&call->err, KH_EREFUSED, "forbidden", "this role may not do that");
}

static enum kh_err check_caller(struct kh_rest_call *call)
{
	const struct kh_rest_route *route = call->route;

	if (route->operation == NULL)
		return KH_OK;
	enum kh_err e = kh_gateway_who(call->gateway, call->token, (route->flags & KH_REST_FRESH) != 0, &call->who,
				       &call->err);
	if (e != KH_OK)
		return e;
	bool may = (kh_rest_call_roles(route) & KH_ROLE_BIT(call->who.role)) != 0;
	return may ? KH_OK : refuse_role(call);
}

static enum kh_err read_query(struct kh_rest_call *call)
{
	const struct kh_http_target *target = &call->r->target;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < target->parameter_count; i++)
		e = kh_rest_read_parameter(call->arena, call->route->query, target->parameters[i].name,
					   target->parameters[i].value, call->query, &call->err);
	return e == KH_OK ? kh_rest_read_parameters_end(call->route->query, call->query, &call->err) : e;
}

static enum kh_err read_json(struct kh_rest_call *call)
{
	const struct kh_rest_route *route = call->route;
	enum kh_err e = kh_json_read(call->arena, kh_http_request_body(call->r), &call->whole, &call->err);

	if (e != KH_OK)
		return e;
	if (route->body[0].name != NULL)
		return kh_rest_read_body(call->arena, route->body, call->whole, call->body, &call->err);
	return yyjson_is_obj(call->whole) ? KH_OK
					  : kh_error_set(&call->err, KH_EINPUT, "wrong_type",
							 "expected an object, got %s", kh_json_type(call->whole));
}

static enum kh_err read_body(struct kh_rest_call *call)
{
	const struct kh_rest_route *route = call->route;
	enum kh_rest_read_type type = kh_rest_read_type(kh_http_request_header(call->r, "Content-Type"));

	if (kh_rest_call_limit(route) == 0)
		return KH_OK;
	if (type == KH_REST_READ_JSON)
		return read_json(call);
	if (type == KH_REST_READ_TEXT && route->text_body != NULL) {
		call->text = kh_http_request_body(call->r);
		if (call->text.p == NULL)
			call->text = KH_LIT("");
		return KH_OK;
	}
	return kh_error_set(&call->err, KH_EINPUT, "unsupported_type", "expected Content-Type: application/json%s",
			    route->text_body != NULL ? " or text/plain" : "");
}

static enum kh_err begin(struct kh_rest_call *call)
{
	enum kh_err e = check_caller(call);

	if (e == KH_OK)
		e = read_query(call);
	return e == KH_OK ? read_body(call) : e;
}

/* Runs one step of a call (server.h). */
static enum kh_work_next step(struct kh_http_request *r)
{
	const struct kh_rest *rest = r->ctx;
	struct kh_rest_call call = {
		.r = r,
		.route = &rest->rows[r->route - rest->routes],
		.document = rest->document,
		.gateway = r->frame->gateway,
		.arena = &r->arena,
		.token = r->token,
		.kept = kh_http_request_kept(r, sizeof(struct kh_rest_kept)),
	};
	enum kh_err e = call.kept == NULL ? KH_ENOMEM : KH_OK;

	call.doc = kh_json_new(call.arena);
	/* A caller that waited and is gone gets nothing: a Reader would take an ask that nobody answers. */
	if (e == KH_OK && call.kept->begun && atomic_load(&r->gone)) {
		kh_http_reply(r, 204, NULL, KH_LIT(""), NULL, 0);
		return KH_WORK_DONE;
	}
	if (e == KH_OK && !call.kept->begun)
		e = begin(&call);
	if (e == KH_OK)
		e = call.route->run(&call);
	if (e == KH_OK && call.waits) {
		call.kept->begun = true;
		r->shed = true;
		return KH_WORK_WAIT;
	}
	if (e != KH_OK)
		kh_http_reply_error(r, e, &call.err);
	return KH_WORK_DONE;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static enum kh_err fill(struct kh_rest *rest, struct kh_error *err)
{
	size_t all;

	rest->rows = kh_rest_routes_all(&all);
	rest->routes = KH_NEW_N(&rest->arena, struct kh_http_route, all);
	for (; rest->routes != NULL && rest->count < all && rest->rows[rest->count].run != NULL; rest->count++) {
		const struct kh_rest_route *row = &rest->rows[rest->count];
		rest->routes[rest->count] = (struct kh_http_route){
			.method = row->method,
			.path = kh_arena_printf(&rest->arena, KH_REST_BASE "%s", row->path).p,
			.access = row->operation != NULL ? KH_HTTP_TOKEN : KH_HTTP_OPEN,
			.body = kh_rest_call_limit(row),
			.waits = (row->flags & KH_REST_WAITS) != 0,
			.run = step,
		};
	}
	return kh_rest_openapi_write(&rest->arena, rest->rows, all, &rest->document, err);
}

enum kh_err kh_rest_new(const struct kh_alloc *alloc, struct kh_rest **ret_rest, struct kh_error *err)
{
	struct kh_rest *rest;

	if (alloc == NULL)
		alloc = &kh_alloc_system;
	rest = kh_alloc_zero(alloc, sizeof(*rest));
	if (rest == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	rest->alloc = alloc;
	kh_arena_init(&rest->arena, alloc, MEMORY);
	enum kh_err e = fill(rest, err);
	if (e != KH_OK) {
		kh_rest_free(rest);
		return e;
	}
	*ret_rest = rest;
	return KH_OK;
}

enum kh_err kh_rest_add(struct kh_rest *rest, struct kh_http *http, struct kh_error *err)
{
	return kh_http_add(http, rest->routes, rest->count, rest, err);
}

void kh_rest_free(struct kh_rest *rest)
{
	if (rest == NULL)
		return;
	kh_arena_done(&rest->arena);
	kh_alloc_free(rest->alloc, rest, sizeof(*rest));
}
