/* The usual moves of a scene. */
#include "scene.h"

#include <stdio.h>

void scene_must(const char *what, const char *code)
{
	if (code != NULL)
		world_give_up("%s: %s", what, code);
}

static void join(struct scene *s, const char *by, const char *name, enum kh_role role, struct world_token *ret)
{
	scene_must(name, world_token(&s->w, by, name, role, 0, 0, ret));
}

void scene_set(struct scene *s, const char *policy)
{
	const char *admin = s->w.admin.at; /* filled in by the next line */

	world_make(&s->w, policy, 11);
	snprintf(s->target.at, sizeof(s->target.at), "reader");
	join(s, admin, "host", KH_ROLE_HOST, &s->host);
	join(s, admin, "reader", KH_ROLE_READER, &s->reader);
	join(s, admin, "other", KH_ROLE_READER, &s->other_reader);
	join(s, admin, "reviewer", KH_ROLE_REVIEWER, &s->reviewer);
	join(s, admin, "second", KH_ROLE_REVIEWER, &s->second_reviewer);
	join(s, admin, "supervisor", KH_ROLE_SUPERVISOR, &s->supervisor);
	join(s, s->host.token.at, "controller", KH_ROLE_CONTROLLER, &s->controller);
	join(s, s->host.token.at, "stranger", KH_ROLE_CONTROLLER, &s->stranger);
	scene_must("open", world_open(&s->w, s->controller.token.at, 0, &s->task));
	scene_must("put",
		   world_put(&s->w, s->controller.token.at, s->task.at, "The meeting is on March 15.", &s->block));
}

void scene_end(struct scene *s)
{
	const char *bad = world_verify(&s->w);

	if (bad != NULL)
		world_give_up("the audit: %s", bad);
	world_remove(&s->w);
}

const char *scene_try(struct scene *s, const char *task, const char *query, struct world_query *ret)
{
	char json[2048];

	snprintf(json, sizeof(json), "{\"target\":\"%s\",\"task\":\"%s\",%s}", s->target.at,
		 task[0] != '\0' ? task : s->task.at, query);
	return world_admit(&s->w, s->controller.token.at, json, ret);
}

void scene_ask(struct scene *s, const char *query, struct world_query *ret)
{
	scene_must("query", scene_try(s, "", query, ret));
	if (ret->refused != KH_OUTCOME_NONE)
		world_give_up("the query was not admitted");
}

const char *scene_answer(struct scene *s, const char *response)
{
	struct world_ask ask;
	const char *word = NULL;

	scene_must("next", world_next(&s->w, s->reader.token.at, &ask));
	if (!ask.found)
		return "not asked";
	scene_must("respond", world_respond(&s->w, s->reader.token.at, ask.id.at, kh_view_str(response), &word));
	return word;
}

enum kh_outcome scene_outcome(struct scene *s, const struct world_query *query)
{
	struct world_look look;

	scene_must("look", world_look(&s->w, s->controller.token.at, query->id.at, &look));
	return look.outcome;
}

struct text scene_approval(struct scene *s, const struct world_query *query)
{
	struct kh_query_row row;

	WORLD_LOAD(&s->w, KH_TABLE_QUERIES, query->row, &row);
	return world_id(&s->w, KH_ID_APPROVAL, row.approval);
}

const char *scene_decide(struct scene *s, const char *by, const char *approval, enum kh_choice choice, const char *edit)
{
	struct text digest;
	int64_t pages = 1;

	for (int64_t page = 1; page <= pages; page++) {
		const char *code = world_show(&s->w, by, approval, page, &digest, &pages);

		if (code != NULL)
			return code;
	}
	return world_decide(&s->w, by, approval, choice, digest.at, edit);
}

enum kh_taint scene_taint(struct scene *s)
{
	struct kh_context_row row;

	WORLD_LOAD(&s->w, KH_TABLE_CONTEXTS, s->controller.context_row, &row);
	return row.taint;
}

struct counting {
	const char *kind;
	int count;
};

static bool count(const struct kh_audit_entry *entry, void *arg)
{
	struct counting *counting = arg;

	counting->count += kh_view_eq(entry->kind, kh_view_str(counting->kind));
	return true;
}

static enum kh_err count_all(struct kh_txn *txn, void *arg)
{
	return kh_audit_read(txn, 0, count, arg);
}

int scene_events(struct scene *s, enum kh_audit_kind kind)
{
	struct counting counting = {.kind = kh_words_name(&kh_audit_kind_words, kind)};

	kh_arena_clear(&s->w.call);
	world_inside(&s->w, count_all, &counting);
	return counting.count;
}
