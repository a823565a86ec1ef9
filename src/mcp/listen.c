/* Open subscriptions: a list that the server has, under its lock. */
#include "mcp/listen.h"

#define SUBSCRIPTION KH_RPC_META "subscriptionId"

static const struct {
	unsigned bit;
	const char *member, *method;
} lists[] = {
	{KH_MCP_CHANGED_TOOLS, "toolsListChanged", "notifications/tools/list_changed"},
	{KH_MCP_CHANGED_PROMPTS, "promptsListChanged", "notifications/prompts/list_changed"},
	{KH_MCP_CHANGED_RESOURCES, "resourcesListChanged", "notifications/resources/list_changed"},
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

static yyjson_mut_val *stamp(struct kh_mcp_exchange *x, yyjson_mut_val *obj)
{
	yyjson_mut_doc *doc = x->call.doc;
	yyjson_mut_val *meta = yyjson_mut_obj_add_obj(doc, obj, "_meta");

	yyjson_mut_obj_add_val(doc, meta, SUBSCRIPTION, yyjson_mut_rawn(doc, x->id, x->id_n));
	return obj;
}

static void begin(struct kh_mcp_exchange *x, yyjson_val *wishes)
{
	struct kh_mcp *mcp = x->peer->mcp;
	yyjson_mut_doc *doc = x->call.doc;
	yyjson_mut_val *params = stamp(x, yyjson_mut_obj(doc)), *granted;
	unsigned filter = 0;

	granted = yyjson_mut_obj_add_obj(doc, params, "notifications");
	for (size_t i = 0; i < LISTS; i++) {
		if (yyjson_is_true(kh_json_get(wishes, lists[i].member)) && (mcp->offer.changes & lists[i].bit)) {
			filter |= lists[i].bit;
			yyjson_mut_obj_add_true(doc, granted, lists[i].member);
		}
	}
	kh_mcp_exchange_notify(x, "notifications/subscriptions/acknowledged", params);
	if (filter == 0)
		return;
	pthread_mutex_lock(&mcp->lock);
	x->listens.filter = filter;
	x->listens.next = mcp->listens;
	if (mcp->listens != NULL)
		mcp->listens->listens.prev = x;
	mcp->listens = x;
	pthread_mutex_unlock(&mcp->lock);
}

void kh_mcp_listen_end(struct kh_mcp_exchange *x)
{
	struct kh_mcp *mcp = x->peer->mcp;

	pthread_mutex_lock(&mcp->lock);
	if (x->listens.prev != NULL)
		x->listens.prev->listens.next = x->listens.next;
	else
		mcp->listens = x->listens.next;
	if (x->listens.next != NULL)
		x->listens.next->listens.prev = x->listens.prev;
	x->listens.filter = 0;
	pthread_mutex_unlock(&mcp->lock);
}

void kh_mcp_listen_changed(struct kh_mcp *mcp, unsigned what)
{
	pthread_mutex_lock(&mcp->lock);
	for (struct kh_mcp_exchange *x = mcp->listens; x != NULL; x = x->listens.next) {
		x->listens.changed |= what & x->listens.filter;
		if (x->listens.changed != 0)
			kh_works_wake(&x->work);
	}
	pthread_mutex_unlock(&mcp->lock);
}

static void tell(struct kh_mcp_exchange *x)
{
	struct kh_mcp *mcp = x->peer->mcp;

	pthread_mutex_lock(&mcp->lock);
	unsigned changed = x->listens.changed;
	x->listens.changed = 0;
	pthread_mutex_unlock(&mcp->lock);
	for (size_t i = 0; i < LISTS; i++) {
		if (changed & lists[i].bit)
			kh_mcp_exchange_notify(x, lists[i].method, stamp(x, yyjson_mut_obj(x->call.doc)));
	}
}

enum kh_work_next kh_mcp_listen_run(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	struct kh_mcp_exchange *x = call->exchange;

	if (x->listens.filter == 0) {
		yyjson_val *wishes = kh_json_get(call->arguments, "notifications");
		if (!yyjson_is_obj(wishes)) {
			ret_answer->e = kh_error_set(call->err, KH_EINPUT, "bad_params",
						     "params.notifications is an object: what to listen for");
			return KH_WORK_DONE;
		}
		begin(x, wishes);
	}
	tell(x);
	if (x->listens.filter != 0 && !call->stopping)
		return KH_WORK_WAIT;
	ret_answer->result = stamp(x, yyjson_mut_obj(call->doc));
	return KH_WORK_DONE;
}
