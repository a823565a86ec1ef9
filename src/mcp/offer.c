/* Joins the tables of all parts.  They are short, so names are searched one after the other. */
#include "mcp/offer.h"

#include "mcp/tool_upstream.h"

#define MEMORY ((size_t)16 << 20)

static bool names_header(yyjson_val *schema)
{
	yyjson_val *key, *value;
	size_t i, n;

	yyjson_obj_foreach (kh_json_get(schema, "properties"), i, n, key, value) {
		if (kh_json_get(value, "x-mcp-header") != NULL)
			return true;
	}
	return false;
}

static enum kh_err add_tools(struct kh_mcp_offer *offer, const struct kh_mcp_part *part, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < part->tool_count; i++) {
		struct kh_mcp_offered *tool = &offer->tools[offer->tool_count++];
		tool->tool = &part->tools[i];
		e = kh_json_read(&offer->arena, kh_view_str(tool->tool->input), &tool->input, err);
		tool->has_headers = e == KH_OK && names_header(tool->input);
	}
	return e;
}

enum kh_err kh_mcp_offer_init(struct kh_mcp_offer *offer, const struct kh_alloc *alloc, const struct kh_mcp_part *parts,
			      size_t count, struct kh_error *err)
{
	enum kh_err e = KH_OK;
	size_t tools = 0;

	*offer = (struct kh_mcp_offer){.part_count = count};
	kh_arena_init(&offer->arena, alloc, MEMORY);
	struct kh_mcp_part *own = KH_NEW_N(&offer->arena, struct kh_mcp_part, count);
	if (own != NULL)
		memcpy(own, parts, count * sizeof(*own));
	offer->parts = own;
	for (size_t i = 0; i < count; i++) {
		tools += parts[i].tool_count;
		offer->changes |= parts[i].changes;
	}
	offer->tools = KH_NEW_N(&offer->arena, struct kh_mcp_offered, tools);
	if (own == NULL || offer->tools == NULL)
		e = kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the tools");
	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = add_tools(offer, &parts[i], err);
	if (e == KH_OK)
		e = kh_json_read(&offer->arena, kh_view_str(kh_mcp_tool_upstream_schema), &offer->keyhole, err);
	return e;
}

void kh_mcp_offer_done(struct kh_mcp_offer *offer)
{
	kh_arena_done(&offer->arena);
}

const struct kh_mcp_method *kh_mcp_offer_method(const struct kh_mcp_offer *offer, struct kh_view name)
{
	for (size_t i = 0; i < offer->part_count; i++) {
		const struct kh_mcp_part *part = &offer->parts[i];
		for (size_t j = 0; j < part->method_count; j++) {
			if (kh_view_eq(name, kh_view_str(part->methods[j].name)))
				return &part->methods[j];
		}
	}
	return NULL;
}

const struct kh_mcp_offered *kh_mcp_offer_find(const struct kh_mcp_offer *offer, struct kh_view name)
{
	for (size_t i = 0; i < offer->tool_count; i++) {
		if (kh_view_eq(name, kh_view_str(offer->tools[i].tool->name)))
			return &offer->tools[i];
	}
	return NULL;
}

const struct kh_mcp_offered *kh_mcp_offer_tool(const struct kh_mcp_offer *offer, struct kh_view name, enum kh_role role)
{
	const struct kh_mcp_offered *found = kh_mcp_offer_find(offer, name);

	return found != NULL && (found->tool->roles & KH_ROLE_BIT(role)) != 0 ? found : NULL;
}
