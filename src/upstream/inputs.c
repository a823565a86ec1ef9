/* Rounds of input.  The message is hostile: what is taken of it goes back to the server that sent it, and to a human. */
#include "upstream/inputs.h"

#include "rpc/rpc.h"

/* Whether MESSAGE can ask for input: only then is it read here, because it may be large. */
static bool may_ask(struct kh_tainted message)
{
	return kh_view_find(kh_tainted_open(message), KH_LIT("\"input_required\""), 0) != SIZE_MAX;
}

static void respond(struct kh_inputs *in, struct kh_view name, struct kh_view result)
{
	yyjson_mut_val *value = yyjson_mut_rawncpy(in->doc, result.p, result.n);

	yyjson_mut_obj_add(in->responses, yyjson_mut_strncpy(in->doc, name.p, name.n), value);
}

static bool ask_human(struct kh_inputs *in, yyjson_val *request)
{
	struct kh_view params;
	yyjson_mut_doc *doc = kh_json_new(in->arena);

	return in->inquiry != NULL && in->asked.p == NULL &&
	       kh_json_write(in->arena, yyjson_val_mut_copy(doc, kh_json_get(request, "params")), &params) == KH_OK &&
	       kh_inquiry_begin(in->inquiry, kh_tainted_wrap(params));
}

/* Answers one request; false: nothing does. */
static bool answer(struct kh_inputs *in, struct kh_view name, yyjson_val *request)
{
	struct kh_view method = kh_json_str(kh_json_get(request, "method"));

	if (kh_view_eq(method, KH_LIT("roots/list")))
		respond(in, name, KH_LIT("{\"roots\":[]}"));
	else if (!kh_view_eq(method, KH_LIT("elicitation/create")))
		return false;
	else if (ask_human(in, request))
		in->asked = kh_arena_dup(in->arena, name);
	else
		respond(in, name, KH_LIT("{\"action\":\"decline\"}"));
	return true;
}

/* Whether each of REQUESTS can be answered: before that no human is asked. */
static bool is_answerable(yyjson_val *requests)
{
	yyjson_val *key;
	yyjson_obj_iter iter;

	if (requests != NULL && (!yyjson_is_obj(requests) || yyjson_obj_size(requests) > KH_INPUTS_MOST))
		return false;
	yyjson_obj_iter_init(requests, &iter);
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_view method = kh_json_str(kh_json_get(yyjson_obj_iter_get_val(key), "method"));
		if (!kh_view_eq(method, KH_LIT("roots/list")) && !kh_view_eq(method, KH_LIT("elicitation/create")))
			return false;
	}
	return true;
}

bool kh_inputs_read(struct kh_inputs *inputs, struct kh_tainted message)
{
	yyjson_val *root, *requests, *state, *key;
	yyjson_obj_iter iter;
	struct kh_error err;
	struct kh_rpc rpc;
	bool good = true;

	if (!may_ask(message) || kh_json_read(inputs->arena, kh_tainted_open(message), &root, &err) != KH_OK ||
	    kh_rpc_read(root, &rpc, &err) != KH_OK || rpc.kind != KH_RPC_RESPONSE ||
	    !kh_view_eq(kh_json_str(kh_json_get(rpc.result, "resultType")), KH_LIT("input_required")))
		return false;
	requests = kh_json_get(rpc.result, "inputRequests");
	state = kh_json_get(rpc.result, "requestState");
	if (!is_answerable(requests) || (requests == NULL && state == NULL) || (state != NULL && !yyjson_is_str(state)))
		return false;
	inputs->asked = (struct kh_view){NULL, 0};
	inputs->doc = kh_json_new(inputs->arena);
	inputs->responses = yyjson_mut_obj(inputs->doc);
	inputs->state = state != NULL ? yyjson_val_mut_copy(inputs->doc, state) : NULL;
	yyjson_obj_iter_init(requests, &iter);
	while (good && (key = yyjson_obj_iter_next(&iter)) != NULL)
		good = answer(inputs, kh_json_str(key), yyjson_obj_iter_get_val(key));
	return good && kh_arena_check(inputs->arena) == KH_OK;
}

bool kh_inputs_look(struct kh_inputs *inputs)
{
	struct kh_view result;

	if (inputs->asked.p == NULL)
		return true;
	if (!kh_inquiry_look(inputs->inquiry, inputs->arena, &result))
		return false;
	respond(inputs, inputs->asked, result);
	inputs->asked = (struct kh_view){NULL, 0};
	return true;
}
