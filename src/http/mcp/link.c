/* Runs a connection step by step: answers with JSON or events, makes a session for `initialize`, and cleans up after
 * a client that is gone. */
#include "http/mcp/link.h"

#include "http/mcp/kept.h"
#include "http/reply.h"

#include <stdio.h>

#define ROOM ((size_t)512 << 10) /* bytes that a client may be behind before the next event waits for it */

void kh_http_mcp_link_refuse(struct kh_http_request *r, unsigned status, int code, const char *message)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":%d,\"message\":\"%s\"}}", code, message);

	kh_http_reply(r, status, "application/json", kh_view_of(text, n > 0 ? (size_t)n : 0), NULL, 0);
}

void kh_http_mcp_link_begin(struct kh_http_mcp_link *link, struct kh_http_request *r, uint64_t sent)
{
	struct kh_http_mcp_stream *s = link->stream;

	pthread_mutex_lock(&s->lock);
	if (s->work)
		kh_works_wake(s->work); /* it sees that it is no longer the last */
	s->work = &r->work;
	s->left = 0;
	s->rests = false;
	link->connection = ++s->connection;
	link->sent = s->own ? 0 : sent; /* what a session's own has was not written yet */
	pthread_mutex_unlock(&s->lock);
	link->since = kh_works_now();
	link->heard = link->since;
}

enum kh_work_next kh_http_mcp_link_end(struct kh_http_mcp_link *link)
{
	if (link->stream)
		kh_http_mcp_stream_drop(link->stream);
	if (link->session) {
		kh_http_mcp_kept_save(link->session);
		kh_http_mcp_session_drop(link->session);
	}
	if (link->peer)
		kh_mcp_peer_drop(link->peer);
	*link = (struct kh_http_mcp_link){0};
	return KH_WORK_DONE;
}

/* Ends the connection.  GONE: the client closed it. */
static enum kh_work_next finish(struct kh_http_mcp_link *link, bool gone)
{
	struct kh_http_mcp_stream *s = link->stream;

	pthread_mutex_lock(&s->lock);
	if (s->connection == link->connection) {
		s->work = NULL;
		kh_http_mcp_stream_rests(s);
	}
	pthread_mutex_unlock(&s->lock);
	if (link->out) {
		kh_http_stream_close(link->out);
		kh_http_stream_drop(link->out);
	}
	/* Without a session nobody can come back for the answer, so the request is cancelled.  In a session, a
	 * client that hangs up cancels nothing. */
	if (gone && !link->session)
		kh_http_mcp_stream_cancel(s);
	return kh_http_mcp_link_end(link);
}

/* --- the beginning of the response -------------------------------------------------------------------------------- */

enum form { FORM_NOT_YET, FORM_WHOLE, FORM_EVENTS };

/* The stream's lock is held. */
static enum form form_of(const struct kh_http_mcp_link *link, const struct kh_http_mcp_stream *s, int64_t now)
{
	if (link->out || link->follows)
		return FORM_EVENTS;
	if (s->ended) {
		bool nothing = s->said.count == 0, fails = s->lost || s->status >= 400;

		return nothing || fails || !link->events || (link->json && !s->others) ? FORM_WHOLE : FORM_EVENTS;
	}
	/* To come back, a client needs an event id, which only a session's events have. */
	return link->events && (s->others || (s->rests && link->session) ||
				now - link->since >= KH_HTTP_MCP_STREAM_SLOW)
		       ? FORM_EVENTS
		       : FORM_NOT_YET;
}

/* Makes a session for an answer to `initialize`.  False: it could not be made, and the client has been told. */
static bool make_session(struct kh_http_mcp_link *link, struct kh_http_request *r)
{
	struct kh_error err;

	if (link->session || !link->stream->initialized)
		return true;
	if (kh_http_mcp_session_new(link->sessions, KH_LIT(""), link->who.token, kh_mcp_peer_hold(link->peer),
				    kh_works_now(), &link->session, &err) != KH_OK) {
		kh_mcp_peer_drop(link->peer);
	} else if (kh_http_mcp_kept_begin(link->session, &err) == KH_OK) {
		return true;
	} else {
		kh_http_mcp_session_end(link->session);
		kh_http_mcp_session_drop(link->session);
		link->session = NULL;
	}
	kh_http_mcp_link_refuse(r, 503, -32000,
				"there are as many sessions as there may be: end one with DELETE, or try later");
	return false;
}

static size_t session_header(const struct kh_http_mcp_link *link, struct kh_http_header *header)
{
	if (!link->session || !link->stream->initialized)
		return 0;
	*header = (struct kh_http_header){"Mcp-Session-Id", kh_view_str(link->session->id)};
	return 1;
}

static enum kh_work_next reply_whole(struct kh_http_mcp_link *link, struct kh_http_request *r)
{
	struct kh_http_mcp_stream *s = link->stream;
	struct kh_http_header header;

	if (!make_session(link, r))
		return finish(link, false);
	pthread_mutex_lock(&s->lock);
	if (s->lost)
		kh_http_mcp_link_refuse(r, 500, -32603, "out of memory");
	else if (!s->said.last || !s->said.last->answer)
		kh_http_reply(r, s->status >= 400 ? s->status : 202, NULL, KH_LIT(""), NULL, 0);
	else
		kh_http_reply(r, s->status, "application/json", s->said.last->text, &header,
			      session_header(link, &header));
	pthread_mutex_unlock(&s->lock);
	return finish(link, false);
}

/* From 2025-11-25 on: sends an event without content first, so that the client has an id to come back with. */
static void prime(struct kh_http_mcp_link *link)
{
	struct kh_mcp_peer *peer = link->session->peer;
	char id[KH_HTTP_MCP_REPLAY_ID];

	pthread_mutex_lock(&peer->lock);
	enum kh_rpc_version version = peer->version;
	pthread_mutex_unlock(&peer->lock);
	if (version >= KH_MCP_2025_11_25)
		kh_http_stream_event(link->out, kh_http_mcp_replay_id(id, link->stream->number, link->sent), KH_LIT(""),
				     KH_LIT(""));
}

static bool open_events(struct kh_http_mcp_link *link, struct kh_http_request *r)
{
	struct kh_http_header header;

	if (link->out)
		return true;
	if (!make_session(link, r))
		return false;
	if (link->session && !link->follows)
		kh_http_mcp_stream_enter(link->session, link->stream);
	link->out = kh_http_reply_stream(r, &header, session_header(link, &header));
	if (!link->out) {
		kh_http_mcp_link_refuse(r, 500, -32603, "out of memory");
		return false;
	}
	if (link->session)
		prime(link);
	return true;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* True if the client has read so much that an event of N bytes may follow. */
static bool has_room(const struct kh_http_mcp_link *link, size_t n)
{
	size_t waits = kh_http_stream_waits(link->out);

	return waits == 0 || (waits < ROOM && n < ROOM - waits);
}

/* The stream's lock is held.  Writes the events that the client does not have, as far as it reads.  False: it is
 * gone. */
static bool write_events(struct kh_http_mcp_link *link, int64_t now)
{
	struct kh_http_mcp_stream *s = link->stream;
	const struct kh_http_mcp_event *e;
	char id[KH_HTTP_MCP_REPLAY_ID];

	while ((e = kh_http_mcp_replay_after(&s->said, link->sent)) != NULL) {
		struct kh_view name = link->session ? kh_http_mcp_replay_id(id, s->number, e->number) : KH_LIT("");

		if (!has_room(link, e->text.n))
			return now - link->heard < KH_HTTP_MCP_STREAM_STUCK && !kh_http_stream_is_gone(link->out);
		if (!kh_http_stream_event(link->out, name, KH_LIT(""), e->text))
			return false;
		link->sent = e->number;
		link->heard = now;
	}
	if (!link->session || s->own)
		kh_http_mcp_replay_forget(&s->said, link->sent);
	if (now - link->heard < KH_HTTP_MCP_STREAM_QUIET)
		return !kh_http_stream_is_gone(link->out);
	link->heard = now;
	return kh_http_stream_comment(link->out);
}

/* Returns when to check whether the client reads again: soon at first, and later the longer it does not. */
static int64_t look_again(const struct kh_http_mcp_link *link, int64_t now)
{
	int64_t pause = (now - link->heard) / 4;

	return now + (pause < 10000 ? 10000 : pause > 1000000 ? 1000000 : pause);
}

static enum kh_work_next step_events(struct kh_http_mcp_link *link, struct kh_http_request *r, int64_t now)
{
	struct kh_http_mcp_stream *s = link->stream;

	if (!open_events(link, r))
		return finish(link, false);
	pthread_mutex_lock(&s->lock);
	kh_http_mcp_kept_follow(s);
	bool there = write_events(link, now);
	bool ends = s->ended || (s->own && kh_works_is_stopping(kh_gateway_works(r->frame->gateway)));
	bool rests = s->rests && s->resumable;
	bool behind = kh_http_mcp_replay_after(&s->said, link->sent) != NULL, far = s->far;
	pthread_mutex_unlock(&s->lock);
	if (!there)
		return finish(link, true);
	if (behind || (!ends && !rests)) {
		r->work.wake_at = behind ? look_again(link, now)
				  : far  ? now + KH_HTTP_MCP_STREAM_FAR
					 : link->heard + KH_HTTP_MCP_STREAM_QUIET;
		return KH_WORK_WAIT;
	}
	if (!ends)
		kh_http_stream_retry(link->out, KH_HTTP_MCP_STREAM_RETRY);
	return finish(link, false);
}

enum kh_work_next kh_http_mcp_link_step(struct kh_http_mcp_link *link, struct kh_http_request *r)
{
	struct kh_http_mcp_stream *s = link->stream;
	int64_t now = kh_works_now();

	pthread_mutex_lock(&s->lock);
	bool replaced = s->connection != link->connection;
	enum form form = form_of(link, s, now);
	pthread_mutex_unlock(&s->lock);
	if (replaced)
		return finish(link, false);
	if (form == FORM_WHOLE)
		return reply_whole(link, r);
	if (atomic_load(&r->gone))
		return finish(link, true);
	if (form == FORM_EVENTS)
		return step_events(link, r, now);
	r->work.wake_at = link->events ? link->since + KH_HTTP_MCP_STREAM_SLOW : 0;
	return KH_WORK_WAIT;
}
