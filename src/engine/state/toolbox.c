/* A list under a lock: it is short, and grows when a tool is called for the first time. */
#include "engine/state/toolbox.h"

#include "base/alloc.h"

#include <pthread.h>

#define MEMORY (4U << 20) /* bytes of all entries; their schemas have memory of their own */

struct entry {
	struct kh_toolbox_tool tool;
	struct kh_schema *schema;
	struct entry *next;
};

struct kh_toolbox {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	struct kh_arena arena;
	struct entry *first;
	size_t count;
};

struct kh_toolbox *kh_toolbox_new(const struct kh_alloc *alloc)
{
	struct kh_toolbox *toolbox = kh_alloc_zero(alloc, sizeof(*toolbox));

	if (toolbox == NULL)
		return NULL;
	toolbox->alloc = alloc;
	pthread_mutex_init(&toolbox->lock, NULL);
	kh_arena_init(&toolbox->arena, alloc, MEMORY);
	return toolbox;
}

void kh_toolbox_free(struct kh_toolbox *toolbox)
{
	if (toolbox == NULL)
		return;
	for (struct entry *e = toolbox->first; e != NULL; e = e->next)
		kh_schema_free(e->schema);
	kh_arena_done(&toolbox->arena);
	pthread_mutex_destroy(&toolbox->lock);
	kh_alloc_free(toolbox->alloc, toolbox, sizeof(*toolbox));
}

/* The lock is held. */
static const struct kh_toolbox_tool *find(const struct kh_toolbox *toolbox, const struct kh_digest *hash)
{
	const struct entry *e = toolbox->first;

	while (e != NULL && memcmp(&e->tool.hash, hash, sizeof(*hash)) != 0)
		e = e->next;
	return e != NULL ? &e->tool : NULL;
}

const struct kh_toolbox_tool *kh_toolbox_find(struct kh_toolbox *toolbox, const struct kh_digest *hash)
{
	pthread_mutex_lock(&toolbox->lock);
	const struct kh_toolbox_tool *found = find(toolbox, hash);
	pthread_mutex_unlock(&toolbox->lock);
	return found;
}

/* Adds the tool unless another thread was faster; takes SCHEMA.  NULL: there is no room. */
static const struct kh_toolbox_tool *put(struct kh_toolbox *toolbox, const struct kh_digest *hash, struct kh_view name,
					 struct kh_schema *schema)
{
	pthread_mutex_lock(&toolbox->lock);
	const struct kh_toolbox_tool *found = find(toolbox, hash);
	struct entry *entry = found == NULL && toolbox->count < KH_TOOLBOX_MOST ? KH_NEW(&toolbox->arena, struct entry)
										: NULL;
	struct kh_view own = entry != NULL ? kh_arena_dup(&toolbox->arena, name) : name;

	if (entry != NULL && own.p != NULL) {
		*entry = (struct entry){{*hash, own, schema}, schema, toolbox->first};
		toolbox->first = entry;
		toolbox->count++;
		found = &entry->tool;
		schema = NULL;
	}
	pthread_mutex_unlock(&toolbox->lock);
	kh_schema_free(schema);
	return found;
}

/* Compiles the schema of a tool's arguments. */
static enum kh_err compile(struct kh_toolbox *toolbox, struct kh_arena *arena, yyjson_val *tool,
			   struct kh_schema **ret_schema, struct kh_error *err)
{
	yyjson_val *schema = kh_json_get(tool, "inputSchema");
	struct kh_view text = {NULL, 0};
	struct kh_reasons errors;
	enum kh_err e = schema != NULL ? kh_canonical_json(arena, schema, &text, err) : KH_EREFUSED;

	kh_reasons_init(&errors, arena);
	if (e == KH_OK)
		e = kh_schema_new(toolbox->alloc, text, ret_schema, &errors);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	return kh_error_set(err, KH_EREFUSED, "tool_unusable", "the schema of its arguments is not known whole: %s",
			    errors.n > 0 ? errors.at[0].code : "there is none");
}

enum kh_err kh_toolbox_add(struct kh_toolbox *toolbox, struct kh_arena *arena, struct kh_view pinned,
			   const struct kh_toolbox_tool **ret_tool, struct kh_error *err)
{
	struct kh_digest hash = kh_canonical_digest(pinned);
	struct kh_schema *schema = NULL;
	yyjson_val *tool = NULL;
	enum kh_err e = kh_json_read(arena, pinned, &tool, err);

	if (e == KH_OK)
		e = compile(toolbox, arena, tool, &schema, err);
	if (e != KH_OK)
		return e;
	*ret_tool = put(toolbox, &hash, kh_json_str(kh_json_get(tool, "name")), schema);
	return *ret_tool != NULL ? KH_OK
				 : kh_error_set(err, KH_ELIMIT, "too_many_tools",
						"this process has called %zu approved tools: start it again",
						(size_t)KH_TOOLBOX_MOST);
}
