/*
 * The REST API: the table, and what is done with every call before its own function runs.
 *
 * Order: who calls, and whether that role may; parameters; the body's type, its JSON, its members; the operation.  So a
 * caller who may not call learns nothing from the later checks.
 */
#include "http/rest/rest.h"

#include "base/alloc.h"
#include "http/rest/approvals.h"
#include "http/rest/audit.h"
#include "http/rest/blocks.h"
#include "http/rest/comm.h"
#include "http/rest/contexts.h"
#include "http/rest/graph.h"
#include "http/rest/openapi.h"
#include "http/rest/queries.h"
#include "http/rest/read.h"
#include "http/rest/tasks.h"
#include "http/rest/tokens.h"

#include <stdio.h>

#define ROUTES   64
#define PATH     96
#define MEMORY   (4U << 20) /* bytes for the table and the document */
#define ANY_CALL 4096       /* bytes that are enough for any operation's struct */

struct kh_rest {
	const struct kh_alloc *alloc;
	struct kh_arena arena;
	size_t count;
	const struct kh_rest_route *entries[ROUTES];
	struct kh_http_route routes[ROUTES];
	char paths[ROUTES][PATH];
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
	enum kh_err e = kh_gateway_who(call->gateway, call->token, route->fresh, &call->who, &call->err);
	if (e != KH_OK)
		return e;
	bool may = (kh_operations_find(route->operation)->roles & KH_ROLE_BIT(call->who.role)) != 0;
	return may ? KH_OK : refuse_role(call);
}

static enum kh_err read_query(struct kh_rest_call *call)
{
	struct kh_view name, value;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && kh_http_request_query_at(call->r, i, &name, &value); i++)
		e = kh_rest_read_parameter(call->arena, call->route->query, name, value, call->query, &call->err);
	return e == KH_OK ? kh_rest_read_parameters_end(call->route->query, call->query, &call->err) : e;
}

static enum kh_err read_json(struct kh_rest_call *call)
{
	const struct kh_rest_route *route = call->route;
	enum kh_err e = kh_json_read(call->arena, kh_http_request_body(call->r), &call->whole, &call->err);

	if (e != KH_OK)
		return e;
	if (route->body != NULL)
		return kh_rest_read_body(call->arena, route->body, call->whole, call->body, &call->err);
	return yyjson_is_obj(call->whole) ? KH_OK
					  : kh_error_set(&call->err, KH_EINPUT, "wrong_type",
							 "expected an object, got %s", kh_json_type(call->whole));
}

static enum kh_err read_body(struct kh_rest_call *call)
{
	const struct kh_rest_route *route = call->route;
	enum kh_rest_read_type type = kh_rest_read_type(kh_http_request_header(call->r, "Content-Type"));

	if (route->limit == 0)
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
	const struct kh_rest *rest = kh_http_request_ctx(r);
	struct kh_rest_call call = {
		.r = r,
		.rest = rest,
		.route = rest->entries[kh_http_request_route(r) - rest->routes],
		.gateway = kh_http_request_gateway(r),
		.arena = kh_http_request_arena(r),
		.token = kh_http_request_token(r),
		.kept = kh_http_request_kept(r, sizeof(struct kh_rest_kept)),
	};
	enum kh_err e = call.kept == NULL ? KH_ENOMEM : KH_OK;

	/* A caller that waited and is gone gets nothing: a Reader would take an ask that nobody answers. */
	if (e == KH_OK && call.kept->begun && kh_http_request_is_gone(r)) {
		kh_http_reply(r, 204, NULL, KH_LIT(""), NULL, 0);
		return KH_WORK_DONE;
	}
	if (e == KH_OK && !call.kept->begun)
		e = begin(&call);
	if (e == KH_OK)
		e = call.route->run(&call);
	if (e == KH_OK && call.waits) {
		call.kept->begun = true;
		kh_http_request_shed(r);
		return KH_WORK_WAIT;
	}
	if (e != KH_OK)
		kh_http_reply_error(r, e, &call.err);
	return KH_WORK_DONE;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static enum kh_err answer_document(struct kh_rest_call *call)
{
	return kh_rest_call_reply(call, call->rest->document);
}

static const struct kh_rest_route document = {
	.method = KH_HTTP_GET,
	.path = "/openapi.json",
	.name = "getDocument",
	.group = "about",
	.summary = "This document",
	.about = "The description of this API, made from the table that its routes are made from.",
	.status = 200,
	.answer = "Document",
	.run = answer_document,
};

static const struct kh_rest_member events_query[] = {
	{"after", KH_REST_NUMBER, .min = 0, .max = INT64_MAX,
	 .about = "Events after this number; those from now on where it is missing.  The header Last-Event-ID goes "
		  "before it."},
	{0},
};

/* Served by events.c. */
static const struct kh_rest_route events = {
	.method = KH_HTTP_GET,
	.path = "/events",
	.name = "watchEvents",
	.group = "audit",
	.roles = KH_ROLE_BIT(KH_ROLE_HOST) | KH_ROLE_BIT(KH_ROLE_REVIEWER) | KH_ROLE_BIT(KH_ROLE_ADMIN),
	.summary = "What happens, as it happens",
	.about = "Server-sent events: the number, kind, time and task of each event of the record, and no content.  A "
		 "host gets those of its own contexts' tasks.  Nobody's agent: the moment at which others act is not "
		 "for a controller to know.",
	.query = events_query,
	.status = 200,
	.other_types = {"text/event-stream"},
};

static enum kh_err add_entry(struct kh_rest *rest, const struct kh_rest_route *entry, struct kh_error *err)
{
	struct kh_http_route *route = &rest->routes[rest->count];
	char *path = rest->paths[rest->count];

	if (rest->count == ROUTES - 1 || strlen(KH_REST_BASE) + strlen(entry->path) >= PATH)
		return kh_error_set(err, KH_ELIMIT, "too_many", "the table of routes is full");
	snprintf(path, PATH, KH_REST_BASE "%s", entry->path);
	*route = (struct kh_http_route){
		.method = entry->method,
		.path = path,
		.access = entry->operation != NULL ? KH_HTTP_TOKEN : KH_HTTP_OPEN,
		.body = entry->limit,
		.waits = entry->waits,
		.run = step,
	};
	rest->entries[rest->count++] = entry;
	return KH_OK;
}

static enum kh_err fill(struct kh_rest *rest, struct kh_error *err)
{
	static const struct kh_rest_route *(*const parts[])(size_t * ret_count) = {
		kh_rest_tasks_routes,  kh_rest_blocks_routes,    kh_rest_queries_routes,
		kh_rest_comm_routes,   kh_rest_approvals_routes, kh_rest_contexts_routes,
		kh_rest_tokens_routes, kh_rest_audit_routes,     kh_rest_graph_routes,
	};
	enum kh_err e = add_entry(rest, &document, err);

	for (size_t i = 0; e == KH_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t count = 0;
		const struct kh_rest_route *part = parts[i](&count);
		for (size_t j = 0; e == KH_OK && j < count; j++)
			e = add_entry(rest, &part[j], err);
	}
	if (e != KH_OK)
		return e;
	rest->entries[rest->count] = &events; /* after the last one that is served here */
	return kh_rest_openapi_write(&rest->arena, rest->entries, rest->count + 1, &rest->document, err);
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

struct kh_view kh_rest_document(const struct kh_rest *rest)
{
	return rest->document;
}

const struct kh_rest_route *const *kh_rest_routes(const struct kh_rest *rest, size_t *ret_count)
{
	*ret_count = rest->count + 1;
	return rest->entries;
}
