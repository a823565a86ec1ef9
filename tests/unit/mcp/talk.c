/* A transport that keeps everything, and a client's words. */
#include "talk.h"

#include "mcp/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE 60 /* seconds until something that must come has not come */

static void keep(struct kh_mcp_exchange *x, struct kh_view message, bool last)
{
	struct kh_talk *talk = x->peer->ctx;
	char *copy = malloc(message.n + 1);

	if (copy == NULL)
		abort();
	if (message.n > 0)
		memcpy(copy, message.p, message.n);
	pthread_mutex_lock(&talk->lock);
	if (talk->count == KH_TALK_MOST)
		abort();
	talk->messages[talk->count++] = (struct kh_talk_message){
		.text = kh_view_of(copy, message.n),
		.last = last,
		.status = x->status,
		.exchange = (uintptr_t)x->ctx,
	};
	if (last)
		kh_mcp_exchange_free(x);
	pthread_cond_broadcast(&talk->came);
	pthread_mutex_unlock(&talk->lock);
}

const struct kh_mcp_transport kh_talk_transport = {.send = keep};

struct kh_talk *kh_talk_open(struct kh_test *t, const char *policy, int64_t wait, struct kh_view approvals)
{
	struct kh_talk *talk = calloc(1, sizeof(*talk));
	struct kh_gateway_settings settings = {.threads = 4, .wait = wait};
	struct kh_error err = {0};

	assert_non_null(talk);
	talk->f = kh_fixture_open(t, policy);
	settings.engine = talk->f->engine;
	pthread_mutex_init(&talk->lock, NULL);
	pthread_cond_init(&talk->came, NULL);
	assert_int_equal(kh_gateway_new(&settings, &talk->gateway, &err), KH_OK);
	const struct kh_mcp_part part = kh_mcp_methods_part();
	struct kh_mcp_settings mcp = {
		.gateway = talk->gateway, .parts = &part, .part_count = 1, .approvals = approvals};
	assert_int_equal(kh_mcp_new(&mcp, &talk->mcp, &err), KH_OK);
	talk->peer = kh_talk_peer(talk, talk->f->controller);
	return talk;
}

void kh_talk_close(struct kh_talk *talk)
{
	kh_mcp_exchange_cancel_all(talk->peer);
	kh_mcp_peer_drop(talk->peer);
	assert_true(kh_gateway_stop(talk->gateway, PATIENCE * INT64_C(1000000)));
	kh_mcp_free(talk->mcp);
	kh_gateway_free(talk->gateway);
	for (size_t i = 0; i < talk->count; i++)
		free((char *)(uintptr_t)talk->messages[i].text.p);
	pthread_cond_destroy(&talk->came);
	pthread_mutex_destroy(&talk->lock);
	free(talk);
}

struct kh_mcp_peer *kh_talk_peer(struct kh_talk *talk, struct kh_view token)
{
	struct kh_mcp_peer *peer = kh_mcp_peer_new(talk->mcp, &kh_talk_transport, talk,
						   kh_token_read(talk->f->engine, token), NULL);

	assert_non_null(peer);
	return peer;
}

uintptr_t kh_talk_send(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *message)
{
	uintptr_t number = ++talk->exchanges;

	assert_non_null(kh_mcp_take(peer, (void *)number, kh_view_str(message), talk->headers));
	return number;
}

/* The N-th message of an exchange, or, LAST, its last; NULL where it has not come.  The lock is held. */
static const struct kh_talk_message *find(const struct kh_talk *talk, uintptr_t exchange, size_t n, bool last)
{
	for (size_t i = 0; i < talk->count; i++) {
		if (talk->messages[i].exchange == exchange && (last ? talk->messages[i].last : n-- == 0))
			return &talk->messages[i];
	}
	return NULL;
}

static const struct kh_talk_message *await(struct kh_talk *talk, uintptr_t exchange, size_t n, bool last)
{
	const struct kh_talk_message *message;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	pthread_mutex_lock(&talk->lock);
	while ((message = find(talk, exchange, n, last)) == NULL) {
		if (pthread_cond_timedwait(&talk->came, &talk->lock, &until) != 0)
			break;
	}
	pthread_mutex_unlock(&talk->lock);
	if (message == NULL)
		fail_msg("exchange %lu said nothing", (unsigned long)exchange);
	return message;
}

const struct kh_talk_message *kh_talk_last(struct kh_talk *talk, uintptr_t exchange)
{
	return await(talk, exchange, 0, true);
}

const struct kh_talk_message *kh_talk_nth(struct kh_talk *talk, uintptr_t exchange, size_t n)
{
	return await(talk, exchange, n, false);
}

size_t kh_talk_count(struct kh_talk *talk, uintptr_t exchange)
{
	size_t n = 0;

	pthread_mutex_lock(&talk->lock);
	for (size_t i = 0; i < talk->count; i++)
		n += talk->messages[i].exchange == exchange;
	pthread_mutex_unlock(&talk->lock);
	return n;
}

yyjson_val *kh_talk_ask(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *message)
{
	const struct kh_talk_message *last = kh_talk_last(talk, kh_talk_send(talk, peer, message));

	return last->text.n > 0 ? kh_fixture_json(talk->f, last->text) : NULL;
}

unsigned kh_talk_status(struct kh_talk *talk)
{
	return kh_talk_last(talk, talk->exchanges)->status;
}

void kh_talk_begin(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *version, const char *capabilities)
{
	struct kh_view message = kh_arena_printf(&talk->f->arena,
						 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
						 "\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":{"
						 "\"name\":\"test\",\"version\":\"1\"}}}",
						 version, capabilities);
	yyjson_val *answer = kh_talk_ask(talk, peer, message.p);

	assert_view(kh_talk_text(answer, "result.protocolVersion"), version);
	assert_null(kh_talk_ask(talk, peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"));
}

const char *kh_talk_tool(struct kh_talk *talk, int id, const char *tool, const char *arguments, const char *extra)
{
	return kh_arena_printf(&talk->f->arena,
			       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
			       "\"arguments\":%s%s}}",
			       id, tool, arguments, extra)
		.p;
}

const char *kh_talk_modern(struct kh_talk *talk, int id, const char *method, const char *params,
			   const char *capabilities)
{
	return kh_arena_printf(&talk->f->arena,
			       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s\"_meta\":{"
			       "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
			       "\"io.modelcontextprotocol/clientCapabilities\":%s}}}",
			       id, method, params, params[0] != '\0' ? "," : "", capabilities)
		.p;
}

yyjson_val *kh_talk_at(yyjson_val *root, const char *path)
{
	struct kh_view rest = kh_view_str(path), name;
	int64_t index;

	while (root != NULL && kh_view_split(&rest, '.', &name)) {
		if (yyjson_is_arr(root))
			root = kh_view_int(name, &index) ? yyjson_arr_get(root, (size_t)index) : NULL;
		else
			root = yyjson_obj_getn(root, name.p, name.n);
	}
	return root;
}

struct kh_view kh_talk_text(yyjson_val *root, const char *path)
{
	return kh_json_str(kh_talk_at(root, path));
}

int kh_talk_code(yyjson_val *answer)
{
	return (int)yyjson_get_sint(kh_talk_at(answer, "error.code"));
}
