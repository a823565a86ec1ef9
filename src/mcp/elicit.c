/* Elicitation: tells the user an approval's id and where to decide, in the form of either generation. */
#include "mcp/elicit.h"

#include "mcp/asked.h"
#include "mcp/say.h"
#include "mcp/state.h"

/* True if the client's user has been told of APPROVAL on this connection; notes it if not. */
static bool was_told(struct kh_mcp_peer *peer, const char *approval)
{
	bool told = false;

	pthread_mutex_lock(&peer->lock);
	for (unsigned i = 0; i < KH_MCP_TOLD; i++)
		told = told || strcmp(peer->told[i], approval) == 0;
	if (!told)
		memcpy(peer->told[peer->tellings++ % KH_MCP_TOLD], approval, KH_ASKING_ID);
	pthread_mutex_unlock(&peer->lock);
	return told;
}

static struct kh_view link_of(const struct kh_mcp_exchange *x)
{
	const struct kh_mcp *mcp = x->peer->mcp;
	struct kh_arena *arena = x->call.arena;

	if (mcp->approvals.n == 0)
		return (struct kh_view){NULL, 0};
	return kh_arena_printf(arena, "%.*s#/approvals/%s", KH_FMT(mcp->approvals), x->call.approval);
}

static bool can_show(struct kh_mcp_exchange *x)
{
	pthread_mutex_lock(&x->peer->lock);
	bool ready = x->peer->initialised || kh_rpc_version_is_stateless(x->call.version);
	pthread_mutex_unlock(&x->peer->lock);
	return ready && ((x->call.can & KH_MCP_CAN_ELICIT) ||
			 ((x->call.can & KH_MCP_CAN_ELICIT_URL) && x->peer->mcp->approvals.n > 0));
}

static yyjson_mut_val *parameters(struct kh_mcp_exchange *x)
{
	yyjson_mut_doc *doc = x->call.doc;
	yyjson_mut_val *params = yyjson_mut_obj(doc);
	struct kh_view link = link_of(x);
	bool by_url = link.n > 0 && (x->call.can & KH_MCP_CAN_ELICIT_URL);
	struct kh_view message = kh_arena_printf(
		x->call.arena,
		"Keyhole: a human has to decide approval %s before this call can go on. A reviewer decides with "
		"`keyhole approvals show %s`%s%.*s. What you answer here decides nothing.",
		x->call.approval, x->call.approval, link.n > 0 ? " or at " : "", KH_FMT(link));

	kh_json_add(doc, params, "message", message);
	if (by_url) {
		yyjson_mut_obj_add_str(doc, params, "mode", "url");
		kh_json_add(doc, params, "url", link);
		if (!kh_rpc_version_is_stateless(x->call.version))
			kh_json_add(doc, params, "elicitationId", kh_view_str(x->call.approval));
		return params;
	}
	if (x->call.version >= KH_MCP_2025_11_25)
		yyjson_mut_obj_add_str(doc, params, "mode", "form");
	yyjson_mut_val *schema = yyjson_mut_obj_add_obj(doc, params, "requestedSchema");
	yyjson_mut_obj_add_str(doc, schema, "type", "object");
	yyjson_mut_obj_add_obj(doc, schema, "properties");
	return params;
}

static void end_with_input(struct kh_mcp_exchange *x, struct kh_mcp_answer *answer)
{
	yyjson_mut_doc *doc = x->call.doc;
	yyjson_mut_val *inputs = yyjson_mut_obj(doc), *request = yyjson_mut_obj_add_obj(doc, inputs, "approval");

	yyjson_mut_obj_add_str(doc, request, "method", "elicitation/create");
	yyjson_mut_obj_add_val(doc, request, "params", parameters(x));
	answer->e = kh_mcp_elicit_required(x, inputs, KH_MCP_ELICIT_APPROVAL, kh_view_str(x->call.approval),
					   &answer->result);
}

bool kh_mcp_elicit_tell(struct kh_mcp_exchange *x, struct kh_mcp_answer *answer)
{
	if (x->told || x->call.resume[0] != '\0')
		return false;
	x->told = true;
	kh_mcp_say_log(&x->call, KH_RPC_NOTICE,
		       kh_arena_printf(&x->arena, "this call waits for a human: approval %s", x->call.approval));
	if (!can_show(x) || was_told(x->peer, x->call.approval))
		return false;
	if (kh_rpc_version_is_stateless(x->call.version)) {
		end_with_input(x, answer);
		return true;
	}
	/* The client's response is not waited for: the call waits as long as it would have waited anyway. */
	if (x->call.version >= KH_MCP_2025_06_18)
		(void)kh_mcp_asked_send(x, x->call.doc, "elicitation/create", parameters(x));
	return false;
}

/* --- request states ----------------------------------------------------------------------------------------------- */

enum kh_err kh_mcp_elicit_bind(struct kh_mcp_exchange *x)
{
	struct kh_view text = KH_LIT("{}");

	if (x->has_digest || !kh_rpc_version_is_stateless(x->call.version))
		return KH_OK;
	enum kh_err e = x->bound != NULL ? kh_canonical_json(&x->arena, x->bound, &text, &x->err) : KH_OK;
	if (e != KH_OK)
		return e;
	x->digest = kh_canonical_digest(text);
	x->has_digest = true;
	return KH_OK;
}

static enum kh_err bond_of(struct kh_mcp_exchange *x, struct kh_mcp_state_bond *ret_bond)
{
	enum kh_err e = kh_mcp_elicit_bind(x);

	*ret_bond = (struct kh_mcp_state_bond){
		.token = x->peer->token,
		.method = kh_view_str(x->method->name),
		.name = x->tool != NULL ? kh_view_str(x->tool->name) : KH_LIT(""),
		.arguments = x->digest,
	};
	return e;
}

enum kh_err kh_mcp_elicit_required(struct kh_mcp_exchange *x, yyjson_mut_val *inputs, char kind, struct kh_view payload,
				   yyjson_mut_val **ret_result)
{
	yyjson_mut_doc *doc = x->call.doc;
	yyjson_mut_val *result = yyjson_mut_obj(doc);
	struct kh_mcp_state_bond bond;
	struct kh_view text, plain = kh_arena_printf(&x->arena, "%c%.*s", kind, KH_FMT(payload));
	enum kh_err e = plain.p != NULL ? bond_of(x, &bond) : KH_ENOMEM;

	if (e == KH_OK)
		e = kh_mcp_state_seal(x->peer->mcp, &x->arena, &bond, plain, &text, &x->err);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(doc, result, "resultType", "input_required");
	yyjson_mut_obj_add_val(doc, result, "inputRequests", inputs);
	kh_json_add(doc, result, "requestState", text);
	*ret_result = result;
	return KH_OK;
}

static enum kh_err take_state(struct kh_mcp_exchange *x, yyjson_val *state)
{
	struct kh_mcp_state_bond bond;
	struct kh_view plain;

	if (!yyjson_is_str(state))
		return kh_error_set(&x->err, KH_EINPUT, "bad_params", "params.requestState is a string");
	enum kh_err e = bond_of(x, &bond);
	if (e == KH_OK)
		e = kh_mcp_state_open(x->peer->mcp, &x->arena, &bond, kh_json_str(state), &plain, &x->err);
	if (e != KH_OK)
		return e;
	if (plain.n > 1 && plain.n <= KH_ASKING_ID && plain.p[0] == KH_MCP_ELICIT_APPROVAL)
		memcpy(x->call.resume, plain.p + 1, plain.n - 1); /* it is shorter than PLAIN by the NUL */
	else
		x->call.state = kh_view_from(plain, 1);
	return KH_OK;
}

enum kh_err kh_mcp_elicit_resume(struct kh_mcp_exchange *x, yyjson_val *params)
{
	yyjson_val *inputs = kh_json_get(params, "inputResponses"), *state = kh_json_get(params, "requestState");

	if (inputs != NULL && !yyjson_is_obj(inputs))
		return kh_error_set(&x->err, KH_EINPUT, "bad_params", "params.inputResponses is an object");
	x->call.inputs = inputs;
	return state != NULL ? take_state(x, state) : KH_OK;
}
