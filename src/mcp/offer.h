/*
 * What a server offers: the methods and tools of all tables that it was given.  The code that sets up a gateway gives
 * them (home/service.h); nothing below knows a table.  Input schemas are parsed here, once, when the server starts.
 * Tools of upstream servers are in no table, because they come and go (upstreams.h).
 */
#ifndef KH_MCP_OFFER_H
#define KH_MCP_OFFER_H

#include "mcp/method.h"

/* Lists that may change while the server runs (kh_mcp_listen_changed). */
#define KH_MCP_CHANGED_TOOLS     (1U << 0)
#define KH_MCP_CHANGED_PROMPTS   (1U << 1)
#define KH_MCP_CHANGED_RESOURCES (1U << 2)

/* Tables of one origin.  They must live as long as the server. */
struct kh_mcp_part {
	const struct kh_mcp_method *methods;
	size_t method_count;
	const struct kh_mcp_tool *tools;
	size_t tool_count;
	unsigned changes; /* KH_MCP_CHANGED_* of the lists that it may change */
};

/* A tool with its input schema, parsed. */
struct kh_mcp_offered {
	const struct kh_mcp_tool *tool;
	yyjson_val *input;
	bool has_headers; /* a parameter's schema names a header (x-mcp-header) */
};

struct kh_mcp_offer {
	struct kh_arena arena;
	const struct kh_mcp_part *parts;
	size_t part_count;
	struct kh_mcp_offered *tools; /* of all parts, in their order */
	size_t tool_count;
	yyjson_val *keyhole; /* the schema of what calls of upstream tools have beside the tool's own, parsed */
	unsigned changes;    /* of all parts */
};

/* PARTS are copied.  KH_EINPUT: a schema is not JSON.  Call kh_mcp_offer_done() afterwards, even if this fails. */
enum kh_err kh_mcp_offer_init(struct kh_mcp_offer *offer, const struct kh_alloc *alloc, const struct kh_mcp_part *parts,
			      size_t count, struct kh_error *err) KH_CHECKED;
void kh_mcp_offer_done(struct kh_mcp_offer *offer);

/* Finds the method of this name, in the first part that has one.  NULL: there is none. */
const struct kh_mcp_method *kh_mcp_offer_method(const struct kh_mcp_offer *offer, struct kh_view name);

/* Finds the tool of this name, and the one that ROLE sees; NULL: there is none. */
const struct kh_mcp_offered *kh_mcp_offer_find(const struct kh_mcp_offer *offer, struct kh_view name);
const struct kh_mcp_offered *kh_mcp_offer_tool(const struct kh_mcp_offer *offer, struct kh_view name,
					       enum kh_role role);

#endif
