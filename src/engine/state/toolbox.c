/* A list under a lock: it is short, and grows when a tool is called for the first time. */
#include "engine/state/toolbox.h"

#include "base/alloc.h"

#include <pthread.h>

#define MEMORY (4U << 20) /* bytes of all entries; their schemas have memory of their own */

struct entry {
	struct kh_toolbox_tool tool;
	struct kh_schema *input, *output;
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
	for (struct entry *e = toolbox->first; e != NULL; e = e->next) {
		kh_schema_free(e->input);
		kh_schema_free(e->output);
	}
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

/* Adds the tool unless another thread was faster; takes its schemas.  NULL: there is no room. */
static const struct kh_toolbox_tool *put(struct kh_toolbox *toolbox, const struct kh_toolbox_tool *tool,
					 struct kh_schema *input, struct kh_schema *output)
{
	pthread_mutex_lock(&toolbox->lock);
	const struct kh_toolbox_tool *found = find(toolbox, &tool->hash);
	struct entry *entry = found == NULL && toolbox->count < KH_TOOLBOX_MOST ? KH_NEW(&toolbox->arena, struct entry)
										: NULL;
	struct kh_view own = entry != NULL ? kh_arena_dup(&toolbox->arena, tool->name) : tool->name;

	if (entry != NULL && own.p != NULL) {
		*entry = (struct entry){{tool->hash, own, input, output}, input, output, toolbox->first};
		toolbox->first = entry;
		toolbox->count++;
		found = &entry->tool;
		input = output = NULL;
	}
	pthread_mutex_unlock(&toolbox->lock);
	kh_schema_free(input);
	kh_schema_free(output);
	return found;
}

/* Compiles SCHEMA.  KH_EREFUSED if it is not known whole: *RET_WHY has the code. */
static enum kh_err compile(struct kh_toolbox *toolbox, struct kh_arena *arena, yyjson_val *schema,
			   struct kh_schema **ret_schema, const char **ret_why)
{
	struct kh_view text = {NULL, 0};
	struct kh_reasons errors;
	struct kh_error err;
	enum kh_err e = schema != NULL ? kh_canonical_json(arena, schema, &text, &err) : KH_EREFUSED;

	kh_reasons_init(&errors, arena);
	if (e == KH_OK)
		e = kh_schema_new(toolbox->alloc, text, ret_schema, &errors);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	*ret_why = errors.n > 0 ? errors.at[0].code : "there is none";
	return KH_EREFUSED;
}

enum kh_err kh_toolbox_add(struct kh_toolbox *toolbox, struct kh_arena *arena, struct kh_view pinned,
			   const struct kh_toolbox_tool **ret_tool, struct kh_error *err)
{
	struct kh_toolbox_tool made = {.hash = kh_canonical_digest(pinned)};
	struct kh_schema *input = NULL, *output = NULL;
	yyjson_val *tool = NULL;
	const char *why = NULL;
	enum kh_err e = kh_json_read(arena, pinned, &tool, err);

	if (e != KH_OK)
		return e;
	made.name = kh_json_str(kh_json_get(tool, "name"));
	e = compile(toolbox, arena, kh_json_get(tool, "inputSchema"), &input, &why);
	if (e == KH_EREFUSED)
		return kh_error_set(err, e, "tool_unusable", "the schema of its arguments is not known whole: %s", why);
	if (e == KH_OK)
		e = compile(toolbox, arena, kh_json_get(tool, "outputSchema"), &output, &why);
	if (e == KH_ENOMEM) {
		kh_schema_free(input);
		return e;
	}
	*ret_tool = put(toolbox, &made, input, output);
	return *ret_tool != NULL ? KH_OK
				 : kh_error_set(err, KH_ELIMIT, "too_many_tools",
						"this process has called %zu approved tools: start it again",
						(size_t)KH_TOOLBOX_MOST);
}
