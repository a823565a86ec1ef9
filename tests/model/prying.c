/* Every operation that a Controller may call, refusals included, and two runs compared byte for byte. */
#include "prying.h"

#include "engine/comm/list.h"
#include "engine/comm/show.h"
#include "engine/comm/weigh.h"
#include "engine/context/taskgraph.h"
#include "engine/context/who.h"
#include "engine/operations.h"
#include "engine/task/show.h"
#include "engine/upstream/tools.h"

#include <ctype.h>
#include <stdlib.h>

/* --- what a Controller can call ----------------------------------------------------------------------------------- */

void prying_hear(const char *what, const char *by, kh_engine_fn *fn, void *call, const struct kh_view *json)
{
	const char *code = world_run(&outing.w, by, fn, call);

	world_hear_code(&outing.w, what, code);
	if (code == NULL && json != NULL)
		world_hear(&outing.w, " json", *json);
}

static void task_open(const struct prying *l)
{
	struct text task, approval;

	scene_must("open", world_open(&outing.w, l->by, 100, &task));
	(void)outside_execute(&outing.w, l->by, task.at, PLAN, &approval);
	scene_must("close", world_close_task(&outing.w, l->by, task.at));
}

static void task_show(const struct prying *l)
{
	struct kh_task_show show = {.task = kh_view_str(l->task)}, next = {.task = kh_view_str(l->task)};
	struct text after = world_id(&outing.w, KH_ID_BLOCK, l->block);

	prying_hear("task.show", l->by, kh_task_show_run, &show, &show.json);
	next.after = kh_view_str(after.at);
	prying_hear("task.show after", l->by, kh_task_show_run, &next, &next.json);
}

static void task_list(const struct prying *l)
{
	struct kh_view json;

	scene_must("list", world_tasks_json(&outing.w, l->by, &json));
}

static void query_admit(const struct prying *l)
{
	struct text block = world_id(&outing.w, KH_ID_BLOCK, l->block);
	struct world_query query;
	struct world_look look;
	char json[512];

	snprintf(json, sizeof(json), "{\"target\":\"reader\",\"task\":\"%s\"," SCENE_URGENT "}", l->task);
	if (world_admit(&outing.w, l->by, json, &query) == NULL)
		(void)world_look(&outing.w, l->by, query.id.at, &look);
	snprintf(json, sizeof(json), "{\"target\":\"reader\",\"task\":\"%s\",\"blocks\":[\"%s\"]," SCENE_URGENT "}",
		 l->task, block.at);
	(void)world_admit(&outing.w, l->by, json, &query);
}

static void token_who(const struct prying *l)
{
	struct kh_who who = {0};

	kh_arena_clear(&outing.w.call);
	prying_hear("token.who", l->by, kh_who_run, &who, NULL);
}

static void comm_declare(const struct prying *l)
{
	struct text block = world_id(&outing.w, KH_ID_BLOCK, l->block);
	struct outside_declared declared;
	char json[1024];

	snprintf(json, sizeof(json),
		 "{\"operation\":\"comm.fetch\",\"parameters\":{\"url\":{\"$block\":\"%s\"}}," OUTSIDE_WHY
		 ",\"phase\":\"execution\",\"session_id\":\"%s\"}",
		 block.at, l->task);
	(void)outside_declare(&outing.w, l->by, l->task, json, &declared);
}

static void comm_call(const struct prying *l)
{
	struct text block = world_id(&outing.w, KH_ID_BLOCK, l->block);
	struct outside_act act;
	char parameters[256];

	snprintf(parameters, sizeof(parameters), "{\"url\":{\"$block\":\"%s\"}}", block.at);
	(void)outside_do(&outing.w, l->by, l->task, "comm.fetch", parameters, &act);
	(void)outside_do(&outing.w, l->by, l->task, "comm.fetch", "{\"url\":\"https://evil.example/\"}", &act);
	for (size_t i = 0; i < ENDS; i++)
		(void)outside_call(&outing.w, l->by, l->task, l->operations[i].at, "", false, &act);
	if (l->others == NULL)
		return;
	(void)outside_do(&outing.w, l->by, l->task, "comm.fetch", FETCH_W, &act);
	if (outside_do(&outing.w, outing.stranger.token.at, l->others, "comm.fetch", FETCH_W, &act) == NULL)
		scene_must("its end", outside_end(&outing.w, act.row, KH_ERRAND_OK, "", "{}"));
}

static void comm_look(const struct prying *l)
{
	struct outside_act act;

	for (size_t i = 0; i < ENDS; i++)
		(void)outside_look(&outing.w, l->by, l->operations[i].at, &act);
}

static void comm_list(const struct prying *l)
{
	struct kh_page page = {.task = kh_view_str(l->task)};

	kh_arena_clear(&outing.w.call);
	prying_hear("comm.list", l->by, kh_comm_list_run, &page, &page.json);
}

/* What is offered, by its digest. */
static void upstream_tools(const struct prying *l)
{
	struct kh_upstream_tools tools = {.count = 0};
	struct kh_view stamp = kh_view_of((const char *)tools.stamp.bytes, sizeof(tools.stamp.bytes));

	kh_arena_clear(&outing.w.call);
	prying_hear("upstream.tools", l->by, kh_upstream_tools_run, &tools, &stamp);
}

/* Every operation with the role of a controller; what is not tried here is tried by the play itself. */
static const struct probe {
	const char *operation;
	void (*fn)(const struct prying *l);
} probes[] = {
	{"task.open", task_open},       {"task.close", NULL},     {"task.show", task_show},
	{"task.list", task_list},       {"task.execute", NULL},   {"content.put", NULL},
	{"query.admit", query_admit},   {"query.look", NULL},     {"token.who", token_who},
	{"comm.declare", comm_declare}, {"comm.weigh", NULL},     {"comm.call", comm_call},
	{"comm.look", comm_look},       {"comm.list", comm_list}, {"upstream.tools", upstream_tools},
};

/* A new operation that a Controller may call has to be looked at here too. */
void prying_is_complete(void)
{
	size_t count = 0;
	const struct kh_operations_entry *all = kh_operations_all(&count);

	for (size_t i = 0; i < count; i++) {
		bool found = (all[i].roles & KH_ROLE_BIT(KH_ROLE_CONTROLLER)) == 0;
		for (size_t k = 0; k < COUNT(probes) && !found; k++)
			found = strcmp(probes[k].operation, all[i].name) == 0;
		if (!found)
			printf("%s is not among the probes\n", all[i].name);
		CHECK(found);
	}
}

/* A host talks to its agent: of an operation it gets no more before the slot. */
static void look_as_host(const struct prying *l)
{
	struct kh_context_show context = {.context = kh_view_str(outing.controller.context.at)};
	struct kh_task_show task = {.task = kh_view_str(l->task)};
	struct kh_taskgraph graph = {.task = kh_view_str(l->task)};
	const char *host = outing.host.token.at;

	kh_arena_clear(&outing.w.call);
	prying_hear("host: context", host, kh_context_show_run, &context, &context.json);
	prying_hear("host: task", host, kh_task_show_run, &task, &task.json);
	prying_hear("host: graph", host, kh_taskgraph_run, &graph, NULL);
	struct kh_view n = kh_arena_printf(&outing.w.call, "%zu", graph.blocks.n);
	world_hear(&outing.w, " blocks", n);
	for (size_t i = 0; i < ENDS; i++) {
		struct kh_comm_show show = {.declaration = kh_view_str(l->operations[i].at)};
		prying_hear("host: declaration", host, kh_comm_show_run, &show, &show.json);
	}
}

void prying_look(struct prying *l)
{
	struct prying other = *l;

	for (size_t i = 0; i < COUNT(probes); i++) {
		if (probes[i].fn != NULL)
			probes[i].fn(l);
	}
	/* Somebody else, who knows every id. */
	other.by = outing.stranger.token.at;
	task_show(&other);
	comm_look(&other);
	look_as_host(l);
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

/* Whether a public id begins at AT: a letter and 16 digits. */
static bool is_id(const struct heard *h, size_t at)
{
	size_t i = at + 1;

	if (at + 17 > h->n || h->at[at] < 'a' || h->at[at] > 'z')
		return false;
	while (i < at + 17 && isxdigit((unsigned char)h->at[i]))
		i++;
	return i == at + 17 && (i == h->n || !isxdigit((unsigned char)h->at[i]));
}

/* Replaces each id by its place in the order of appearance. */
static void name_ids(struct heard *h)
{
	static char known[4096][17];
	size_t count = 0;

	for (size_t at = 0; at < h->n; at++) {
		size_t i = 0;
		if (!is_id(h, at))
			continue;
		while (i < count && memcmp(known[i], h->at + at, 17) != 0)
			i++;
		if (i == count && count < COUNT(known))
			memcpy(known[count++], h->at + at, 17);
		char text[24];
		snprintf(text, sizeof(text), "#%015zu", i);
		memcpy(h->at + at + 1, text, 16);
		at += 16;
	}
}

/* The scene is over: what the Controllers heard. */
struct heard prying_finish(void)
{
	struct heard heard = {.at = malloc(outing.w.heard.n), .n = outing.w.heard.n};

	if (heard.at != NULL)
		memcpy(heard.at, outing.w.heard.at, heard.n);
	else
		world_give_up("out of memory");
	name_ids(&heard);
	world_verifies(false);
	scene_end(&outing);
	return heard;
}

/* Whether both heard the same, as it is to be. */
void prying_compare(const char *name, size_t way, const struct heard *a, const struct heard *b, bool alike)
{
	bool same = a->n == b->n && memcmp(a->at, b->at, a->n) == 0;

	if (same != alike)
		printf("%s: way %zu: the Controllers can%s tell\n", name, way, alike ? "" : "not");
	if (same != alike && alike)
		world_show_difference(a, b);
	CHECK(same == alike);
}
