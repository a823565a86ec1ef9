/* Requests to clients: a list that each peer has, under its lock. */
#include "mcp/asked.h"

#include <stdio.h>

struct kh_mcp_asked {
	struct kh_mcp_asked *next;
	uint64_t id;
	struct kh_mcp_exchange *exchange;
	char *response; /* JSON; NULL until it has come */
	size_t response_n;
};

/* Returns the link to the entry of ID; it points to NULL if there is none. */
static struct kh_mcp_asked **find(struct kh_mcp_peer *peer, uint64_t id)
{
	struct kh_mcp_asked **at = &peer->asked;

	while (*at != NULL && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

static void release(const struct kh_alloc *alloc, struct kh_mcp_asked **at)
{
	struct kh_mcp_asked *entry = *at;

	*at = entry->next;
	kh_alloc_free(alloc, entry->response, entry->response_n);
	kh_alloc_free(alloc, entry, sizeof(*entry));
}

static bool add(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;
	struct kh_mcp_asked *entry = kh_alloc_zero(peer->mcp->alloc, sizeof(*entry));

	if (entry == NULL)
		return false;
	pthread_mutex_lock(&peer->lock);
	entry->id = x->asked = ++peer->next_id;
	entry->exchange = x;
	entry->next = peer->asked;
	peer->asked = entry;
	pthread_mutex_unlock(&peer->lock);
	return true;
}

bool kh_mcp_asked_send(struct kh_mcp_exchange *x, yyjson_mut_doc *doc, const char *method, yyjson_mut_val *params)
{
	char id[24];
	struct kh_view text;

	if (x->asked != 0 || kh_rpc_version_is_stateless(x->call.version) || !add(x))
		return false;
	int n = snprintf(id, sizeof(id), "%llu", (unsigned long long)x->asked);
	if (kh_rpc_call(&x->arena, doc, kh_view_of(id, (size_t)n), method, params, &text) == KH_OK) {
		kh_mcp_exchange_send(x, text);
		return true;
	}
	pthread_mutex_lock(&x->peer->lock);
	kh_mcp_asked_forget(x);
	pthread_mutex_unlock(&x->peer->lock);
	return false;
}

/* Returns the response as a text of its own: {"result":...} or {"error":...}. */
static struct kh_view text_of(const struct kh_rpc *rpc, struct kh_arena *arena)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text = {NULL, 0};

	yyjson_mut_obj_add_val(doc, root, rpc->result != NULL ? "result" : "error",
			       yyjson_val_mut_copy(doc, rpc->result != NULL ? rpc->result : rpc->error));
	if (kh_json_write(arena, root, &text) != KH_OK)
		return (struct kh_view){NULL, 0};
	return text;
}

void kh_mcp_asked_respond(struct kh_mcp_peer *peer, const struct kh_rpc *rpc, struct kh_arena *arena)
{
	struct kh_view text = text_of(rpc, arena);
	int64_t id;

	if (text.n == 0 || rpc->id == NULL || !kh_json_int(rpc->id, &id))
		return;
	pthread_mutex_lock(&peer->lock);
	struct kh_mcp_asked *entry = *find(peer, (uint64_t)id);
	if (entry != NULL && entry->response == NULL) {
		entry->response = kh_alloc_zero(peer->mcp->alloc, text.n);
		if (entry->response != NULL) {
			memcpy(entry->response, text.p, text.n);
			entry->response_n = text.n;
			kh_works_wake(&entry->exchange->work);
		}
	}
	pthread_mutex_unlock(&peer->lock);
}

yyjson_val *kh_mcp_asked_take(struct kh_mcp_exchange *x, struct kh_arena *arena)
{
	struct kh_mcp_peer *peer = x->peer;
	yyjson_val *root = NULL;

	if (x->asked == 0)
		return NULL;
	pthread_mutex_lock(&peer->lock);
	struct kh_mcp_asked **at = find(peer, x->asked);
	if (*at != NULL && (*at)->response != NULL) {
		if (kh_json_read(arena, kh_view_of((*at)->response, (*at)->response_n), &root, NULL) != KH_OK)
			root = NULL; /* out of memory: the arena is marked */
		release(peer->mcp->alloc, at);
		x->asked = 0;
	}
	pthread_mutex_unlock(&peer->lock);
	return root;
}

void kh_mcp_asked_withdraw(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;

	pthread_mutex_lock(&peer->lock);
	const struct kh_mcp_asked *entry = *find(peer, x->asked);
	bool waits = entry != NULL && entry->response == NULL;
	pthread_mutex_unlock(&peer->lock);
	if (!waits)
		return;
	yyjson_mut_val *params = yyjson_mut_obj(x->call.doc);
	yyjson_mut_obj_add_uint(x->call.doc, params, "requestId", x->asked);
	yyjson_mut_obj_add_str(x->call.doc, params, "reason", "the call has ended");
	kh_mcp_exchange_notify(x, "notifications/cancelled", params);
}

void kh_mcp_asked_forget(struct kh_mcp_exchange *x)
{
	struct kh_mcp_asked **at = find(x->peer, x->asked);

	if (*at != NULL)
		release(x->peer->mcp->alloc, at);
	x->asked = 0;
}
