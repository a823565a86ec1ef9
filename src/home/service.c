/* Starts and stops the gateway's parts in order. */
#include "home/service.h"

#include "base/diskroom.h"
#include "http/events.h"
#include "http/metrics.h"
#include "mcp/methods.h"
#include "outside/client.h"
#include "upstream/fleet.h"

#include <stdio.h>

#define SECOND   INT64_C(1000000)
#define FAREWELL (2 * SECOND) /* for clients to read their last answers */

/* For /readyz and /metrics. */
static void look(void *ctx, struct kh_gateway_machine *ret_machine)
{
	const struct kh_service *s = ctx;
	struct kh_diskroom room = {0};

	*ret_machine = (struct kh_gateway_machine){.executor = true};
	if (s->home->client != NULL) {
		struct kh_client_state state = kh_client_state(s->home->client);
		ret_machine->executor = state.executor;
		ret_machine->returns = ret_machine->spawner = state.spawner;
		ret_machine->replaced = state.replaced;
		ret_machine->starts = state.starts;
		ret_machine->ends = state.ends;
	}
	if (kh_diskroom_of(s->home->folder.path.p, &room)) {
		ret_machine->store_free = room.free;
		ret_machine->store_low = room.free < room.floor;
	}
	ret_machine->workspace_low = kh_diskroom_is_low(s->workspace.p);
}

/* A human has stopped everything (U8). */
static void halt(void *ctx)
{
	const struct kh_service *s = ctx;

	kh_fleet_halt(s->home->fleet);
}

static void tell(void *ctx, const char *sentence)
{
	(void)ctx;
	fprintf(stderr, "keyhole: %s\n", sentence);
}

static enum kh_err start_gateway(struct kh_service *s, const struct kh_service_settings *settings, struct kh_error *err)
{
	const struct kh_config_gateway *config = &s->home->config->gateway;
	struct kh_mcp_part parts[2];
	size_t count = 0;
	enum kh_err e = kh_gateway_new(
		&(struct kh_gateway_settings){
			.engine = s->home->engine,
			.wait = (int64_t)config->wait_seconds * SECOND,
			.look = look,
			.halt = halt,
			.ctx = s,
		},
		&s->gateway, err);

	if (settings->more != NULL)
		parts[count++] = *settings->more;
	parts[count++] = kh_mcp_methods_part();
	if (e == KH_OK)
		e = kh_mcp_new(
			&(struct kh_mcp_settings){
				.gateway = s->gateway, .parts = parts, .part_count = count, .approvals = settings->url},
			&s->mcp, err);
	if (e == KH_OK)
		e = kh_mcp_lines_new(s->mcp, &s->lines, err);
	return e;
}

static enum kh_err new_http(struct kh_service *s, const struct kh_service_http *http, struct kh_error *err)
{
	const struct kh_config_gateway *config = &s->home->config->gateway;
	enum kh_err e = kh_http_new(
		&(struct kh_http_settings){
			.gateway = s->gateway,
			.listen = http->sockets->http,
			.listens = http->sockets->https,
			.tls_certificate = http->certificate.n > 0 ? http->certificate.p : NULL,
			.tls_key = http->key.n > 0 ? http->key.p : NULL,
			.hosts = config->hosts.at,
			.host_count = config->hosts.n,
			.origins = config->origins.at,
			.origin_count = config->origins.n,
			.connections = (unsigned)config->connections,
		},
		&s->http, err);

	for (size_t i = 0; e == KH_OK && i < http->sockets->https; i++)
		http->sockets->http[i] = -1; /* the server owns it now */
	return e;
}

/* Adds the routes for operators: health, metrics, recorded events. */
static enum kh_err add_operators(struct kh_service *s, struct kh_error *err)
{
	const struct kh_http_health_settings settings = {.gateway = s->gateway};
	enum kh_err e = kh_http_health_new(&settings, &s->health, err);

	if (e == KH_OK)
		e = kh_http_health_add(s->health, s->http, err);
	if (e == KH_OK)
		e = kh_http_metrics_add(s->http, err);
	return e == KH_OK ? kh_http_events_add(s->http, err) : e;
}

static enum kh_err start_http(struct kh_service *s, const struct kh_service_http *http, struct kh_error *err)
{
	const struct kh_http_mcp_settings endpoint = {.gateway = s->gateway, .mcp = s->mcp};
	enum kh_err e = new_http(s, http, err);

	if (e == KH_OK)
		e = add_operators(s, err);
	if (e == KH_OK)
		e = kh_rest_new(&kh_alloc_system, &s->rest, err);
	if (e == KH_OK)
		e = kh_rest_add(s->rest, s->http, err);
	if (e == KH_OK)
		e = kh_http_mcp_new(&endpoint, &s->endpoint, err);
	if (e == KH_OK)
		e = kh_http_mcp_add(s->endpoint, s->http, err);
	return e == KH_OK ? kh_http_start(s->http, err) : e;
}

/* Frees everything, when nothing runs any more. */
static void free_all(struct kh_service *s)
{
	kh_signer_stop(s->signer);
	kh_http_free(s->http);
	kh_http_health_free(s->health);
	kh_http_mcp_free(s->endpoint);
	kh_rest_free(s->rest);
	kh_mcp_lines_free(s->lines);
	kh_mcp_free(s->mcp);
	kh_gateway_free(s->gateway);
	*s = (struct kh_service){0};
}

enum kh_err kh_service_start(struct kh_service *service, struct kh_home *home,
			     const struct kh_service_settings *settings, struct kh_error *err)
{
	const struct kh_service_http *http = settings->http;

	*service = (struct kh_service){.home = home,
				       .workspace = kh_folder_file(&home->folder, &home->arena, KH_FOLDER_WORKSPACE)};
	atomic_store(&service->config, home->config);
	if (service->workspace.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	enum kh_err e = kh_signer_start(&home->checkpoints, &service->config, &service->signer, err);
	if (e == KH_OK)
		kh_store_keep_room(home->store);
	if (e == KH_OK && home->client != NULL)
		e = kh_client_replace(home->client, tell, NULL, err);
	if (e == KH_OK)
		e = start_gateway(service, settings, err);
	if (e == KH_OK && http != NULL && http->sockets->https > 0)
		e = start_http(service, http, err);
	if (e == KH_OK && http != NULL) {
		e = kh_mcp_lines_listen(service->lines, http->sockets->relay, err);
		http->sockets->relay = -1; /* the lines own it now */
	}
	if (e != KH_OK && (service->gateway == NULL || kh_gateway_stop(service->gateway, 10 * SECOND)))
		free_all(service);
	return e;
}

enum kh_err kh_service_reload(struct kh_service *service, struct kh_error *err)
{
	enum kh_err e = kh_home_reload(service->home, err);

	if (e == KH_OK)
		atomic_store(&service->config, service->home->config);
	return e;
}

bool kh_service_stop(struct kh_service *service)
{
	const struct kh_config *config = atomic_load(&service->config);

	if (service->http != NULL)
		kh_http_quiesce(service->http);
	kh_mcp_lines_quiesce(service->lines);
	int64_t timeout = (int64_t)config->gateway.stop_seconds * SECOND;
	if (!kh_gateway_stop(service->gateway, timeout))
		return false;
	/* Nothing runs any more.  A client that does not read its last answers in this time loses them. */
	(void)!kh_mcp_lines_stop(service->lines, timeout < FAREWELL ? timeout : FAREWELL);
	free_all(service);
	return true;
}

static enum kh_err nothing(struct kh_txn *txn, void *arg)
{
	(void)txn;
	(void)arg;
	return KH_OK;
}

bool kh_service_is_alive(struct kh_service *service)
{
	struct kh_gateway_machine machine = kh_gateway_machine(service->gateway);
	struct kh_error err;

	/* An executor that is being replaced needs no restart of the gateway. */
	return (machine.executor || machine.returns) &&
	       kh_store_read(service->home->store, nothing, NULL, &err) == KH_OK;
}
