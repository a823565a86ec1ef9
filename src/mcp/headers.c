/* Compares headers with the body.  Both come from the client and neither is trusted. */
#include "mcp/headers.h"

#include <sodium.h>
#include <stdio.h>

#define BEGINS "=?base64?"
#define ENDS   "?="

/* Returns the value of a header: trimmed, and decoded if it is =?base64?...?=.  False: it claims to be base64 and is
 * not. */
static bool value_of(struct kh_arena *arena, struct kh_view header, struct kh_view *ret_value)
{
	struct kh_view v = kh_view_trim(header), begins = KH_LIT(BEGINS), ends = KH_LIT(ENDS);

	if (!kh_view_starts(v, begins) || !kh_view_ends(v, ends) || v.n < begins.n + ends.n) {
		*ret_value = v;
		return true;
	}
	struct kh_view text = kh_view_sub(v, begins.n, v.n - ends.n);
	size_t most = text.n / 4 * 3 + 3, n = 0;
	unsigned char *bytes = kh_arena_alloc(arena, most);
	if (bytes == NULL ||
	    sodium_base642bin(bytes, most, text.p, text.n, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
		return false;
	*ret_value = kh_view_of((const char *)bytes, n);
	return true;
}

static bool says(struct kh_arena *arena, struct kh_view header, struct kh_view want)
{
	struct kh_view value;

	return header.p != NULL && value_of(arena, header, &value) && kh_view_eq(value, want);
}

/* Returns an argument as a header would have it: strings as they are, the rest as JSON. */
static struct kh_view written(struct kh_arena *arena, yyjson_val *val)
{
	yyjson_mut_doc *doc;
	struct kh_view text = {NULL, 0};

	if (yyjson_is_str(val))
		return kh_json_str(val);
	doc = kh_json_new(arena);
	if (doc == NULL || kh_json_write(arena, yyjson_val_mut_copy(doc, val), &text) != KH_OK)
		return (struct kh_view){NULL, 0};
	return text;
}

static bool param_agrees(struct kh_arena *arena, const struct kh_mcp_headers *headers, struct kh_view suffix,
			 yyjson_val *argument)
{
	char name[96];
	int n = snprintf(name, sizeof(name), "Mcp-Param-%.*s", KH_FMT(suffix));

	if (n < 0 || (size_t)n >= sizeof(name))
		return false;
	struct kh_view header = headers->get != NULL ? headers->get(headers->ctx, name) : (struct kh_view){NULL, 0};
	if (argument == NULL || yyjson_is_null(argument))
		return header.p == NULL;
	return says(arena, header, written(arena, argument));
}

/* Compares parameters whose schema names a header (x-mcp-header).  None of Keyhole's own tools has one. */
static bool params_agree(struct kh_arena *arena, const struct kh_mcp_offer *offer, const struct kh_mcp_headers *headers,
			 yyjson_val *params)
{
	const struct kh_mcp_offered *tool = kh_mcp_offer_find(offer, kh_json_str(kh_json_get(params, "name")));
	yyjson_val *arguments = kh_json_get(params, "arguments"), *key, *schema;
	size_t i, n;

	if (tool == NULL || !tool->has_headers)
		return true;
	yyjson_obj_foreach (kh_json_get(tool->input, "properties"), i, n, key, schema) {
		struct kh_view suffix = kh_json_str(kh_json_get(schema, "x-mcp-header"));
		if (suffix.n > 0 && !param_agrees(arena, headers, suffix,
						  yyjson_obj_getn(arguments, yyjson_get_str(key), yyjson_get_len(key))))
			return false;
	}
	return true;
}

const char *kh_mcp_headers_check(struct kh_arena *arena, const struct kh_mcp_offer *offer,
				 const struct kh_mcp_headers *headers, const struct kh_rpc *rpc,
				 const struct kh_mcp_method *method)
{
	if (!says(arena, headers->method, rpc->method))
		return "the header Mcp-Method is the message's method";
	if (method == NULL || method->named == NULL)
		return NULL;
	yyjson_val *name = kh_json_get(rpc->params, method->named);
	if (name != NULL && !says(arena, headers->name, kh_json_str(name)))
		return "the header Mcp-Name is the message's name or uri";
	if (strcmp(method->named, "name") == 0 && !params_agree(arena, offer, headers, rpc->params))
		return "a header Mcp-Param-* is the argument that it repeats";
	return NULL;
}
