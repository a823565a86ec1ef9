/*
 * A server over Streamable HTTP.
 *
 * The lock guards the session: its number and its id.  An id is the server's own word, so it is taken only if it is short
 * and made of visible characters, and it goes back to that server alone.
 */
#include "upstream/web.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "upstream/inquiry.h"
#include "upstream/manner.h"
#include "upstream/opening.h"
#include "upstream/webheader.h"
#include "wire/header.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

#define SESSION_MAX 256
#define TELL_MS     10000
#define LEAVE_MS    2000
#define REPLY_MAX   1024
#define REPLIES     8     /* to requests of the server, on their way at once */
#define REPLY_MS    1000  /* from the beginning of one on, for which it is waited for */
#define TURN_MS     20    /* how often those on their way are looked at */
#define RESUMES     3     /* how often a stream that broke is asked for again */
#define RETRY_MS    1000  /* until then, if the server does not say */
#define RETRY_MOST  10000 /* a server that wants it later than that is not asked */

struct kh_web {
	struct kh_web_settings settings;
	struct kh_caller *caller;
	uint64_t longest; /* bytes of a message */
	pthread_mutex_t lock;
	uint64_t lives; /* that have begun */
	bool is_over;   /* the last one is */
	bool is_stopped;
	size_t session_n; /* bytes of its id; 0: it has none */
	char session[SESSION_MAX];
	enum kh_rpc_version version; /* that was last spoken in it */
};

/* The reply to a request of the server, on its way. */
struct reply {
	struct kh_caller_call *call; /* NULL: none */
	int64_t until_ms;            /* until then it is waited for */
	char text[REPLY_MAX];
};

/* What is known of one response while it comes. */
struct heard {
	struct kh_web *web;
	const struct kh_upstream_request *request;
	struct kh_arena *arena;
	uint64_t life;
	unsigned status;
	bool has_session;  /* the request went out with an id of a session */
	struct kh_view id; /* that the server gave this one */
	struct kh_upstream_response response;
	struct reply replies[REPLIES];
	size_t oldest;        /* the next place of them */
	struct kh_view asked; /* the id of the elicitation that a human is asked for; empty: none */
	/* of a stream: where it can be continued */
	char mark[KH_MESSAGE_PLACE];
	size_t mark_n; /* bytes of the id; 0: nowhere */
	uint64_t retry_ms;
	unsigned resumes; /* how often it was */
};

enum kh_err kh_web_new(const struct kh_web_settings *settings, struct kh_web **ret_web, struct kh_error *err)
{
	struct kh_web *web = kh_alloc_zero(settings->alloc, sizeof(*web));

	if (web == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	web->settings = *settings;
	web->is_over = true;
	web->longest = settings->upstream->message > 0 ? settings->upstream->message : KH_UPSTREAM_MESSAGE;
	enum kh_err e = kh_caller_new(settings->alloc, settings->client, settings->upstream, &web->caller, err);
	if (e != KH_OK) {
		kh_alloc_free(settings->alloc, web, sizeof(*web));
		return e;
	}
	(void)pthread_mutex_init(&web->lock, NULL);
	*ret_web = web;
	return KH_OK;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

static void add_header(struct kh_upstream_ask *ask, struct kh_arena *arena, const char *name, struct kh_view value)
{
	if (value.n > 0 && ask->headers < KH_REQUEST_HEADERS)
		ask->header[ask->headers++] = kh_arena_printf(arena, "%s: %.*s", name, KH_FMT(value));
}

/* The header of the session LIFE; false if that is over.  0: there is none yet. */
static bool add_session(struct kh_web *web, struct kh_upstream_ask *ask, struct kh_arena *arena, uint64_t life,
			enum kh_rpc_version version)
{
	pthread_mutex_lock(&web->lock);
	bool is_current = life == 0 || (life == web->lives && !web->is_over);
	if (life > 0 && is_current)
		add_header(ask, arena, "Mcp-Session-Id", kh_view_of(web->session, web->session_n));
	if (life > 0 && is_current && version != KH_MCP_NONE)
		web->version = version;
	pthread_mutex_unlock(&web->lock);
	return is_current;
}

/* What the newer generation repeats of the message, and what both have. */
static void add_version(struct kh_upstream_ask *ask, struct kh_arena *arena, const struct kh_upstream_request *request)
{
	if (request->version == KH_MCP_NONE)
		return;
	add_header(ask, arena, "MCP-Protocol-Version", kh_view_str(kh_rpc_version_name(request->version)));
	if (kh_rpc_version_is_stateless(request->version)) {
		add_header(ask, arena, "Mcp-Method", kh_view_str(request->method));
		add_header(ask, arena, "Mcp-Name", kh_webheader_value(arena, request->name));
	}
}

static uint64_t left_of(int64_t until_ms)
{
	int64_t left = until_ms - kh_clock_ms();

	return left < 1 ? 1 : (uint64_t)left;
}

/* Begins the call that carries REQUEST; NULL: *RESPONSE says why not. */
static struct kh_caller_call *begin(struct kh_web *web, const struct kh_upstream_request *request,
				    struct kh_arena *arena, bool *ret_has_session,
				    struct kh_upstream_response *response)
{
	struct kh_upstream_ask ask = {.method = KH_METHOD_POST, .wall_ms = left_of(request->until_ms)};
	struct kh_error err = {.detail = ""};
	struct kh_caller_call *call = NULL;

	add_version(&ask, arena, request);
	size_t before = ask.headers;
	if (!add_session(web, &ask, arena, request->life, request->version)) {
		response->end = KH_RESPONSE_OVER;
		response->code = "server_over";
		response->why = KH_LIT("the session that it was for is over");
		return NULL;
	}
	*ret_has_session = ask.headers > before;
	if (kh_arena_check(arena) != KH_OK)
		return NULL;
	if (kh_caller_begin(web->caller, &ask, request->message, &call, &err) != KH_OK) {
		response->end = KH_RESPONSE_REFUSED;
		response->code = err.code;
		response->why = kh_arena_printf(arena, "%s", err.detail);
	}
	return call;
}

/* Begins to send MESSAGE, a notification or a reply, in the session LIFE.  NULL: that is over, or it cannot be sent. */
static struct kh_caller_call *begin_tell(struct kh_web *web, struct kh_view message, uint64_t life,
					 enum kh_rpc_version version, int64_t until_ms)
{
	struct kh_upstream_request request = {
		.method = "", .message = message, .version = version, .life = life, .until_ms = until_ms};
	struct kh_upstream_response response;
	struct kh_arena arena;
	bool has_session;

	kh_arena_init(&arena, web->settings.alloc, 64U << 10);
	struct kh_caller_call *call = begin(web, &request, &arena, &has_session, &response);
	kh_arena_done(&arena);
	return call;
}

/* --- replies ------------------------------------------------------------------------------------------------------ */

/*
 * A server may ask for something in the middle of its response, and each reply is a POST of its own.  A server need not
 * take that POST, or end its answer to it, before it goes on with its response.  So replies are on their way while the
 * response is read, and nobody reads what they are answered with.
 */

/* Looks after REPLY, waiting up to WAIT_MS for what comes of it. */
static void see_to(struct reply *reply, int wait_ms)
{
	struct kh_caller_event event;

	kh_caller_next(reply->call, wait_ms, &event);
	if (event.kind == KH_CALLER_NOTHING || event.kind == KH_CALLER_HEAD)
		return;
	kh_caller_end(reply->call);
	reply->call = NULL;
}

/* Looks after all replies; true if one is still on its way. */
static bool see_to_all(struct heard *heard)
{
	bool some = false;

	for (size_t i = 0; i < REPLIES; i++) {
		if (heard->replies[i].call != NULL)
			see_to(&heard->replies[i], 0);
		some |= heard->replies[i].call != NULL;
	}
	return some;
}

/* Ends REPLY, which is given its time to get there. */
static void end_reply(struct reply *reply)
{
	while (reply->call != NULL && kh_clock_ms() < reply->until_ms)
		see_to(reply, (int)left_of(reply->until_ms));
	if (reply->call != NULL)
		kh_caller_end(reply->call);
	reply->call = NULL;
}

static void end_replies(struct heard *heard)
{
	for (size_t i = 0; i < REPLIES; i++)
		end_reply(&heard->replies[i]);
}

/* The next place for a reply.  If too many are on their way, the oldest one has to end first. */
static struct reply *next_reply(struct heard *heard)
{
	struct reply *reply = &heard->replies[heard->oldest++ % REPLIES];

	end_reply(reply);
	return reply;
}

/* Sends TEXT, which lives as long as what is heard. */
static void send_reply(struct heard *heard, struct reply *reply, struct kh_view text)
{
	int64_t until = heard->request->until_ms;

	reply->call = begin_tell(heard->web, text, heard->life, heard->request->version, until);
	reply->until_ms = kh_clock_ms() + REPLY_MS;
	if (until < reply->until_ms)
		reply->until_ms = until;
}

/* Has a human asked for what the server wants to know during this call; false: it is declined. */
static bool ask_human(struct heard *heard, const struct kh_opening *opening)
{
	struct kh_inquiry *inquiry = heard->request->inquiry;

	if (inquiry == NULL || heard->asked.n > 0 || !kh_manner_is_elicitation(opening->method) ||
	    opening->params.n > KH_ELICITATION_PARAMS || !kh_inquiry_begin(inquiry, kh_tainted_wrap(opening->params)))
		return false;
	heard->asked = kh_arena_dup(heard->arena, opening->id);
	return true;
}

/* The server asks for something: OPENING. */
static void answer_back(struct heard *heard, const struct kh_opening *opening)
{
	if (ask_human(heard, opening))
		return;
	struct reply *reply = next_reply(heard);
	send_reply(heard, reply, kh_manner_reply(opening->id, opening->method, reply->text, sizeof(reply->text)));
}

/* Answers the elicitation that a human was asked for, if he has decided. */
static void see_to_asked(struct heard *heard)
{
	struct kh_view result;

	if (heard->asked.n == 0 || !kh_inquiry_look(heard->request->inquiry, heard->arena, &result))
		return;
	send_reply(heard, next_reply(heard), kh_manner_answer(heard->arena, heard->asked, result));
	heard->asked = (struct kh_view){NULL, 0};
}

/* --- the response ------------------------------------------------------------------------------------------------- */

/* True if the status alone says what has become of the request, whatever the body is. */
static bool is_by_status(const struct heard *heard)
{
	return heard->status == 401 || heard->status == 403 || (heard->status == 404 && heard->has_session);
}

/* One message; true if it is the response. */
static bool take_message(struct heard *heard, struct kh_tainted message)
{
	const struct kh_web_settings *settings = &heard->web->settings;
	struct kh_view line = kh_view_trim(kh_tainted_open(message));
	struct kh_opening opening;

	if (is_by_status(heard) || !kh_opening_read(line, &opening))
		return false;
	if (opening.kind == KH_RPC_REQUEST)
		answer_back(heard, &opening);
	else if (opening.kind == KH_RPC_NOTIFICATION && settings->heard != NULL)
		settings->heard(settings->context, opening.method);
	/* An error without an id answers the one request that this POST had. */
	if (opening.kind != KH_RPC_RESPONSE || (opening.id.n > 0 && !kh_view_eq(opening.id, heard->request->id)))
		return false;
	heard->response.end = KH_RESPONSE_CAME;
	heard->response.message = kh_tainted_wrap(kh_arena_dup(heard->arena, line));
	return true;
}

static void take_head(struct heard *heard, const struct kh_caller_event *event)
{
	struct kh_view id;

	heard->status = event->status;
	if (!kh_header_find(kh_tainted_open(event->headers), KH_LIT("mcp-session-id"), &id) || id.n > SESSION_MAX)
		return;
	for (size_t i = 0; i < id.n; i++) {
		if (id.p[i] <= ' ' || id.p[i] > '~')
			return;
	}
	heard->id = kh_arena_dup(heard->arena, id);
}

/* The stream can be continued behind what has come. */
static void take_mark(struct heard *heard, const struct kh_caller_event *event)
{
	struct kh_view mark = kh_view_trim(kh_tainted_open(event->mark));

	if (mark.n > 0 && mark.n <= sizeof(heard->mark)) {
		memcpy(heard->mark, mark.p, mark.n);
		heard->mark_n = mark.n;
	}
	if (event->has_retry)
		heard->retry_ms = event->retry_ms;
}

/* It ended without a response. */
static void explain(struct heard *heard, const struct kh_caller_event *event)
{
	struct kh_upstream_response *response = &heard->response;
	struct kh_arena *arena = heard->arena;

	response->said = kh_tainted_wrap(kh_arena_dup(arena, kh_tainted_open(event->reason)));
	response->end = event->begun ? KH_RESPONSE_LOST : KH_RESPONSE_REFUSED;
	if (heard->status == 404 && heard->has_session) {
		response->end = KH_RESPONSE_OVER;
		response->code = "server_over";
		response->why = KH_LIT("the server has ended the session");
	} else if (heard->status >= 400) {
		response->code = heard->status == 401 || heard->status == 403 ? "upstream_denied" : "http_failed";
		response->why = kh_arena_printf(arena, "the server answered with the status %u", heard->status);
	} else if (event->fault == KH_FAULT_NONE) {
		response->code = "server_gone";
		response->why = KH_LIT("the server's answer has no response in it");
	} else if (event->fault == KH_FAULT_OUTPUT && strstr(event->detail, "than the cap") != NULL) {
		response->code = kh_fault_name(event->fault);
		response->why = kh_arena_printf(arena, "%s, which is %llu bytes (message_bytes)", event->detail,
						(unsigned long long)heard->web->longest);
	} else {
		response->code = event->fault == KH_FAULT_TIME ? "upstream_timeout" : kh_fault_name(event->fault);
		response->why = kh_arena_printf(arena, "%s", event->detail);
	}
}

static void give_up(struct heard *heard)
{
	heard->response.end = KH_RESPONSE_LOST;
	heard->response.code = "upstream_timeout";
	heard->response.why = kh_arena_printf(heard->arena, "it did not answer %s in time", heard->request->method);
}

/* Reads until the response is there (true), or CALL has ended: *RET_EVENT is its end.  NOTHING: the time is over. */
static bool listen_to(struct heard *heard, struct kh_caller_call *call, struct kh_caller_event *ret_event)
{
	for (;;) {
		see_to_asked(heard);
		int64_t most = see_to_all(heard) ? TURN_MS : heard->asked.n > 0 ? KH_INQUIRY_LOOK_MS : INT_MAX;
		int64_t left = heard->request->until_ms - kh_clock_ms();
		*ret_event = (struct kh_caller_event){.kind = KH_CALLER_NOTHING};
		if (left <= 0)
			return false;
		kh_caller_next(call, (int)(left < most ? left : most), ret_event);
		if (ret_event->kind == KH_CALLER_HEAD)
			take_head(heard, ret_event);
		if (ret_event->kind == KH_CALLER_MARK)
			take_mark(heard, ret_event);
		if (ret_event->kind == KH_CALLER_MESSAGE && take_message(heard, ret_event->message))
			return true;
		if (ret_event->kind == KH_CALLER_END)
			return false;
	}
}

/* --- a stream that broke ------------------------------------------------------------------------------------------ */

/*
 * In the older generation a server may give events ids, and then keeps them: whoever asks for the stream again, by GET and
 * with the last id, gets what came after it.  That has no effect at the server.  The request itself is never sent again.
 */

/* True if the stream that ended with EVENT can be continued, and is worth another try. */
static bool can_resume(const struct heard *heard, const struct kh_caller_event *event)
{
	bool is_broken = event->fault == KH_FAULT_NONE || event->fault == KH_FAULT_HTTP;
	enum kh_rpc_version version = heard->request->version;

	/* A try that found no connection leaves the status of the one before. */
	return (is_broken || (heard->resumes > 0 && event->fault == KH_FAULT_CONNECT)) && heard->status == 200 &&
	       heard->mark_n > 0 && heard->life > 0 && version != KH_MCP_NONE &&
	       !kh_rpc_version_is_stateless(version) && heard->resumes < RESUMES && heard->retry_ms <= RETRY_MOST;
}

/* Waits as long as the server wants; false if there is no time for that, or all servers were stopped. */
static bool pause_before(struct heard *heard)
{
	int64_t until = kh_clock_ms() + (int64_t)heard->retry_ms;
	struct timespec turn = {.tv_nsec = TURN_MS * 1000000L};
	bool is_stopped = false;

	if (until >= heard->request->until_ms)
		return false;
	while (!is_stopped && kh_clock_ms() < until) {
		(void)see_to_all(heard);
		(void)nanosleep(&turn, NULL);
		pthread_mutex_lock(&heard->web->lock);
		is_stopped = heard->web->is_stopped;
		pthread_mutex_unlock(&heard->web->lock);
	}
	return !is_stopped;
}

/* Asks for the rest of the stream; NULL if that cannot be asked for. */
static struct kh_caller_call *resume(struct heard *heard)
{
	const struct kh_upstream_request *request = heard->request;
	struct kh_upstream_ask ask = {.method = KH_METHOD_GET, .wall_ms = left_of(request->until_ms)};
	struct kh_caller_call *call = NULL;

	heard->resumes++;
	add_version(&ask, heard->arena, request);
	add_header(&ask, heard->arena, "Last-Event-ID", kh_view_of(heard->mark, heard->mark_n));
	if (!add_session(heard->web, &ask, heard->arena, heard->life, request->version) ||
	    kh_arena_check(heard->arena) != KH_OK ||
	    kh_caller_begin(heard->web->caller, &ask, (struct kh_view){NULL, 0}, &call, NULL) != KH_OK)
		return NULL;
	return call;
}

/* Reads the response that CALL brings, with the rest of its stream if that breaks.  Ends CALL. */
static void follow(struct heard *heard, struct kh_caller_call *call)
{
	struct kh_caller_event event;

	while (!listen_to(heard, call, &event)) {
		if (event.kind == KH_CALLER_NOTHING) {
			give_up(heard);
			break;
		}
		explain(heard, &event);
		/* The server has got the request, whatever has become of the rest. */
		if (heard->resumes > 0)
			heard->response.end = KH_RESPONSE_LOST;
		struct kh_caller_call *next = can_resume(heard, &event) && pause_before(heard) ? resume(heard) : NULL;
		if (next == NULL)
			break;
		kh_caller_end(call);
		call = next;
		heard->response = (struct kh_upstream_response){.end = KH_RESPONSE_LOST};
	}
	kh_caller_end(call);
}

/* A session has begun with this response, or is over by it. */
static void keep_session(struct heard *heard)
{
	struct kh_web *web = heard->web;

	pthread_mutex_lock(&web->lock);
	if (heard->request->life == 0 && heard->response.end == KH_RESPONSE_CAME) {
		/* The newer generation has no sessions, so an id that comes there is not one. */
		bool has_id = heard->id.n > 0 && !kh_rpc_version_is_stateless(heard->request->version);
		web->is_over = false;
		web->session_n = has_id ? heard->id.n : 0;
		if (has_id)
			memcpy(web->session, heard->id.p, heard->id.n);
		heard->life = ++web->lives;
	} else if (heard->response.end == KH_RESPONSE_OVER && heard->life == web->lives) {
		web->is_over = true;
	}
	pthread_mutex_unlock(&web->lock);
}

enum kh_err kh_web_ask(struct kh_web *web, const struct kh_upstream_request *request, struct kh_arena *arena,
		       struct kh_upstream_response *ret_response, uint64_t *ret_life)
{
	struct heard heard = {
		.web = web, .request = request, .arena = arena, .life = request->life, .retry_ms = RETRY_MS};
	struct kh_caller_call *call = begin(web, request, arena, &heard.has_session, &heard.response);

	if (call != NULL) {
		follow(&heard, call);
		if (heard.asked.n > 0)
			kh_inquiry_end(request->inquiry);
		end_replies(&heard);
		keep_session(&heard);
	}
	*ret_response = heard.response;
	*ret_life = heard.life;
	return kh_arena_check(arena);
}

bool kh_web_tell(struct kh_web *web, struct kh_view message, uint64_t life, enum kh_rpc_version version,
		 int64_t until_ms)
{
	int64_t until = kh_clock_ms() + TELL_MS;
	struct kh_caller_event event = {.kind = KH_CALLER_NOTHING};
	bool good = false;

	if (until_ms < until)
		until = until_ms;
	struct kh_caller_call *call = begin_tell(web, message, life, version, until);
	while (call != NULL && event.kind != KH_CALLER_END && kh_clock_ms() < until) {
		kh_caller_next(call, (int)left_of(until), &event);
		if (event.kind != KH_CALLER_HEAD)
			continue;
		good = event.status < 300;
		/* It has got there: an answer that does not end is not waited for. */
		if (kh_clock_ms() + REPLY_MS < until)
			until = kh_clock_ms() + REPLY_MS;
	}
	if (call != NULL)
		kh_caller_end(call);
	return good;
}

bool kh_web_is_current(struct kh_web *web, uint64_t life)
{
	pthread_mutex_lock(&web->lock);
	bool is_current = life > 0 && life == web->lives && !web->is_over;
	pthread_mutex_unlock(&web->lock);
	return is_current;
}

void kh_web_stop(struct kh_web *web)
{
	pthread_mutex_lock(&web->lock);
	web->is_stopped = true;
	pthread_mutex_unlock(&web->lock);
	kh_caller_stop(web->caller);
}

uint64_t kh_web_life(struct kh_web *web)
{
	pthread_mutex_lock(&web->lock);
	uint64_t life = web->is_over ? 0 : web->lives;
	pthread_mutex_unlock(&web->lock);
	return life;
}

/* Says goodbye to a server that gave the session an id; one that does not understand it is not waited for. */
static void leave(struct kh_web *web)
{
	struct kh_upstream_ask ask = {.method = KH_METHOD_DELETE, .wall_ms = LEAVE_MS};
	struct kh_caller_event event = {.kind = KH_CALLER_NOTHING};
	int64_t until = kh_clock_ms() + LEAVE_MS;
	struct kh_caller_call *call;
	struct kh_arena arena;

	kh_arena_init(&arena, web->settings.alloc, 4096);
	if (web->version != KH_MCP_NONE)
		add_header(&ask, &arena, "MCP-Protocol-Version", kh_view_str(kh_rpc_version_name(web->version)));
	if (web->session_n > 0 && add_session(web, &ask, &arena, web->lives, web->version) &&
	    kh_arena_check(&arena) == KH_OK &&
	    kh_caller_begin(web->caller, &ask, (struct kh_view){NULL, 0}, &call, NULL) == KH_OK) {
		while (event.kind != KH_CALLER_END && kh_clock_ms() < until)
			kh_caller_next(call, LEAVE_MS, &event);
		kh_caller_end(call);
	}
	kh_arena_done(&arena);
}

void kh_web_free(struct kh_web *web)
{
	if (web == NULL)
		return;
	leave(web);
	kh_caller_free(web->caller);
	(void)pthread_mutex_destroy(&web->lock);
	kh_alloc_free(web->settings.alloc, web, sizeof(*web));
}
