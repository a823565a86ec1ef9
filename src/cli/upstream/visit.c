/* Visits to upstream servers.  What they say is shown in quotes, or in a frame of its own. */
#include "cli/upstream/visit.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/result.h"
#include "core/policy/toolrule.h"
#include "outside/client.h"
#include "upstream/launch.h"

#include <unistd.h>

bool kh_visit_is_program(const struct kh_visit *visit)
{
	return visit->up->command.n > 0;
}

enum kh_err kh_visit_find(struct kh_visit *visit, const struct kh_home *home, const char *name, struct kh_arena *arena,
			  struct kh_error *err)
{
	struct kh_view named = kh_view_str(name), quoted = kh_arena_quote(arena, named);
	struct kh_launch launch = {.arena = arena, .folder = home->folder.path, .file = KH_LIT(KH_FOLDER_CONFIG)};

	*visit = (struct kh_visit){.arena = arena,
				   .up = kh_settings_upstream(home->config, named),
				   .elicits = kh_toolrule_elicits(&home->config->policy, named)};
	if (visit->up == NULL)
		return kh_error_set(err, KH_EINPUT, "unknown_upstream", "%s has no upstream %.*s", KH_FOLDER_CONFIG,
				    KH_FMT(quoted));
	return kh_visit_is_program(visit) ? kh_launch_run(&launch, visit->up, &visit->run, err)
					  : kh_launch_http(&launch, visit->up, &visit->http, err);
}

static enum kh_err connect_to(struct kh_visit *v, const struct kh_client *client, struct kh_error *err)
{
	struct kh_talk_settings settings = {.alloc = &kh_alloc_system,
					    .client = client,
					    .run = kh_visit_is_program(v) ? &v->run : NULL,
					    .upstream = &v->http,
					    .elicits = v->elicits,
					    .starts = (unsigned)v->up->starts};

	enum kh_err e = kh_server_all_new(client, &v->servers, err);
	settings.servers = v->servers;
	return e == KH_OK ? kh_talk_new(&settings, &v->talk, err) : e;
}

enum kh_err kh_visit_ask(struct kh_visit *visit, const struct kh_client *client, uint64_t seconds, struct kh_error *err)
{
	int64_t began = kh_clock_ms();
	int64_t until = began + (int64_t)(seconds > 0 ? seconds : KH_VISIT_SECONDS) * 1000;

	enum kh_err e = connect_to(visit, client, err);
	if (e != KH_OK)
		return e;
	e = kh_talk_open(visit->talk, until, visit->arena, &visit->session, &visit->response);
	visit->took_ms = kh_clock_ms() - began;
	if (e == KH_OK && visit->response.end == KH_RESPONSE_CAME && visit->session.manner.has_tools)
		e = kh_inventory_list(visit->talk, &visit->session, until, visit->arena, &visit->inventory,
				      &visit->response);
	return e == KH_OK ? e : kh_error_set(err, e, "out_of_memory", "not enough memory");
}

void kh_visit_end(struct kh_visit *visit)
{
	kh_talk_free(visit->talk);
	if (visit->servers != NULL)
		kh_server_all_free(visit->servers);
	visit->talk = NULL;
	visit->servers = NULL;
}

struct kh_view kh_visit_quote(const struct kh_visit *visit, struct kh_tainted text)
{
	struct kh_result result;

	kh_result_init(&result, visit->arena);
	return kh_result_quote(&result, text);
}

/* What may help, by what went wrong. */
static const char *advice(const struct kh_visit *v)
{
	const char *code = v->response.code;

	if (strcmp(code, "no_program") == 0)
		return "its program is not in the sandbox: `command` begins with an absolute path, and `program` or "
		       "`read` "
		       "names the folder that it is in";
	if (strcmp(code, "not_a_message") == 0 || strcmp(code, "bad_upstream") == 0)
		return "it does not speak MCP on its standard output: check `command`, and that nothing else is "
		       "printed there";
	if (strcmp(code, "upstream_denied") == 0)
		return "it wants another credential: check `secrets`";
	if (strcmp(code, "upstream_timeout") == 0)
		return "it takes longer, or waits for something that it was not given; --timeout gives it more time";
	if (strcmp(code, "bad_inventory") == 0)
		return "ask whoever makes the server to mend its list of tools";
	return kh_visit_is_program(v)
		       ? "if it needs files, name them in `read` or `write`; if it needs a server on the network, in "
			 "`network`, as host:port; packages are installed before, nothing is downloaded in the sandbox"
		       : "check `url`, and `secrets` if it wants a credential";
}

void kh_visit_say_bad(const struct kh_visit *visit, struct kh_buf *buf)
{
	kh_buf_printf(buf, "%.*s does not work: %.*s (%s)\n", KH_FMT(visit->up->name), KH_FMT(visit->response.why),
		      visit->response.code);
	if (kh_tainted_size(visit->response.said) > 0) {
		kh_buf_lit(buf, "  what it said last:\n");
		kh_terminal_frame(buf, visit->response.said, kh_terminal_columns(STDOUT_FILENO));
	}
	kh_buf_printf(buf, "  what to do: %s\n", advice(visit));
}

void kh_visit_add_bad(const struct kh_visit *visit, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	yyjson_mut_val *error = yyjson_mut_obj_add_obj(doc, obj, "error");
	struct kh_result result;

	kh_result_init(&result, visit->arena);
	yyjson_mut_obj_add_str(doc, error, "code", visit->response.code);
	kh_json_add(doc, error, "detail", visit->response.why);
	kh_result_text(&result, doc, obj, "said", visit->response.said);
	yyjson_mut_obj_add_str(doc, obj, "advice", advice(visit));
}
