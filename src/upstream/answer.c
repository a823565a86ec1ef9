/* Answers of upstream servers, made readable.  The text is the server's: it is copied, cut and quoted, and never looked into. */
#include "upstream/answer.h"

#include "base/buf.h"
#include "base/emit.h"
#include "base/utf8.h"
#include "rpc/rpc.h"

#define MOST  (16U << 20) /* bytes of a response, as of a page that is fetched */
#define NAMED (2U << 10)  /* bytes of an address, a type or a name on a line of its own */
#define SAID  (4U << 10)  /* bytes of an error in the details */

/* What is read so far.  Links stand apart, because no rule makes them vetted. */
struct reading {
	struct kh_arena *arena;
	bool is_resource;
	struct kh_buf text, links;
};

static enum kh_err fail(struct kh_errand_result *result, enum kh_errand_end end, const char *why)
{
	result->end = end;
	result->why = kh_view_str(why);
	return KH_OK;
}

/* VAL as JSON.  Two readers could differ on a number that has no canonical form, but this text is only kept. */
static enum kh_err write_json(struct kh_arena *arena, yyjson_val *val, struct kh_view *ret_text)
{
	struct kh_error err;
	enum kh_err e = kh_canonical_json(arena, val, ret_text, &err);

	if (e == KH_ENOMEM || e == KH_OK)
		return e;
	return kh_json_write(arena, yyjson_val_mut_copy(kh_json_new(arena), val), ret_text);
}

/* --- items of the content ----------------------------------------------------------------------------------------- */

/* A blank line between items. */
static void separate(struct kh_buf *out)
{
	if (out->n > 0)
		kh_buf_lit(out, "\n\n");
}

/* `, NAME "text"` if OBJ has that member as a text. */
static void add_named(struct reading *r, struct kh_buf *out, yyjson_val *obj, const char *name)
{
	struct kh_view text = kh_json_str(kh_json_get(obj, name));

	if (text.p != NULL)
		kh_buf_printf(out, ", %s %.*s", name, KH_FMT(kh_arena_quote_most(r->arena, text, NAMED)));
}

/* The bytes that DATA stands for, which is base64. */
static size_t count_bytes(struct kh_view data)
{
	while (data.n > 0 && data.p[data.n - 1] == '=')
		data.n--;
	return data.n / 4 * 3 + data.n % 4 * 3 / 4;
}

static void add_bytes(struct reading *r, const char *what, yyjson_val *obj, const char *member)
{
	kh_buf_printf(&r->text, "[%s", what);
	add_named(r, &r->text, obj, "uri");
	add_named(r, &r->text, obj, "mimeType");
	kh_buf_printf(&r->text, ", %zu bytes]", count_bytes(kh_json_str(kh_json_get(obj, member))));
}

static void add_resource(struct reading *r, yyjson_val *resource)
{
	struct kh_view text = kh_json_str(kh_json_get(resource, "text"));

	if (text.p == NULL) {
		add_bytes(r, "resource", resource, "blob");
		return;
	}
	kh_buf_lit(&r->text, "[resource");
	add_named(r, &r->text, resource, "uri");
	add_named(r, &r->text, resource, "mimeType");
	kh_buf_lit(&r->text, "]\n");
	kh_buf_add(&r->text, text);
}

/* A part of what a resource has. */
static void add_part(struct reading *r, yyjson_val *part)
{
	separate(&r->text);
	add_resource(r, part);
}

static void add_link(struct reading *r, yyjson_val *item)
{
	static const char *const members[] = {"uri", "name", "title", "mimeType", "description"};

	separate(&r->links);
	kh_buf_lit(&r->links, "[link");
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		add_named(r, &r->links, item, members[i]);
	kh_buf_byte(&r->links, ']');
}

static void add_item(struct reading *r, yyjson_val *item)
{
	struct kh_view type = kh_json_str(kh_json_get(item, "type"));

	if (kh_view_eq(type, KH_LIT("resource_link"))) {
		add_link(r, item);
		return;
	}
	separate(&r->text);
	if (kh_view_eq(type, KH_LIT("text")))
		kh_buf_add(&r->text, kh_json_str(kh_json_get(item, "text")));
	else if (kh_view_eq(type, KH_LIT("resource")))
		add_resource(r, kh_json_get(item, "resource"));
	else if (kh_view_eq(type, KH_LIT("image")))
		add_bytes(r, "image", item, "data");
	else if (kh_view_eq(type, KH_LIT("audio")))
		add_bytes(r, "audio", item, "data");
	else
		kh_buf_printf(&r->text, "[something of type %.*s, which is not shown]",
			      KH_FMT(kh_arena_quote(r->arena, type)));
}

/* Whether an item has text that can be read, and not only a name for something else. */
static bool has_text(yyjson_val *content)
{
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach (content, i, max, item) {
		struct kh_view type = kh_json_str(kh_json_get(item, "type"));
		if (kh_view_eq(type, KH_LIT("text")) || kh_json_get(kh_json_get(item, "resource"), "text") != NULL)
			return true;
	}
	return false;
}

/* --- the parts of a result ---------------------------------------------------------------------------------------- */

static enum kh_err add_json(struct reading *r, yyjson_val *val)
{
	struct kh_view text;
	enum kh_err e = write_json(r->arena, val, &text);

	if (e != KH_OK)
		return e;
	separate(&r->text);
	kh_buf_add(&r->text, text);
	return KH_OK;
}

static yyjson_val *content_of(const struct reading *r, yyjson_val *root)
{
	return kh_json_get(root, r->is_resource ? "contents" : "content");
}

static enum kh_err add_result(struct reading *r, yyjson_val *root)
{
	yyjson_val *content = content_of(r, root), *data = kh_json_get(root, "structuredContent"), *item;
	size_t i, max;

	yyjson_arr_foreach (content, i, max, item) {
		if (r->is_resource)
			add_part(r, item);
		else
			add_item(r, item);
	}
	return !r->is_resource && data != NULL && !has_text(content) ? add_json(r, data) : KH_OK;
}

/* "MESSAGE", and what else the error has, as JSON. */
static enum kh_err add_error(struct reading *r, yyjson_val *error)
{
	yyjson_val *data = kh_json_get(error, "data");

	kh_buf_add(&r->text, kh_json_str(kh_json_get(error, "message")));
	return data != NULL ? add_json(r, data) : KH_OK;
}

static enum kh_err write_details(struct kh_arena *arena, yyjson_val *error, struct kh_errand_result *result)
{
	struct kh_view said = kh_utf8_cut(kh_tainted_open(result->content), SAID), text;
	struct kh_emit emit;
	int64_t code;

	kh_emit_begin(&emit, arena, KH_ERRAND_DETAILS);
	kh_emit_object(&emit);
	if (kh_json_int(kh_json_get(error, "code"), &code) && code >= INT32_MIN && code <= INT32_MAX)
		kh_emit_add_int(&emit, "code", code);
	kh_emit_add(&emit, "error", said);
	kh_emit_end(&emit);
	enum kh_err e = kh_emit_finish(&emit, &text);
	if (e == KH_OK)
		result->details = kh_tainted_wrap(text);
	return e;
}

/* Puts the links behind the text.  It is a failure if both are too much. */
static enum kh_err finish(struct reading *r, struct kh_errand_result *result)
{
	struct kh_view links, text;
	size_t own = r->text.n;
	enum kh_err e = kh_buf_end(&r->links, &links);

	if (e == KH_OK && links.n > 0) {
		separate(&r->text);
		kh_buf_add(&r->text, links);
	}
	if (e == KH_OK)
		e = kh_buf_end(&r->text, &text);
	if (e == KH_ELIMIT)
		return fail(result, KH_ERRAND_FAILED, "too_large: what came back has more than 16 MiB of text");
	if (e == KH_OK) {
		result->content = kh_tainted_wrap(text);
		result->vettable = own;
	}
	return e;
}

/* --- the response ------------------------------------------------------------------------------------------------- */

static enum kh_err read_error(struct reading *r, yyjson_val *error, struct kh_errand_result *result)
{
	(void)fail(result, KH_ERRAND_FAILED, "the server answered with an error: the details have it");
	enum kh_err e = add_error(r, error);
	if (e == KH_OK)
		e = finish(r, result);
	return e == KH_OK ? write_details(r->arena, error, result) : e;
}

static enum kh_err read_result(struct reading *r, yyjson_val *root, struct kh_errand_result *result)
{
	yyjson_val *content = content_of(r, root);
	struct kh_view kind = kh_json_str(kh_json_get(root, "resultType"));
	bool is_error = !r->is_resource && yyjson_is_true(kh_json_get(root, "isError"));

	if (kh_view_eq(kind, KH_LIT("input_required")))
		return fail(result, KH_ERRAND_FAILED, "the server asks for input, which nobody gives it");
	if (kind.n > 0 && !kh_view_eq(kind, KH_LIT("complete")))
		return fail(result, KH_ERRAND_UNKNOWN, "the server goes on with it in the background");
	if (!yyjson_is_obj(root) || !(yyjson_is_arr(content) || (content == NULL && !r->is_resource)))
		return fail(result, KH_ERRAND_FAILED,
			    r->is_resource ? "what came back is no content of a resource"
					   : "what came back is no result of a tool");
	result->end = KH_ERRAND_OK;
	if (is_error)
		(void)fail(result, KH_ERRAND_FAILED, "the tool reported an error: the details have it");
	enum kh_err e = add_result(r, root);
	if (e == KH_OK)
		e = finish(r, result);
	return e == KH_OK && is_error ? write_details(r->arena, NULL, result) : e;
}

enum kh_err kh_answer_read(struct kh_arena *arena, struct kh_tainted message, bool is_resource,
			   struct kh_errand_result *result)
{
	struct reading r = {.arena = arena, .is_resource = is_resource};
	struct kh_view original;
	struct kh_error err;
	struct kh_rpc rpc;
	yyjson_val *root;

	if (kh_tainted_size(message) > MOST)
		return fail(result, KH_ERRAND_FAILED, "too_large: what came back has more than 16 MiB");
	enum kh_err e = kh_json_read(arena, kh_tainted_open(message), &root, &err);
	kh_buf_init(&r.text, arena, KH_ERRAND_CONTENT);
	kh_buf_init(&r.links, arena, KH_ERRAND_CONTENT);
	if (e == KH_OK)
		e = kh_rpc_read(root, &rpc, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK || rpc.kind != KH_RPC_RESPONSE)
		return fail(result, KH_ERRAND_FAILED, "what came back is no response of MCP");
	e = write_json(arena, rpc.result != NULL ? rpc.result : rpc.error, &original);
	if (e != KH_OK)
		return e;
	result->original = kh_tainted_wrap(original);
	e = rpc.error != NULL ? read_error(&r, rpc.error, result) : read_result(&r, rpc.result, result);
	return e == KH_OK ? kh_arena_check(arena) : e;
}
