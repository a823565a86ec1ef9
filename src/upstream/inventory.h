/*
 * What an upstream server offers (U4): every tool that it lists, each with the digest of all that the server says of it.
 *
 * What is read here is hostile: names, descriptions and schemas are the server's text.  A list that is not well-formed, is
 * too long, or has a name twice is refused whole, because a part of it could hide the rest.
 */
#ifndef KH_UPSTREAM_INVENTORY_H
#define KH_UPSTREAM_INVENTORY_H

#include "base/canonical.h"
#include "upstream/talk.h"

#define KH_INVENTORY_TOOLS 512
#define KH_INVENTORY_PAGES 64
#define KH_INVENTORY_NAME  128          /* bytes of a tool's name */
#define KH_INVENTORY_TOOL  (256U << 10) /* bytes of one tool */
#define KH_INVENTORY_BYTES (4U << 20)   /* of all together */
#define KH_INVENTORY_READ  (8U << 20)   /* of the messages that they come in */

struct kh_inventory_tool {
	struct kh_tainted name;
	struct kh_tainted text;  /* all that the server says of it, as canonical JSON */
	struct kh_digest digest; /* of `text` */
};

struct kh_inventory {
	struct kh_inventory_tool *tools; /* sorted by their names */
	size_t count;
	struct kh_digest digest; /* of the server's instructions and all tools */
};

/* A list while it is read. */
struct kh_inventory_reading {
	struct kh_arena *arena;
	struct kh_inventory inventory;
	size_t cap, bytes;    /* of the tools */
	size_t read;          /* bytes of the messages */
	struct kh_view wrong; /* a sentence of ours; p NULL: nothing is wrong */
};

/*
 * Adds the page that MESSAGE, a response to tools/list, has.  *RET_CURSOR is where the next begins; p NULL: there is none,
 * or something is wrong.  Fails only for lack of memory.
 */
enum kh_err kh_inventory_read(struct kh_inventory_reading *reading, struct kh_tainted message,
			      struct kh_view *ret_cursor) KH_CHECKED;

/* Sorts the tools, finds names that stand twice, and makes the digest of all, with the server's INSTRUCTIONS. */
void kh_inventory_finish(struct kh_inventory_reading *reading, struct kh_tainted instructions);

/*
 * Asks for the whole list, page by page, in SESSION.  KH_RESPONSE_CAME: *RET_INVENTORY is filled in.  Otherwise
 * *RET_RESPONSE says why not: nothing came, or (code `bad_inventory`) the list is refused, with what is wrong in it.
 * Fails only for lack of memory.
 */
enum kh_err kh_inventory_list(struct kh_talk *talk, const struct kh_talk_session *session, int64_t until_ms,
			      struct kh_arena *arena, struct kh_inventory *ret_inventory,
			      struct kh_upstream_response *ret_response) KH_CHECKED;

/* The tool of that name, or NULL. */
const struct kh_inventory_tool *kh_inventory_find(const struct kh_inventory *inventory, struct kh_view name);

#endif
