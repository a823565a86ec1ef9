/* Rows of sessions and streams, written and read back.  If the store does not take one, the session goes on in this
 * process's memory: only a client that comes back elsewhere, or later, misses it. */
#include "http/mcp/kept.h"

#include "base/json.h"

#define MEMORY ((size_t)16 << 20)
/* Events of more bytes are not written: a Reader's content would keep everybody from the store. */
#define LARGE   ((size_t)1 << 20)
#define CHECK   INT64_C(1000000)         /* microseconds between two looks at a row */
#define REFRESH (INT64_C(600) * 1000000) /* a session's time is written if it has grown by so much */
#define ANSWER                                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32603,\"message\":\"the gateway was restarted " \
	"before this was answered: what was begun goes on and can be asked about, and nothing was done twice\"}}"

/* --- sessions ----------------------------------------------------------------------------------------------------- */

static struct kh_http_mcp_session_said said_by(struct kh_mcp_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	struct kh_http_mcp_session_said said = {.version = (int)peer->version,
						.log_level = peer->log_level,
						.can = peer->can,
						.initialised = peer->initialised};
	pthread_mutex_unlock(&peer->lock);
	return said;
}

static bool is_same(const struct kh_http_mcp_session_said *a, const struct kh_http_mcp_session_said *b)
{
	return a->version == b->version && a->log_level == b->log_level && a->can == b->can &&
	       a->initialised == b->initialised;
}

static struct kh_view write_said(struct kh_arena *arena, const struct kh_http_mcp_session_said *said)
{
	return kh_arena_printf(arena, "{\"can\":%u,\"initialised\":%s,\"level\":%d,\"version\":\"%s\"}", said->can,
			       said->initialised ? "true" : "false", said->log_level,
			       kh_rpc_version_name((enum kh_rpc_version)said->version));
}

static bool read_said(struct kh_arena *arena, struct kh_view value, struct kh_http_mcp_session_said *ret_said)
{
	yyjson_val *root = NULL;
	int64_t can = 0, level = -1;

	if (kh_json_read(arena, value, &root, NULL) != KH_OK || !kh_json_int(kh_json_get(root, "can"), &can) ||
	    !kh_json_int(kh_json_get(root, "level"), &level))
		return false;
	*ret_said = (struct kh_http_mcp_session_said){
		.version = (int)kh_rpc_version_find(kh_json_str(kh_json_get(root, "version"))),
		.log_level = (int)level,
		.can = (unsigned)can,
		.initialised = yyjson_get_bool(kh_json_get(root, "initialised")),
	};
	return ret_said->version != KH_MCP_NONE;
}

static int64_t until_of(const struct kh_http_mcp_sessions *table)
{
	return kh_engine_now(kh_gateway_engine(table->gateway)) + KH_HTTP_MCP_SESSION_IDLE;
}

/* Writes the session's row, for the first time or again. */
static enum kh_err write_session(struct kh_http_mcp_session *session, const struct kh_http_mcp_session_said *said,
				 bool is_new, struct kh_error *err)
{
	int64_t until = until_of(session->table);
	struct kh_arena arena;

	kh_arena_init(&arena, session->table->alloc, MEMORY);
	struct kh_view value = write_said(&arena, said);
	enum kh_err e = value.p == NULL ? KH_ENOMEM
			: is_new        ? kh_keeping_begin(&session->row, until, value, err)
					: kh_keeping_change(&session->row, until, value, err);
	kh_arena_done(&arena);
	pthread_mutex_lock(&session->lock);
	if (e == KH_OK) {
		session->saved = *said;
		session->until = until;
		session->checked = kh_works_now();
	}
	pthread_mutex_unlock(&session->lock);
	return e;
}

enum kh_err kh_http_mcp_kept_begin(struct kh_http_mcp_session *session, struct kh_error *err)
{
	struct kh_http_mcp_session_said said = said_by(session->peer);

	return session->table->gateway != NULL ? write_session(session, &said, true, err) : KH_OK;
}

void kh_http_mcp_kept_save(struct kh_http_mcp_session *session)
{
	struct kh_http_mcp_session_said said = said_by(session->peer);
	struct kh_error err;

	if (session->table->gateway == NULL)
		return;
	pthread_mutex_lock(&session->lock);
	bool same = is_same(&session->saved, &said) && until_of(session->table) - session->until < REFRESH;
	pthread_mutex_unlock(&session->lock);
	/* If it has ended elsewhere, the next request is told so. */
	if (!same)
		(void)!write_session(session, &said, false, &err);
}

void kh_http_mcp_kept_end(struct kh_http_mcp_session *session)
{
	struct kh_error err;

	(void)!kh_keeping_end(&session->row, &err);
}

static enum kh_err look(const struct kh_keeping *row, struct kh_arena *arena, struct kh_http_mcp_session_said *ret_said,
			int64_t *ret_until)
{
	struct kh_error err;
	struct kh_view value;
	enum kh_err e = kh_keeping_find(row, arena, &value, ret_until, &err);

	return e == KH_OK && !read_said(arena, value, ret_said) ? KH_EUNKNOWN : e;
}

static void take_said(struct kh_mcp_peer *peer, const struct kh_http_mcp_session_said *said)
{
	pthread_mutex_lock(&peer->lock);
	peer->version = (enum kh_rpc_version)said->version;
	peer->can = said->can;
	peer->log_level = said->log_level;
	peer->initialised |= said->initialised;
	pthread_mutex_unlock(&peer->lock);
}

/* What another process has heard from the client counts here too, unless this one has heard something since. */
static void take_news(struct kh_http_mcp_session *session, const struct kh_http_mcp_session_said *said)
{
	struct kh_http_mcp_session_said mine = said_by(session->peer);

	pthread_mutex_lock(&session->lock);
	bool is_news = !is_same(&session->saved, said) && is_same(&session->saved, &mine);
	if (is_news)
		session->saved = *said;
	pthread_mutex_unlock(&session->lock);
	if (is_news)
		take_said(session->peer, said);
}

bool kh_http_mcp_kept_holds(struct kh_http_mcp_session *session)
{
	struct kh_http_mcp_session_said said;
	int64_t now = kh_works_now(), until = 0;
	struct kh_arena arena;

	pthread_mutex_lock(&session->lock);
	bool due = session->table->gateway != NULL && now - session->checked >= CHECK;
	if (due)
		session->checked = now;
	pthread_mutex_unlock(&session->lock);
	if (!due)
		return true;
	kh_arena_init(&arena, session->table->alloc, MEMORY);
	enum kh_err e = look(&session->row, &arena, &said, &until);
	kh_arena_done(&arena);
	if (e == KH_OK)
		take_news(session, &said);
	return e != KH_EUNKNOWN; /* a store that cannot be read tells the request itself */
}

struct kh_http_mcp_session *kh_http_mcp_kept_find(struct kh_http_mcp_sessions *table, struct kh_mcp *mcp,
						  struct kh_view id, struct kh_token_claim token,
						  const struct kh_who *who)
{
	struct kh_keeping row = kh_keeping_of(table->gateway, id, who->token);
	struct kh_http_mcp_session *session = NULL;
	struct kh_http_mcp_session_said said;
	struct kh_arena arena;
	struct kh_error err;
	int64_t until = 0;

	if (id.n != KH_HTTP_MCP_SESSION_ID - 1)
		return NULL;
	kh_arena_init(&arena, table->alloc, MEMORY);
	enum kh_err e = look(&row, &arena, &said, &until);
	kh_arena_done(&arena);
	struct kh_mcp_peer *peer = e == KH_OK ? kh_mcp_peer_new(mcp, &kh_http_mcp_stream_transport, NULL, token, who)
					      : NULL;
	if (peer == NULL)
		return NULL;
	take_said(peer, &said);
	if (kh_http_mcp_session_new(table, id, who->token, peer, kh_works_now(), &session, &err) != KH_OK)
		session = NULL;
	if (session == NULL || session->peer != peer) {
		kh_mcp_peer_drop(peer); /* another request was first, or there is no room */
		return session;
	}
	pthread_mutex_lock(&session->lock);
	session->saved = said;
	session->until = until;
	session->checked = kh_works_now();
	pthread_mutex_unlock(&session->lock);
	return session;
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

static struct kh_keeping_event event_of(const struct kh_http_mcp_event *event)
{
	return (struct kh_keeping_event){(int64_t)event->number, event->answer, event->text};
}

bool kh_http_mcp_kept_enter(struct kh_http_mcp_session *session, struct kh_http_mcp_stream *s)
{
	struct kh_keeping_event events[KH_HTTP_MCP_REPLAY_EVENTS + 1];
	bool runs = s->exchange != NULL && !s->ended, large = false;
	struct kh_view id = runs ? kh_view_of(s->exchange->id, s->exchange->id_n) : KH_LIT("");
	struct kh_error err;
	int64_t number = 0;
	size_t count = 0;

	for (const struct kh_http_mcp_event *e = s->said.first; e != NULL && count <= KH_HTTP_MCP_REPLAY_EVENTS;
	     e = e->next) {
		large |= e->text.n > LARGE;
		if (e->text.n <= LARGE)
			events[count++] = event_of(e);
	}
	if (session->table->gateway == NULL)
		return false;
	s->row = session->row;
	s->kept = kh_keeping_stream(&s->row, id, events, count, &number, &err) == KH_OK;
	if (!s->kept)
		return false;
	s->number = (uint64_t)number;
	if (large)
		kh_http_mcp_kept_forget(s);
	return true;
}

void kh_http_mcp_kept_event(struct kh_http_mcp_stream *s)
{
	struct kh_error err;

	if (!s->kept || s->said.last == NULL)
		return;
	if (s->said.last->text.n > LARGE) {
		kh_http_mcp_kept_forget(s); /* a client may come back to this process alone */
		return;
	}
	struct kh_keeping_event event = event_of(s->said.last);
	enum kh_err e = kh_keeping_add(&s->row, (int64_t)s->number, &event, (int64_t)s->said.first->number, &err);
	if (e == KH_EUNKNOWN) /* it went with its session or its token */
		s->kept = false;
}

/* Adds the events that were read.  False: out of memory. */
static bool take_events(struct kh_http_mcp_stream *s, const struct kh_keeping_kept *kept)
{
	for (size_t i = 0; i < kept->count; i++) {
		s->said.next = (uint64_t)kept->events[i].number;
		if (kh_http_mcp_replay_add(&s->said, kept->events[i].text, kept->events[i].answer) != KH_OK)
			return false;
		s->ended |= kept->events[i].answer;
	}
	return true;
}

/* The process that ran the request has ended: the stream is this one's, and gets its last event. */
static bool adopt(struct kh_http_mcp_stream *s, const struct kh_keeping_kept *kept, struct kh_arena *arena)
{
	s->far = false;
	if (s->ended)
		return true;
	s->ended = true;
	if (kept->value.n == 0)
		return true; /* it was no request, or a batch */
	struct kh_view text = kh_arena_printf(arena, ANSWER, KH_FMT(kept->value));
	if (text.p == NULL || kh_http_mcp_replay_add(&s->said, text, true) != KH_OK)
		return false;
	kh_http_mcp_kept_event(s);
	return true;
}

/* Reads what the store has of the stream, and this process has not.  False: it is no longer there, or no memory. */
static bool catch_up(struct kh_http_mcp_stream *s)
{
	int64_t after = s->said.last != NULL ? (int64_t)s->said.last->number : 0;
	struct kh_keeping_kept kept;
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, s->alloc, MEMORY);
	bool good = kh_keeping_read(&s->row, (int64_t)s->number, after, &arena, &kept, &err) == KH_OK &&
		    take_events(s, &kept);
	if (good && !kept.is_written)
		good = adopt(s, &kept, &arena);
	kh_arena_done(&arena);
	return good;
}

struct kh_http_mcp_stream *kh_http_mcp_kept_load(struct kh_http_mcp_session *session, uint64_t number)
{
	struct kh_http_mcp_stream *s = number > 0 && number <= INT64_MAX && session->table->gateway != NULL
					       ? kh_http_mcp_stream_new(session->table)
					       : NULL;

	if (s == NULL)
		return NULL;
	s->row = session->row;
	s->number = number;
	s->kept = s->far = true;
	s->left = kh_works_now();
	if (catch_up(s))
		return s;
	kh_http_mcp_stream_drop(s);
	return NULL;
}

void kh_http_mcp_kept_follow(struct kh_http_mcp_stream *s)
{
	if (s->far && !s->ended && !catch_up(s))
		s->ended = true;
}

void kh_http_mcp_kept_forget(struct kh_http_mcp_stream *s)
{
	struct kh_error err;

	if (s->kept && !s->far)
		(void)!kh_keeping_forget(&s->row, (int64_t)s->number, &err);
	s->kept = false;
}
