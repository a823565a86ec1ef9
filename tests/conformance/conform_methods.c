/*
 * Methods: each is Keyhole's own of the same name, run as it is, with something added to what it answers; or answers
 * itself what it knows, and leaves the rest to Keyhole's.
 */
#include "conform_methods.h"

#include "conform.h"
#include "mcp/elicit.h"
#include "mcp/methods.h"

#include <stdlib.h>

/* Keyhole's own of this name. */
static const struct kh_mcp_method *own(const char *name)
{
	const struct kh_mcp_part part = kh_mcp_methods_part();

	for (size_t i = 0; i < part.method_count; i++) {
		if (strcmp(part.methods[i].name, name) == 0)
			return &part.methods[i];
	}
	abort();
}

/* Has Keyhole's own method answer. */
static enum kh_work_next leave_to_own(struct kh_mcp_call *call, const char *name, struct kh_mcp_answer *answer)
{
	const struct kh_mcp_method *method = own(name);

	if (method->answer == NULL)
		return method->run(call, answer);
	answer->e = method->answer(call, &answer->result);
	return KH_WORK_DONE;
}

/* The same; the member NAME of its result, or NULL. */
static yyjson_mut_val *run_own(struct kh_mcp_call *call, const char *method, const char *name,
			       struct kh_mcp_answer *answer)
{
	(void)leave_to_own(call, method, answer);
	return answer->result != NULL ? yyjson_mut_obj_get(answer->result, name) : NULL;
}

static enum kh_work_next list_prompts(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	kh_conform_prompts(call->doc, run_own(call, "prompts/list", "prompts", ret_answer));
	return KH_WORK_DONE;
}

/* A prompt may ask for input first. */
static enum kh_work_next get_prompt(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	struct kh_mcp_exchange *x = call->exchange;
	struct kh_mcp_result result = {.e = KH_OK};
	struct kh_view name = kh_json_str(kh_json_get(call->arguments, "name"));

	x->bound = kh_json_get(call->arguments, "name");
	if (kh_rpc_version_is_stateless(call->version))
		ret_answer->e = kh_mcp_elicit_resume(x, call->arguments);
	if (ret_answer->e != KH_OK)
		return KH_WORK_DONE;
	if (!kh_conform_prompt(call, name, kh_json_get(call->arguments, "arguments"), &result, &ret_answer->result))
		return leave_to_own(call, "prompts/get", ret_answer);
	if (result.inputs != NULL)
		ret_answer->e = kh_mcp_elicit_required(x, result.inputs, KH_MCP_ELICIT_TOOL, result.state,
						       &ret_answer->result);
	return KH_WORK_DONE;
}

static enum kh_work_next list_resources(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	yyjson_mut_val *list = run_own(call, "resources/list", "resources", ret_answer);

	if (list != NULL && kh_json_get(call->arguments, "cursor") == NULL)
		kh_conform_resources(call->doc, list);
	return KH_WORK_DONE;
}

static enum kh_work_next list_templates(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	kh_conform_templates(call->doc, run_own(call, "resources/templates/list", "resourceTemplates", ret_answer));
	return KH_WORK_DONE;
}

static enum kh_work_next read_resource(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	yyjson_mut_val *contents = yyjson_mut_arr(call->doc);

	if (!kh_conform_resource(call->doc, kh_json_str(kh_json_get(call->arguments, "uri")), contents))
		return leave_to_own(call, "resources/read", ret_answer);
	ret_answer->result = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_val(call->doc, ret_answer->result, "contents", contents);
	return KH_WORK_DONE;
}

static enum kh_work_next complete(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	yyjson_val *ref = kh_json_get(call->arguments, "ref");

	if (!kh_conform_completes(kh_json_str(kh_json_get(ref, "name"))))
		return leave_to_own(call, "completion/complete", ret_answer);
	ret_answer->result = kh_conform_json(call->doc,
					     "{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}");
	return KH_WORK_DONE;
}

/* One of its resources can be subscribed to. */
static enum kh_work_next initialize(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	yyjson_mut_val *can = run_own(call, "initialize", "capabilities", ret_answer);

	yyjson_mut_obj_add_true(call->doc, yyjson_mut_obj_get(can, "resources"), "subscribe");
	return KH_WORK_DONE;
}

static enum kh_work_next subscribe(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	if (kh_conform_watches(kh_json_str(kh_json_get(call->arguments, "uri"))))
		ret_answer->result = yyjson_mut_obj(call->doc);
	else
		ret_answer->e = kh_error_set(call->err, KH_EUNKNOWN, "unknown_resource", "it cannot be subscribed to");
	return KH_WORK_DONE;
}

static const struct {
	const char *name;
	enum kh_work_next (*run)(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);
} wrapped[] = {
	{"initialize", initialize},
	{"prompts/list", list_prompts},
	{"prompts/get", get_prompt},
	{"resources/list", list_resources},
	{"resources/templates/list", list_templates},
	{"resources/read", read_resource},
	{"completion/complete", complete},
};

size_t kh_conform_methods_fill(struct kh_mcp_method table[KH_CONFORM_METHODS])
{
	size_t n = 0;

	for (; n < sizeof(wrapped) / sizeof(wrapped[0]); n++) {
		table[n] = *own(wrapped[n].name);
		table[n].answer = NULL;
		table[n].run = wrapped[n].run;
	}
	table[n++] = (struct kh_mcp_method){"resources/subscribe", KH_MCP_LEGACY, .ttl = -1, .run = subscribe};
	table[n++] = (struct kh_mcp_method){"resources/unsubscribe", KH_MCP_LEGACY, .ttl = -1, .run = subscribe};
	return n;
}
