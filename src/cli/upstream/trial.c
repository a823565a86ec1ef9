/*
 * Tries an upstream server.  This process starts an executor, locks itself down, and then only speaks through it.
 */
#include "cli/upstream/trial.h"

#include "cli/result.h"
#include "cli/upstream/rules.h"
#include "cli/upstream/visit.h"
#include "home/confine.h"
#include "outside/client.h"

#define TOOLS_NAMED 40 /* that are named in a text for people */

static void say_tools(const struct kh_visit *v, struct kh_buf *buf)
{
	const struct kh_inventory *inventory = &v->inventory;

	kh_buf_printf(buf, "  %zu tool%s%s", inventory->count, inventory->count == 1 ? "" : "s",
		      inventory->count > 0 ? ":" : "");
	for (size_t i = 0; i < inventory->count && i < TOOLS_NAMED; i++)
		kh_buf_printf(buf, "%s %.*s", i > 0 ? "," : "", KH_FMT(kh_visit_quote(v, inventory->tools[i].name)));
	kh_buf_printf(buf, "%s\n", inventory->count > TOOLS_NAMED ? ", ..." : "");
}

static void say_good(const struct kh_visit *v, struct kh_buf *buf)
{
	const struct kh_manner *manner = &v->session.manner;

	kh_buf_printf(buf, "%.*s works: %s, MCP %s, ready after %lld ms\n", KH_FMT(v->up->name),
		      kh_visit_is_program(v) ? "a program in its sandbox" : "a server over HTTP", manner->spoken,
		      (long long)v->took_ms);
	if (kh_tainted_size(manner->name) > 0)
		kh_buf_printf(buf, "  it calls itself %.*s, version %.*s\n", KH_FMT(kh_visit_quote(v, manner->name)),
			      KH_FMT(kh_visit_quote(v, manner->said_version)));
	if (manner->has_tools)
		say_tools(v, buf);
	else
		kh_buf_lit(buf, "  it offers no tools\n");
}

static void add_good(const struct kh_visit *v, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	const struct kh_manner *manner = &v->session.manner;
	yyjson_mut_val *server = yyjson_mut_obj_add_obj(doc, obj, "server");
	struct kh_result result;

	kh_result_init(&result, v->arena);
	yyjson_mut_obj_add_str(doc, obj, "version", manner->spoken);
	yyjson_mut_obj_add_int(doc, obj, "ready_ms", v->took_ms);
	kh_result_text(&result, doc, server, "name", manner->name);
	kh_result_text(&result, doc, server, "version", manner->said_version);
	yyjson_mut_val *tools = yyjson_mut_obj_add_arr(doc, obj, "tools");
	for (size_t i = 0; i < v->inventory.count; i++) {
		yyjson_mut_val *tool = yyjson_mut_arr_add_obj(doc, tools);
		kh_result_text(&result, doc, tool, "name", v->inventory.tools[i].name);
		kh_json_add(doc, tool, "digest", kh_canonical_hex(v->arena, &v->inventory.tools[i].digest));
	}
}

static int say(struct kh_frame *f, const struct kh_visit *v, const struct kh_trial_args *args)
{
	bool works = v->response.end == KH_RESPONSE_CAME;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_buf buf = kh_frame_buf(f);

	if (f->options.json) {
		kh_json_add(doc, obj, "upstream", v->up->name);
		yyjson_mut_obj_add_bool(doc, obj, "works", works);
		(works ? add_good : kh_visit_add_bad)(v, doc, obj);
		return kh_frame_outcome(kh_frame_object(f, obj), works);
	}
	if (works && args->rules && kh_rules_propose(&f->arena, v->up->name, &v->inventory, &buf) != KH_OK)
		return kh_frame_fail(f);
	if (!works || !args->rules)
		(works ? say_good : kh_visit_say_bad)(v, &buf);
	return kh_frame_outcome(kh_frame_text(f, &buf), works);
}

int kh_trial_of(struct kh_frame *f, const struct kh_home *home, const char *name, const struct kh_trial_args *args)
{
	struct kh_client client;
	struct kh_visit visit;

	if (kh_visit_find(&visit, home, name, &f->arena, &f->err) != KH_OK ||
	    kh_client_start(&client, &(struct kh_client_settings){0}, &f->err) != KH_OK)
		return kh_frame_fail(f);
	enum kh_err e = kh_confine_all(&f->err);
	if (e == KH_OK)
		e = kh_visit_ask(&visit, &client, args->seconds, &f->err);
	int status = e == KH_OK ? say(f, &visit, args) : kh_frame_fail(f);
	kh_visit_end(&visit);
	kh_client_stop(&client);
	return status;
}

int kh_trial_run(struct kh_frame *f)
{
	return kh_trial_of(f, &f->home, f->words[0], f->args);
}
