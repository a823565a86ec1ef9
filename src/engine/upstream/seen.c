/*
 * What an upstream offers, compared with what is pinned.
 *
 * A row belongs to a name for good once it was approved.  A row that never was is used again when its tool is no longer
 * offered: so a server that invents new names all the time fills no more rows than it offers tools at once.
 */
#include "engine/upstream/seen.h"

#include "engine/state/each.h"
#include "engine/upstream/hold.h"

#include <stdlib.h>

enum kh_err kh_upstream_seen_find(struct kh_op *op, struct kh_view name, struct kh_upstream_row **ret_row)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_UPSTREAMS_NAMED, .text = name};

	if (!kh_each_load(&each, KH_TABLE_UPSTREAMS, ret_row))
		*ret_row = NULL;
	return each.e;
}

enum kh_err kh_upstream_seen_tools(struct kh_op *op, const struct kh_upstream_row *upstream,
				   struct kh_tool_row ***ret_tools, size_t *ret_count)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TOOLS_OF_UPSTREAM, .number = upstream->id};
	struct kh_tool_row **tools = NULL, *tool;
	size_t count = 0, cap = 0;

	while (kh_each_load(&each, KH_TABLE_TOOLS, &tool)) {
		tools = kh_arena_more(op->arena, tools, count, &cap, sizeof(struct kh_tool_row *));
		if (tools == NULL)
			return KH_ENOMEM;
		tools[count++] = tool;
	}
	*ret_tools = tools;
	*ret_count = count;
	return each.e;
}

static bool same(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* Notes what the server is now; a program that is not the approved one holds it. */
static bool note_server(struct kh_op *op, const struct kh_upstream_seen *seen, struct kh_upstream_row *row)
{
	bool differs = !same(&row->seen_program, &seen->program) || !kh_view_eq(row->seen_about, seen->about);

	row->seen_program = seen->program;
	row->seen_about = seen->about;
	if (row->state == KH_PIN_APPROVED && !same(&row->program, &seen->program)) {
		row->state = KH_PIN_HELD;
		differs = true;
	}
	if (differs)
		row->seen_at = op->now;
	return differs;
}

static bool note_tool(struct kh_op *op, const struct kh_seen_tool *seen, struct kh_tool_row *row)
{
	if (same(&row->seen_hash, &seen->hash) && row->seen.n > 0)
		return false;
	row->name = seen->name;
	row->seen = seen->text;
	row->seen_hash = seen->hash;
	row->seen_at = op->now;
	if (row->state == KH_PIN_APPROVED)
		row->state = KH_PIN_HELD;
	return true;
}

static bool note_gone(struct kh_op *op, struct kh_tool_row *row)
{
	if (row->seen.n == 0)
		return false;
	row->seen = (struct kh_view){"", 0};
	row->seen_hash = (struct kh_digest){{0}};
	row->seen_at = op->now;
	if (row->state == KH_PIN_APPROVED)
		row->state = KH_PIN_HELD;
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct kh_seen_tool *x = a, *y = b;

	return kh_view_cmp(x->name, y->name);
}

/* The rows of one server while they are compared. */
struct comparing {
	struct kh_op *op;
	const struct kh_upstream_row *upstream;
	const struct kh_upstream_seen *seen;
	struct kh_tool_row **rows;
	size_t count;
	bool *taken;               /* of each tool that is offered: it has a row */
	struct kh_tool_row **free; /* rows that nobody approved, of tools that are no longer offered */
	size_t free_count;
	bool changed;
};

/* Notes what has become of the tool of ROW. */
static void compare_row(struct comparing *c, struct kh_tool_row *row)
{
	const struct kh_upstream_seen *seen = c->seen;
	struct kh_seen_tool key = {.name = row->name}, *found = NULL;

	if (seen->count > 0)
		found = bsearch(&key, seen->tools, seen->count, sizeof(key), by_name);
	if (found != NULL) {
		c->taken[found - seen->tools] = true;
		c->changed |= note_tool(c->op, found, row);
		return;
	}
	c->changed |= note_gone(c->op, row);
	if (row->alias.n == 0)
		c->free[c->free_count++] = row;
}

/* Notes a tool that no row has. */
static enum kh_err add_tool(struct comparing *c, const struct kh_seen_tool *tool)
{
	struct kh_tool_row *row;
	enum kh_err e = KH_OK;

	if (c->free_count > 0) {
		row = c->free[--c->free_count];
	} else {
		e = kh_txn_new(c->op->txn, KH_TABLE_TOOLS, &row);
		if (e == KH_OK)
			row->upstream = c->upstream->id;
	}
	if (e == KH_OK)
		c->changed |= note_tool(c->op, tool, row);
	return e;
}

static enum kh_err compare(struct comparing *c)
{
	enum kh_err e = KH_OK;

	c->taken = KH_NEW_N(c->op->arena, bool, c->seen->count + 1);
	c->free = KH_NEW_N(c->op->arena, struct kh_tool_row *, c->count + 1);
	if (c->taken == NULL || c->free == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		compare_row(c, c->rows[i]);
	for (size_t i = 0; i < c->seen->count && e == KH_OK; i++) {
		if (!c->taken[i])
			e = add_tool(c, &c->seen->tools[i]);
	}
	return e;
}

enum kh_err kh_upstream_seen_run(struct kh_op *op, void *call)
{
	struct kh_upstream_seen *seen = call;
	struct comparing c = {.op = op, .seen = seen};
	struct kh_upstream_row *row;
	struct kh_emit what;

	seen->changed = false;
	enum kh_err e = kh_upstream_seen_find(op, seen->name, &row);
	if (e == KH_OK && row == NULL) {
		e = kh_txn_new(op->txn, KH_TABLE_UPSTREAMS, &row);
		if (e == KH_OK)
			row->name = seen->name;
	} else if (e == KH_OK) {
		e = kh_upstream_seen_tools(op, row, &c.rows, &c.count);
	}
	if (e != KH_OK)
		return e;
	c.upstream = row;
	c.changed = note_server(op, seen, row);
	e = compare(&c);
	if (e != KH_OK || !c.changed)
		return e;
	seen->changed = true;
	kh_op_describe(op, &what);
	kh_emit_add(&what, "upstream", seen->name);
	e = kh_op_event(op, KH_AUDIT_UPSTREAM_SEEN, NULL, kh_op_described(op, &what));
	for (size_t i = 0; e == KH_OK && i < c.count; i++)
		e = kh_hold_end(op, row, c.rows[i]);
	return e == KH_OK ? kh_hold_end(op, row, NULL) : e;
}
