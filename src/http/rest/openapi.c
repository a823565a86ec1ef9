/* The OpenAPI document.  It is written once, at the start; every text in it is a constant of this program. */
#include "http/rest/openapi.h"

#include "schemas.inc"

#define BASE "#/components/"
#define PATH '/' /* in the place of a letter */

struct writing {
	struct kh_arena *arena;
	yyjson_mut_doc *doc;
	yyjson_val *schemas, *responses; /* of the file */
	struct kh_error *err;
	enum kh_err e; /* the first error */
};

static const char *const methods[KH_HTTP_METHODS] = {
	[KH_HTTP_GET] = "get", [KH_HTTP_POST] = "post", [KH_HTTP_PUT] = "put", [KH_HTTP_DELETE] = "delete"};

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static void add_text(struct writing *w, yyjson_mut_val *obj, const char *key, const char *text)
{
	if (text != NULL)
		yyjson_mut_obj_add_str(w->doc, obj, key, text);
}

/* Adds {"$ref":"#/components/PART/NAME"} under KEY. */
static void add_reference(struct writing *w, yyjson_mut_val *obj, const char *key, yyjson_val *part,
			  const char *part_name, const char *name)
{
	yyjson_mut_val *reference = yyjson_mut_obj_add_obj(w->doc, obj, key);

	if (kh_json_get(part, name) == NULL && w->e == KH_OK)
		w->e = kh_error_set(w->err, KH_EINPUT, "unknown", "schemas.json has no %s %s", part_name, name);
	kh_json_add(w->doc, reference, "$ref", kh_arena_printf(w->arena, BASE "%s/%s", part_name, name));
}

static void add_schema(struct writing *w, yyjson_mut_val *obj, const char *key, const char *name)
{
	add_reference(w, obj, key, w->schemas, "schemas", name);
}

/* What can stand for a {name} in a path, or is an id with this letter. */
static const struct {
	const char *name;
	char letter;
	const char *schema;
} ids[] = {
	{"task", 't', "TaskId"},       {"block", 'b', "BlockId"},
	{"query", 'q', "QueryId"},     {"approval", 'a', "ApprovalId"},
	{"context", 'c', "ContextId"}, {"declaration", 'd', "DeclarationId"},
	{"token", 'k', "TokenId"},     {"event", '\0', "EventNumber"},
	{"ask", 'r', "AskId"},         {"upstream", '\1', "UpstreamName"},
};

/* Returns the schema of ids with this letter, or of this name in a path. */
static const char *id_schema(char letter, struct kh_view name)
{
	size_t last = sizeof(ids) / sizeof(ids[0]) - 1, i = 0;

	while (i < last && ids[i].letter != letter && !kh_view_eq(kh_view_str(ids[i].name), name))
		i++;
	return ids[i].schema;
}

static void add_words(struct writing *w, yyjson_mut_val *schema, const struct kh_words *words)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(w->doc, schema, "enum");

	add_text(w, schema, "type", "string");
	for (size_t i = 0; i < words->n; i++)
		yyjson_mut_arr_add_str(w->doc, list, words->at[i]);
}

static void add_answer(struct writing *w, yyjson_mut_val *schema)
{
	yyjson_mut_val *types = yyjson_mut_obj_add_arr(w->doc, schema, "type");

	yyjson_mut_arr_add_str(w->doc, types, "string");
	yyjson_mut_arr_add_str(w->doc, types, "object");
}

/* Adds the schema of a parameter or member under KEY. */
static yyjson_mut_val *add_member(struct writing *w, yyjson_mut_val *obj, const char *key,
				  const struct kh_rest_member *member)
{
	static const char *const types[] = {
		[KH_REST_TEXT] = "string", [KH_REST_NUMBER] = "integer", [KH_REST_FLAG] = "boolean",
		[KH_REST_TIME] = "string", [KH_REST_IDS] = "array",      [KH_REST_OBJECT] = "object"};
	yyjson_mut_val *schema;

	if (member->kind == KH_REST_ID) {
		add_schema(w, obj, key, id_schema(member->letter, KH_LIT("")));
		return yyjson_mut_obj_get(obj, key);
	}
	schema = yyjson_mut_obj_add_obj(w->doc, obj, key);
	if (member->kind == KH_REST_WORD)
		add_words(w, schema, member->words);
	else if (member->kind == KH_REST_ANSWER)
		add_answer(w, schema);
	else
		add_text(w, schema, "type", types[member->kind]);
	if (member->kind == KH_REST_NUMBER) {
		yyjson_mut_obj_add_sint(w->doc, schema, "minimum", member->min);
		yyjson_mut_obj_add_sint(w->doc, schema, "maximum", member->max);
	}
	if (member->kind == KH_REST_TIME)
		add_text(w, schema, "format", "date-time");
	if (member->kind == KH_REST_IDS)
		add_schema(w, schema, "items", id_schema(member->letter, KH_LIT("")));
	return schema;
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

static yyjson_mut_val *begin_parameter(struct writing *w, yyjson_mut_val *list, struct kh_view name, const char *in,
				       bool required)
{
	yyjson_mut_val *parameter = yyjson_mut_arr_add_obj(w->doc, list);

	kh_json_add(w->doc, parameter, "name", name);
	add_text(w, parameter, "in", in);
	yyjson_mut_obj_add_bool(w->doc, parameter, "required", required);
	return parameter;
}

/* Adds the {names} of a path. */
static void add_segments(struct writing *w, yyjson_mut_val *list, const char *path)
{
	struct kh_view rest = kh_view_str(path), piece;

	while (kh_view_split(&rest, '/', &piece)) {
		if (piece.n < 3 || piece.p[0] != '{')
			continue;
		struct kh_view name = kh_view_sub(piece, 1, piece.n - 1);
		yyjson_mut_val *parameter = begin_parameter(w, list, name, "path", true);
		add_schema(w, parameter, "schema", id_schema(PATH, name));
	}
}

static void add_parameters(struct writing *w, yyjson_mut_val *operation, const struct kh_rest_route *route)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(w->doc, operation, "parameters");
	const struct kh_rest_member *query = route->query;

	add_segments(w, list, route->path);
	for (size_t i = 0; query[i].name != NULL; i++) {
		yyjson_mut_val *parameter = begin_parameter(w, list, kh_view_str(query[i].name), "query",
							    query[i].required);
		add_text(w, parameter, "description", query[i].about);
		add_member(w, parameter, "schema", &query[i]);
	}
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static void add_members(struct writing *w, yyjson_mut_val *content, const struct kh_rest_member *members)
{
	yyjson_mut_val *schema = yyjson_mut_obj_add_obj(w->doc, content, "schema");
	yyjson_mut_val *properties, *required;

	add_text(w, schema, "type", "object");
	yyjson_mut_obj_add_bool(w->doc, schema, "additionalProperties", false);
	required = yyjson_mut_obj_add_arr(w->doc, schema, "required");
	properties = yyjson_mut_obj_add_obj(w->doc, schema, "properties");
	for (size_t i = 0; members[i].name != NULL; i++) {
		yyjson_mut_val *property = add_member(w, properties, members[i].name, &members[i]);
		add_text(w, property, "description", members[i].about);
		if (members[i].required)
			yyjson_mut_arr_add_str(w->doc, required, members[i].name);
	}
}

static void add_body(struct writing *w, yyjson_mut_val *operation, const struct kh_rest_route *route)
{
	if (kh_rest_call_limit(route) == 0)
		return;
	yyjson_mut_val *body = yyjson_mut_obj_add_obj(w->doc, operation, "requestBody");
	yyjson_mut_obj_add_bool(w->doc, body, "required", true);
	yyjson_mut_val *content = yyjson_mut_obj_add_obj(w->doc, body, "content");
	yyjson_mut_val *json = yyjson_mut_obj_add_obj(w->doc, content, "application/json");
	if (route->body[0].name != NULL)
		add_members(w, json, route->body);
	else
		add_schema(w, json, "schema", route->body_schema);
	if (route->text_body == NULL)
		return;
	yyjson_mut_val *text = yyjson_mut_obj_add_obj(w->doc, content, "text/plain");
	yyjson_mut_val *schema = yyjson_mut_obj_add_obj(w->doc, text, "schema");
	add_text(w, schema, "type", "string");
	add_text(w, schema, "description", route->text_body);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void add_done(struct writing *w, yyjson_mut_val *responses, const struct kh_rest_route *route, unsigned status)
{
	struct kh_view key = kh_arena_printf(w->arena, "%u", status);

	if (key.p == NULL)
		return;
	yyjson_mut_val *response = yyjson_mut_obj_add_obj(w->doc, responses, key.p);
	add_text(w, response, "description", status == 202 ? "Not yet." : status == 204 ? "Nothing." : "Done.");
	if ((route->answer == NULL && route->other_types[0] == NULL) || status == 204)
		return;
	yyjson_mut_val *content = yyjson_mut_obj_add_obj(w->doc, response, "content");
	if (route->answer != NULL)
		add_schema(w, yyjson_mut_obj_add_obj(w->doc, content, "application/json"), "schema", route->answer);
	for (size_t i = 0; i < 2 && route->other_types[i] != NULL; i++) {
		yyjson_mut_val *other = yyjson_mut_obj_add_obj(w->doc, content, route->other_types[i]);
		add_text(w, yyjson_mut_obj_add_obj(w->doc, other, "schema"), "type", "string");
	}
}

static bool has_ids(const struct kh_rest_route *route)
{
	for (size_t i = 0; route->query[i].name != NULL; i++)
		if (route->query[i].kind == KH_REST_ID)
			return true;
	for (size_t i = 0; route->body[i].name != NULL; i++)
		if (route->body[i].kind == KH_REST_ID)
			return true;
	return strchr(route->path, '{') != NULL;
}

static void add_responses(struct writing *w, yyjson_mut_val *operation, const struct kh_rest_route *route)
{
	const struct {
		const char *status, *name;
		bool there;
	} errors[] = {
		{"400", "BadRequest", true},
		{"401", "Unauthorised", kh_rest_call_roles(route) != 0},
		{"403", "Refused", kh_rest_call_roles(route) != 0},
		{"404", "Unknown", has_ids(route)},
		{"409", "Conflict", (route->flags & KH_REST_CONFLICTS) != 0},
		{"413", "TooLarge", kh_rest_call_limit(route) > 0},
		{"415", "UnsupportedType", kh_rest_call_limit(route) > 0},
		{"429", "TooOften", (route->flags & KH_REST_RATED) != 0},
		{"500", "Fault", true},
		{"503", "Unavailable", true},
	};
	yyjson_mut_val *responses = yyjson_mut_obj_add_obj(w->doc, operation, "responses");

	add_done(w, responses, route, kh_rest_call_status(route));
	if (route->later != 0)
		add_done(w, responses, route, route->later);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].there)
			add_reference(w, responses, errors[i].status, w->responses, "responses", errors[i].name);
}

/* --- operations --------------------------------------------------------------------------------------------------- */

static void add_roles(struct writing *w, yyjson_mut_val *operation, const struct kh_rest_route *route)
{
	yyjson_mut_val *security = yyjson_mut_obj_add_arr(w->doc, operation, "security");
	unsigned roles = kh_rest_call_roles(route);

	if (roles == 0)
		return;
	yyjson_mut_obj_add_arr(w->doc, yyjson_mut_arr_add_obj(w->doc, security), "token");
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(w->doc, operation, "x-roles");
	for (unsigned role = 0; role < kh_policy_role_words.n; role++)
		if ((roles & KH_ROLE_BIT(role)) != 0)
			yyjson_mut_arr_add_str(w->doc, list, kh_words_name(&kh_policy_role_words, role));
	if (route->operation != NULL)
		add_text(w, operation, "x-operation", kh_operations_find(route->operation)->name);
}

static void add_operation(struct writing *w, yyjson_mut_val *paths, const struct kh_rest_route *route)
{
	yyjson_mut_val *path = yyjson_mut_obj_get(paths, route->path);

	if (path == NULL)
		path = yyjson_mut_obj_add_obj(w->doc, paths, route->path);
	yyjson_mut_val *operation = yyjson_mut_obj_add_obj(w->doc, path, methods[route->method]);
	add_text(w, operation, "operationId", route->name);
	yyjson_mut_arr_add_str(w->doc, yyjson_mut_obj_add_arr(w->doc, operation, "tags"), route->group);
	add_text(w, operation, "summary", route->summary);
	add_text(w, operation, "description", route->about);
	add_roles(w, operation, route);
	add_parameters(w, operation, route);
	add_body(w, operation, route);
	add_responses(w, operation, route);
}

static void add_head(struct writing *w, yyjson_mut_val *root)
{
	yyjson_mut_val *info, *server;

	add_text(w, root, "openapi", "3.1.0");
	info = yyjson_mut_obj_add_obj(w->doc, root, "info");
	add_text(w, info, "title", "Keyhole");
	add_text(w, info, "version", KH_VERSION);
	add_text(w, info, "description",
		 "Every call has a token; its role decides what it may do, and `x-roles` lists the roles of each "
		 "operation.  Bodies are JSON; members and parameters that are not listed here are errors.  Ids are a "
		 "letter and 16 hexadecimal digits; an id that is somebody else's is answered like one that nobody "
		 "has.  Lists are pages: `next` goes into `after`.  Times are RFC 3339, in UTC.");
	server = yyjson_mut_arr_add_obj(w->doc, yyjson_mut_obj_add_arr(w->doc, root, "servers"));
	add_text(w, server, "url", KH_REST_BASE);
}

static void add_components(struct writing *w, yyjson_mut_val *root)
{
	yyjson_mut_val *components = yyjson_mut_obj_add_obj(w->doc, root, "components");
	yyjson_mut_val *schemes, *token;

	yyjson_mut_obj_add_val(w->doc, components, "schemas", yyjson_val_mut_copy(w->doc, w->schemas));
	yyjson_mut_obj_add_val(w->doc, components, "responses", yyjson_val_mut_copy(w->doc, w->responses));
	schemes = yyjson_mut_obj_add_obj(w->doc, components, "securitySchemes");
	token = yyjson_mut_obj_add_obj(w->doc, schemes, "token");
	add_text(w, token, "type", "http");
	add_text(w, token, "scheme", "bearer");
}

enum kh_err kh_rest_openapi_write(struct kh_arena *arena, const struct kh_rest_route *routes, size_t count,
				  struct kh_view *ret_json, struct kh_error *err)
{
	struct writing w = {.arena = arena, .doc = kh_json_new(arena), .err = err};
	yyjson_mut_val *root = yyjson_mut_obj(w.doc), *paths;
	yyjson_val *file = NULL;
	enum kh_err e = kh_json_read(arena, kh_view_of(schemas, sizeof(schemas)), &file, err);

	if (e != KH_OK)
		return e;
	w.schemas = kh_json_get(file, "schemas");
	w.responses = kh_json_get(file, "responses");
	add_head(&w, root);
	paths = yyjson_mut_obj_add_obj(w.doc, root, "paths");
	for (size_t i = 0; i < count; i++)
		add_operation(&w, paths, &routes[i]);
	add_components(&w, root);
	e = w.e == KH_OK ? kh_json_write(arena, root, ret_json) : w.e;
	return e == KH_ENOMEM ? kh_error_set(err, e, "out_of_memory", "out of memory") : e;
}

enum kh_err kh_rest_openapi_show(struct kh_rest_call *call)
{
	return kh_rest_call_reply(call, call->document);
}
