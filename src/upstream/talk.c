/*
 * MCP with one upstream server.
 *
 * One thread at a time opens a session; the others wait for it, up to their own time.  What is kept of a session (its
 * number, and what the server said of itself) belongs to the lock `opening`.
 */
#include "upstream/talk.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define KEPT_MAX (1U << 20) /* bytes of what a server says of itself */

struct kh_talk {
	struct kh_talk_settings settings;
	struct kh_pipe *pipe; /* or */
	struct kh_web *web;
	atomic_uint_least64_t ids, changes;

	pthread_mutex_t opening;
	bool is_old; /* it was found to be of the older generation: it is not asked again */
	uint64_t life;
	struct kh_arena arena; /* for: */
	struct kh_manner manner;
};

static void heard(void *context, struct kh_view method)
{
	struct kh_talk *talk = context;

	if (kh_view_eq(method, KH_LIT("notifications/tools/list_changed")))
		atomic_fetch_add(&talk->changes, 1);
}

static void ended(void *context, uint64_t life, const struct kh_server_end *end)
{
	const struct kh_talk_watch *watch = ((const struct kh_talk *)context)->settings.watch;

	if (watch != NULL)
		watch->ended(watch->context, life, end);
}

static void kept(void *context, uint64_t life, const struct kh_server_end *kept)
{
	const struct kh_talk_watch *watch = ((const struct kh_talk *)context)->settings.watch;

	if (watch != NULL)
		watch->kept(watch->context, life, kept);
}

static enum kh_err connect_to(struct kh_talk *talk, struct kh_error *err)
{
	const struct kh_talk_settings *s = &talk->settings;
	struct kh_pipe_settings pipe = {.alloc = s->alloc,
					.servers = s->servers,
					.run = s->run,
					.starts = s->starts,
					.context = talk,
					.heard = heard,
					.ended = ended,
					.kept = kept};
	struct kh_web_settings web = {
		.alloc = s->alloc, .client = s->client, .upstream = s->upstream, .context = talk, .heard = heard};

	return s->run != NULL ? kh_pipe_new(&pipe, &talk->pipe, err) : kh_web_new(&web, &talk->web, err);
}

enum kh_err kh_talk_new(const struct kh_talk_settings *settings, struct kh_talk **ret_talk, struct kh_error *err)
{
	struct kh_talk *talk = kh_alloc_zero(settings->alloc, sizeof(*talk));

	if (talk == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	talk->settings = *settings;
	enum kh_err e = connect_to(talk, err);
	if (e != KH_OK) {
		kh_alloc_free(settings->alloc, talk, sizeof(*talk));
		return e;
	}
	talk->settings.upstream = NULL; /* was copied */
	(void)pthread_mutex_init(&talk->opening, NULL);
	kh_arena_init(&talk->arena, settings->alloc, 4 * KEPT_MAX);
	*ret_talk = talk;
	return KH_OK;
}

void kh_talk_free(struct kh_talk *talk)
{
	if (talk == NULL)
		return;
	kh_pipe_free(talk->pipe);
	kh_web_free(talk->web);
	kh_arena_done(&talk->arena);
	(void)pthread_mutex_destroy(&talk->opening);
	kh_alloc_free(talk->settings.alloc, talk, sizeof(*talk));
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static enum kh_err send_request(struct kh_talk *talk, const struct kh_upstream_request *request, struct kh_arena *arena,
				struct kh_upstream_response *ret_response, uint64_t *ret_life)
{
	/* What nobody waits for any more must have no effect. */
	if (request->until_ms <= kh_clock_ms()) {
		*ret_response = (struct kh_upstream_response){.end = KH_RESPONSE_REFUSED,
							      .code = "upstream_timeout",
							      .why = KH_LIT("its time was over before it was sent")};
		*ret_life = request->life;
		return KH_OK;
	}
	return talk->pipe != NULL ? kh_pipe_ask(talk->pipe, request, arena, ret_response, ret_life)
				  : kh_web_ask(talk->web, request, arena, ret_response, ret_life);
}

static struct kh_view next_id(struct kh_talk *talk, struct kh_arena *arena)
{
	return kh_arena_printf(arena, "%llu", (unsigned long long)atomic_fetch_add(&talk->ids, 1) + 1);
}

enum kh_err kh_talk_ask(struct kh_talk *talk, const struct kh_talk_session *session, const struct kh_talk_asked *asked,
			struct kh_arena *arena, struct kh_upstream_response *ret_response)
{
	struct kh_upstream_request request = {.method = asked->method,
					      .id = next_id(talk, arena),
					      .name = asked->name,
					      .version = session->manner.version,
					      .life = session->life,
					      .until_ms = asked->until_ms};
	/* A list may depend on what we can do; of calls each is told apart. */
	bool elicits = asked->inquiry != NULL || (talk->settings.elicits && asked->name.n == 0);
	uint64_t life;

	/* The newer generation has no requests of the server: it answers with what it needs (inputs.h). */
	if (!kh_rpc_version_is_stateless(request.version))
		request.inquiry = asked->inquiry;
	enum kh_err e = kh_manner_request(arena, asked->doc, request.version, elicits, request.id, asked->method,
					  asked->params, &request.message);
	return e == KH_OK ? send_request(talk, &request, arena, ret_response, &life) : e;
}

uint64_t kh_talk_changes(struct kh_talk *talk)
{
	return atomic_load(&talk->changes);
}

bool kh_talk_recall(struct kh_talk *talk)
{
	return talk->pipe != NULL && kh_pipe_recall(talk->pipe);
}

void kh_talk_stop(struct kh_talk *talk)
{
	if (talk->pipe != NULL)
		kh_pipe_stop(talk->pipe);
	else
		kh_web_stop(talk->web);
}

uint64_t kh_talk_strays(struct kh_talk *talk)
{
	return talk->pipe != NULL ? kh_pipe_strays(talk->pipe) : 0;
}

/* --- the session -------------------------------------------------------------------------------------------------- */

static bool is_open(struct kh_talk *talk)
{
	if (talk->life == 0)
		return false;
	return talk->pipe != NULL ? kh_pipe_is_current(talk->pipe, talk->life)
				  : kh_web_is_current(talk->web, talk->life);
}

struct kh_server_state kh_talk_state(struct kh_talk *talk)
{
	struct kh_server_state state = {.phase = KH_SERVER_DOWN};

	if (talk->pipe != NULL)
		return kh_pipe_state(talk->pipe);
	state.life = kh_web_life(talk->web);
	if (state.life > 0)
		state.phase = KH_SERVER_UP;
	return state;
}

/* An attempt at a session. */
struct attempt {
	struct kh_talk *talk;
	struct kh_arena *arena;
	int64_t until_ms;
	uint64_t life;
	enum kh_manner_next next;
	struct kh_manner manner;
	struct kh_upstream_response response;
};

/* The server's answer cannot be used: WHY. */
static void refuse(struct attempt *a, struct kh_view why)
{
	a->response = (struct kh_upstream_response){.end = KH_RESPONSE_REFUSED, .code = "bad_upstream", .why = why};
}

static size_t size_of(const struct kh_manner *manner)
{
	return kh_tainted_size(manner->name) + kh_tainted_size(manner->title) + kh_tainted_size(manner->said_version) +
	       kh_tainted_size(manner->instructions);
}

static enum kh_err read_first(struct attempt *a, bool is_discover)
{
	struct kh_view why = {NULL, 0};

	enum kh_err e = kh_manner_read(a->arena, a->response.message, is_discover, &a->next, &a->manner, &why);
	if (e == KH_OK && a->next == KH_MANNER_READY && size_of(&a->manner) > KEPT_MAX) {
		a->next = KH_MANNER_UNKNOWN;
		why = KH_LIT("what it says of itself is too long");
	}
	if (e == KH_OK && a->next == KH_MANNER_UNKNOWN)
		refuse(a, why);
	return e;
}

/* True if no answer to a discover may only mean that the server does not know the question. */
static bool may_be_old(const struct attempt *a)
{
	return a->response.end == KH_RESPONSE_LOST &&
	       (strcmp(a->response.code, "upstream_timeout") == 0 || strcmp(a->response.code, "http_failed") == 0);
}

static enum kh_err discover(struct attempt *a)
{
	int64_t probe = kh_clock_ms() + KH_TALK_PROBE_MS;
	struct kh_upstream_request request = {.method = "server/discover",
					      .id = next_id(a->talk, a->arena),
					      .version = KH_MCP_2026_07_28,
					      .until_ms = probe < a->until_ms ? probe : a->until_ms};

	enum kh_err e = kh_manner_discover(a->arena, request.id, &request.message);
	if (e == KH_OK)
		e = send_request(a->talk, &request, a->arena, &a->response, &a->life);
	if (e == KH_OK && a->response.end == KH_RESPONSE_CAME)
		return read_first(a, true);
	a->next = may_be_old(a) ? KH_MANNER_INITIALIZE : KH_MANNER_UNKNOWN;
	/* It may have ended because of the question: the next life is asked in the older generation first. */
	if (e == KH_OK && a->response.end == KH_RESPONSE_LOST && strcmp(a->response.code, "server_gone") == 0)
		a->talk->is_old = true;
	return e;
}

static void tell_initialized(struct attempt *a, struct kh_view message)
{
	bool told = a->talk->pipe != NULL ? kh_pipe_tell(a->talk->pipe, message, a->life)
					  : kh_web_tell(a->talk->web, message, a->life, a->manner.version, a->until_ms);

	if (!told)
		refuse(a, KH_LIT("it ended while it was being initialized"));
}

static enum kh_err initialize(struct attempt *a)
{
	/* The same life over stdio; over HTTP the session begins with this. */
	struct kh_upstream_request request = {.method = "initialize",
					      .id = next_id(a->talk, a->arena),
					      .life = a->talk->pipe != NULL ? a->life : 0,
					      .until_ms = a->until_ms};
	struct kh_view message = {NULL, 0};

	enum kh_err e = kh_manner_initialize(a->arena, request.id, a->talk->settings.elicits, &request.message);
	if (e == KH_OK)
		e = send_request(a->talk, &request, a->arena, &a->response, &a->life);
	if (a->response.end == KH_RESPONSE_LOST)
		a->next = KH_MANNER_UNKNOWN;
	if (e != KH_OK || a->response.end != KH_RESPONSE_CAME)
		return e;
	e = read_first(a, false);
	if (e == KH_OK)
		e = kh_manner_initialized(a->arena, &message);
	if (e == KH_OK && a->response.end == KH_RESPONSE_CAME)
		tell_initialized(a, message);
	return e;
}

static enum kh_err try_session(struct attempt *a)
{
	enum kh_err e = KH_OK;

	a->next = KH_MANNER_INITIALIZE;
	if (!a->talk->is_old)
		e = discover(a);
	if (e != KH_OK || a->next != KH_MANNER_INITIALIZE)
		return e;
	e = initialize(a);
	/* If nothing was sent (it is paused, say), nothing was learnt. */
	if (e == KH_OK && a->next != KH_MANNER_INITIALIZE)
		a->talk->is_old = a->next == KH_MANNER_READY;
	return e;
}

static struct kh_tainted keep(struct kh_arena *arena, struct kh_tainted text)
{
	return kh_tainted_wrap(kh_arena_dup(arena, kh_tainted_open(text)));
}

static struct kh_manner keep_manner(struct kh_arena *arena, const struct kh_manner *from)
{
	struct kh_manner manner = *from;

	manner.name = keep(arena, from->name);
	manner.title = keep(arena, from->title);
	manner.said_version = keep(arena, from->said_version);
	manner.instructions = keep(arena, from->instructions);
	return manner;
}

/* Begins a session.  Called with the lock. */
static enum kh_err begin(struct kh_talk *talk, int64_t until_ms, struct kh_arena *arena,
			 struct kh_upstream_response *ret_response)
{
	struct attempt a = {.talk = talk, .arena = arena, .until_ms = until_ms};

	talk->life = 0;
	enum kh_err e = try_session(&a);
	if (e == KH_OK && a.response.end == KH_RESPONSE_CAME) {
		kh_arena_clear(&talk->arena);
		talk->manner = keep_manner(&talk->arena, &a.manner);
		e = kh_arena_check(&talk->arena);
		talk->life = e == KH_OK ? a.life : 0;
	}
	*ret_response = a.response;
	return e;
}

enum kh_err kh_talk_open(struct kh_talk *talk, int64_t until_ms, struct kh_arena *arena,
			 struct kh_talk_session *ret_session, struct kh_upstream_response *ret_response)
{
	struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};
	enum kh_err e = KH_OK;

	*ret_response = (struct kh_upstream_response){.end = KH_RESPONSE_CAME};
	if (pthread_mutex_clocklock(&talk->opening, CLOCK_MONOTONIC, &until) != 0) {
		*ret_response = (struct kh_upstream_response){.end = KH_RESPONSE_REFUSED,
							      .code = "upstream_timeout",
							      .why = KH_LIT("it was not ready in time")};
		return KH_OK;
	}
	if (!is_open(talk))
		e = begin(talk, until_ms, arena, ret_response);
	if (e == KH_OK && ret_response->end == KH_RESPONSE_CAME)
		*ret_session = (struct kh_talk_session){.life = talk->life,
							.manner = keep_manner(arena, &talk->manner)};
	pthread_mutex_unlock(&talk->opening);
	return e == KH_OK ? kh_arena_check(arena) : e;
}
