/* The endpoint: which requests it accepts, who sent them, and the removal of old sessions. */
#include "http/mcp/mcp.h"

#include "http/mcp/kept.h"
#include "http/mcp/link.h"
#include "http/reply.h"
#include "mcp/upstreams.h"

#define CHECK INT64_C(250000)         /* microseconds from one look at the epoch to the next */
#define SWEEP (INT64_C(15) * 1000000) /* microseconds from one sweep to the next */
#define PURGE (INT64_C(60) * 1000000) /* microseconds from one purge of the store's rows to the next */

struct kh_http_mcp {
	struct kh_http_mcp_settings settings;
	const struct kh_alloc *alloc;
	struct kh_http_mcp_sessions sessions;
	struct sweeper {
		struct kh_work work; /* the first member */
		struct kh_http_mcp *mcp;
		int64_t sweep_at, purge_at;
		uint64_t epoch;   /* in which all sessions' tokens were checked */
		bool ends;        /* a session has been ended, and the others were left */
		uint64_t changes; /* of the tools of upstream servers that all sessions were told */
	} sweeper;
};

/* --- headers ------------------------------------------------------------------------------------------------------ */

/* True if PARAMS, which follow a media type, say that it is not wanted at all: q=0. */
static bool is_unwanted(struct kh_view params)
{
	struct kh_view param;

	while (kh_view_split(&params, ';', &param)) {
		param = kh_view_trim(param);
		if (param.n < 3 || kh_ascii_lower(param.p[0]) != 'q' || param.p[1] != '=')
			continue;
		for (size_t i = 2; i < param.n; i++) {
			if (param.p[i] != '0' && param.p[i] != '.')
				return false;
		}
		return true;
	}
	return false;
}

/* True if Accept allows TYPE ("text/event-stream") of this KIND ("text/\*"); without the header, everything is
 * allowed. */
static bool accepts(struct kh_view accept, struct kh_view type, struct kh_view kind)
{
	struct kh_view range, name;

	if (!accept.p)
		return true;
	while (kh_view_split(&accept, ',', &range)) {
		if (!kh_view_split(&range, ';', &name) || is_unwanted(range))
			continue;
		name = kh_view_trim(name);
		if (kh_view_eq_nocase(name, type) || kh_view_eq_nocase(name, kind) || kh_view_eq(name, KH_LIT("*/*")))
			return true;
	}
	return false;
}

static bool accepts_events(struct kh_http_request *r)
{
	return accepts(kh_http_request_header(r, "Accept"), KH_LIT("text/event-stream"), KH_LIT("text/*"));
}

static bool accepts_json(struct kh_http_request *r)
{
	return accepts(kh_http_request_header(r, "Accept"), KH_LIT("application/json"), KH_LIT("application/*"));
}

static bool is_json(struct kh_http_request *r)
{
	struct kh_view type = kh_http_request_header(r, "Content-Type"), name;

	return kh_view_split(&type, ';', &name) && kh_view_eq_nocase(kh_view_trim(name), KH_LIT("application/json"));
}

static struct kh_view header_of(void *ctx, const char *name)
{
	return kh_http_request_header(ctx, name);
}

/* --- who calls, and in which session ------------------------------------------------------------------------------ */

static struct kh_http_mcp *endpoint(const struct kh_http_request *r)
{
	return r->ctx;
}

/* Finds out who sent the request.  False: its token is not valid, and the client has been told. */
static bool identify(struct kh_http_request *r, struct kh_http_mcp_link *link, bool fresh)
{
	struct kh_error err;
	enum kh_err e = kh_gateway_who(endpoint(r)->settings.gateway, r->token, fresh, &link->who, &err);

	if (e != KH_OK) {
		kh_http_reply_error(r, e, &err);
		return false;
	}
	link->sessions = &endpoint(r)->sessions;
	return true;
}

/* Finds the session that the request names.  False: there is none, and the client has been told. */
static bool join(struct kh_http_request *r, struct kh_http_mcp_link *link)
{
	struct kh_view id = kh_http_request_header(r, "Mcp-Session-Id");
	struct kh_view version = kh_http_request_header(r, "MCP-Protocol-Version");

	if (!id.p) {
		kh_http_mcp_link_refuse(r, 400, -32000, "Mcp-Session-Id is missing: begin with initialize");
		return false;
	}
	if (version.p && kh_rpc_version_find(version) == KH_MCP_NONE) {
		kh_http_mcp_link_refuse(r, 400, -32022, "MCP-Protocol-Version is not one that is spoken here");
		return false;
	}
	link->session = kh_http_mcp_session_find(link->sessions, id, link->who.token, kh_works_now());
	if (!link->session)
		link->session = kh_http_mcp_kept_find(link->sessions, endpoint(r)->settings.mcp, id, r->token,
						      &link->who);
	if (link->session && !kh_http_mcp_kept_holds(link->session)) {
		kh_http_mcp_session_end(link->session);
		kh_http_mcp_session_drop(link->session);
		link->session = NULL;
	}
	if (!link->session)
		kh_http_mcp_link_refuse(r, 404, -32001, "no such session: begin again with initialize");
	return link->session != NULL;
}

static bool is_stateless(struct kh_http_request *r)
{
	struct kh_view version = kh_http_request_header(r, "MCP-Protocol-Version");

	return version.p && kh_rpc_version_is_stateless(kh_rpc_version_find(version));
}

/* Answers 405 and returns false if the version has no sessions, because it has no GET and DELETE. */
static bool is_allowed(struct kh_http_request *r)
{
	static const struct kh_http_header allow = {"Allow", KH_LIT_INIT("POST")};

	if (!is_stateless(r))
		return true;
	kh_http_reply(r, 405, "application/json",
		      KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,"
			     "\"message\":\"this version of MCP has POST alone\"}}"),
		      &allow, 1);
	return false;
}

/* --- POST --------------------------------------------------------------------------------------------------------- */

/* Returns the peer of the request: its session's, or a new one, which `initialize` may make a session. */
static struct kh_mcp_peer *peer_of(struct kh_http_request *r, struct kh_http_mcp_link *link)
{
	if (link->session)
		return link->session->peer;
	link->peer = kh_mcp_peer_new(endpoint(r)->settings.mcp, &kh_http_mcp_stream_transport, NULL, r->token,
				     &link->who);
	return link->peer;
}

static enum kh_work_next begin_post(struct kh_http_request *r, struct kh_http_mcp_link *link)
{
	struct kh_mcp_headers headers = {.version = kh_http_request_header(r, "MCP-Protocol-Version"),
					 .method = kh_http_request_header(r, "Mcp-Method"),
					 .name = kh_http_request_header(r, "Mcp-Name"),
					 .get = header_of,
					 .ctx = r};
	struct kh_mcp_peer *peer;

	if (!identify(r, link, false))
		return KH_WORK_DONE;
	if (!is_stateless(r) && kh_http_request_header(r, "Mcp-Session-Id").p && !join(r, link))
		return KH_WORK_DONE;
	link->stream = kh_http_mcp_stream_new(link->sessions);
	peer = peer_of(r, link);
	if (!link->stream || !peer || !kh_http_mcp_stream_take(link->stream, peer, kh_http_request_body(r), &headers)) {
		kh_http_mcp_link_refuse(r, 503, -32603, "out of memory, or stopping: try later");
		return kh_http_mcp_link_end(link);
	}
	kh_http_mcp_link_begin(link, r, 0);
	if (kh_http_mcp_link_step(link, r) == KH_WORK_DONE)
		return KH_WORK_DONE;
	r->shed = true;
	return KH_WORK_WAIT;
}

/* Returns the link of a request, if it already has one. */
static struct kh_http_mcp_link *link_of(struct kh_http_request *r)
{
	struct kh_http_mcp_link *link = kh_http_request_kept(r, sizeof(*link));

	if (!link)
		kh_http_mcp_link_refuse(r, 500, -32603, "out of memory");
	return link;
}

static enum kh_work_next run_post(struct kh_http_request *r)
{
	struct kh_http_mcp_link *link = link_of(r);

	if (!link)
		return KH_WORK_DONE;
	if (link->stream)
		return kh_http_mcp_link_step(link, r);
	link->json = accepts_json(r);
	link->events = accepts_events(r);
	if (!is_json(r))
		kh_http_mcp_link_refuse(r, 415, -32000, "Content-Type must be application/json");
	else if (!link->json && !link->events)
		kh_http_mcp_link_refuse(r, 406, -32000, "Accept must have application/json and text/event-stream");
	else
		return begin_post(r, link);
	return KH_WORK_DONE;
}

/* --- GET and DELETE ----------------------------------------------------------------------------------------------- */

/* Finds the stream that a GET is for, and the last event of it that the client has.  False: the stream is not known. */
static bool choose(struct kh_http_request *r, struct kh_http_mcp_link *link, uint64_t *ret_sent)
{
	struct kh_view last = kh_http_request_header(r, "Last-Event-ID");
	uint64_t number = 0, sent = 0;

	if (last.p && !kh_http_mcp_replay_read(last, &number, &sent))
		return false;
	link->stream = kh_http_mcp_stream_find(link->session, number);
	*ret_sent = sent;
	return link->stream != NULL;
}

static enum kh_work_next run_get(struct kh_http_request *r)
{
	struct kh_http_mcp_link *link = link_of(r);
	uint64_t sent;

	if (!link)
		return KH_WORK_DONE;
	if (link->stream)
		return kh_http_mcp_link_step(link, r);
	if (!is_allowed(r))
		return KH_WORK_DONE;
	if (!accepts_events(r)) {
		kh_http_mcp_link_refuse(r, 406, -32000, "Accept must have text/event-stream");
		return KH_WORK_DONE;
	}
	if (!identify(r, link, true) || !join(r, link))
		return KH_WORK_DONE;
	if (!choose(r, link, &sent)) {
		kh_http_mcp_link_refuse(r, 400, -32000, "Last-Event-ID: nothing is kept of this stream");
		return kh_http_mcp_link_end(link);
	}
	link->events = true;
	link->follows = true;
	kh_http_mcp_link_begin(link, r, sent);
	return kh_http_mcp_link_step(link, r);
}

static enum kh_work_next run_delete(struct kh_http_request *r)
{
	struct kh_http_mcp_link link = {0};

	if (!is_allowed(r) || !identify(r, &link, true) || !join(r, &link))
		return KH_WORK_DONE;
	kh_http_mcp_kept_end(link.session);
	kh_http_mcp_session_end(link.session);
	kh_http_mcp_session_drop(link.session);
	kh_http_reply(r, 204, NULL, KH_LIT(""), NULL, 0);
	return KH_WORK_DONE;
}

/* --- the endpoint ------------------------------------------------------------------------------------------------- */

static const struct kh_http_route routes[] = {
	{KH_HTTP_POST, "/mcp", KH_HTTP_TOKEN, KH_MCP_MESSAGE, run_post, true, false},
	{KH_HTTP_GET, "/mcp", KH_HTTP_TOKEN, 0, run_get, true, false},
	{KH_HTTP_DELETE, "/mcp", KH_HTTP_TOKEN, 0, run_delete, false, false},
};

static void make_random(void *ctx, unsigned char *bytes, size_t n)
{
	struct kh_http_mcp *mcp = ctx;

	kh_engine_random(kh_gateway_engine(mcp->settings.gateway), bytes, n);
}

static void end_session(struct kh_http_mcp_session *session)
{
	kh_mcp_exchange_cancel_all(session->peer);
	kh_http_mcp_stream_end_all(session);
}

static void free_session(struct kh_http_mcp_session *session)
{
	kh_mcp_peer_drop(session->peer);
}

/* Ends a session whose token is no longer valid. */
static void check_token(struct kh_http_mcp_session *session, int64_t now)
{
	struct kh_http_mcp *mcp = session->table->ctx;

	(void)now;
	if (kh_gateway_holds(mcp->settings.gateway, session->peer->token))
		return;
	mcp->sweeper.ends = true;
	kh_http_mcp_session_end(session);
}

/* A sweep goes on only up to a session that was ended, so it is done again until none is. */
static void check_tokens(struct kh_http_mcp *mcp, int64_t now)
{
	do {
		mcp->sweeper.ends = false;
		kh_http_mcp_session_sweep(&mcp->sessions, now, check_token);
	} while (mcp->sweeper.ends);
}

/* Tells a session that other tools are offered. */
static void tell_change(struct kh_http_mcp_session *session, int64_t now)
{
	(void)now;
	if (kh_mcp_upstreams_concern(session->peer))
		kh_http_mcp_stream_tell(session, KH_LIT(KH_MCP_UPSTREAMS_CHANGED));
}

/* An open connection keeps its session, in the store too. */
static void mind(struct kh_http_mcp_session *session, int64_t now)
{
	kh_http_mcp_stream_sweep(session, now);
	if (kh_http_mcp_stream_is_read(session))
		kh_http_mcp_kept_save(session);
}

/* A step of the work that removes old sessions and streams, and those of tokens that are no longer valid. */
static enum kh_work_next sweep(struct kh_work *work)
{
	struct sweeper *sweeper = (struct sweeper *)work;
	struct kh_http_mcp *mcp = sweeper->mcp;
	uint64_t epoch = kh_gateway_epoch(mcp->settings.gateway);
	uint64_t changes = kh_mcp_upstreams_changes(mcp->settings.mcp);
	int64_t now = kh_works_now();

	if (kh_works_is_stopping(work->works))
		return KH_WORK_DONE;
	if (epoch != sweeper->epoch)
		check_tokens(mcp, now);
	sweeper->epoch = epoch;
	if (changes != sweeper->changes)
		kh_http_mcp_session_sweep(&mcp->sessions, now, tell_change);
	sweeper->changes = changes;
	if (now >= sweeper->sweep_at) {
		kh_http_mcp_session_sweep(&mcp->sessions, now, mind);
		sweeper->sweep_at = now + SWEEP;
	}
	if (now >= sweeper->purge_at) {
		kh_keeping_purge(mcp->settings.gateway);
		sweeper->purge_at = now + PURGE;
	}
	work->wake_at = now + CHECK;
	return KH_WORK_WAIT;
}

enum kh_err kh_http_mcp_new(const struct kh_http_mcp_settings *settings, struct kh_http_mcp **ret_mcp,
			    struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(kh_gateway_engine(settings->gateway));
	struct kh_http_mcp *mcp = kh_alloc_zero(alloc, sizeof(*mcp));

	if (!mcp)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for /mcp");
	mcp->settings = *settings;
	mcp->alloc = alloc;
	mcp->sessions = (struct kh_http_mcp_sessions){.alloc = alloc,
						      .gateway = settings->gateway,
						      .random = make_random,
						      .ended = end_session,
						      .freed = free_session,
						      .ctx = mcp};
	kh_http_mcp_session_init(&mcp->sessions);
	mcp->sweeper.mcp = mcp;
	mcp->sweeper.work.step = sweep;
	if (!kh_works_add(kh_gateway_works(settings->gateway), &mcp->sweeper.work)) {
		kh_http_mcp_session_done(&mcp->sessions);
		kh_alloc_free(alloc, mcp, sizeof(*mcp));
		return kh_error_set(err, KH_EREFUSED, "stopping", "the gateway is stopping");
	}
	*ret_mcp = mcp;
	return KH_OK;
}

enum kh_err kh_http_mcp_add(struct kh_http_mcp *mcp, struct kh_http *http, struct kh_error *err)
{
	return kh_http_add(http, routes, sizeof(routes) / sizeof(routes[0]), mcp, err);
}

void kh_http_mcp_free(struct kh_http_mcp *mcp)
{
	if (!mcp)
		return;
	kh_http_mcp_session_done(&mcp->sessions);
	kh_alloc_free(mcp->alloc, mcp, sizeof(*mcp));
}

unsigned kh_http_mcp_sessions(struct kh_http_mcp *mcp)
{
	return kh_http_mcp_session_count(&mcp->sessions);
}
