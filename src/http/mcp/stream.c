/* Streams connect an exchange, which sends messages from any thread, with a connection, which may come and go. */
#include "http/mcp/stream.h"

#include "http/mcp/kept.h"

struct kh_http_mcp_stream *kh_http_mcp_stream_new(struct kh_http_mcp_sessions *sessions)
{
	struct kh_http_mcp_stream *s = kh_alloc_zero(sessions->alloc, sizeof(*s));

	if (!s)
		return NULL;
	s->alloc = sessions->alloc;
	s->refs = 1;
	pthread_mutex_init(&s->lock, NULL);
	kh_http_mcp_replay_init(&s->said, sessions->alloc, &sessions->replays);
	return s;
}

/* Takes a reference.  False: the stream is being freed. */
static bool hold(struct kh_http_mcp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	bool there = !s->lost;
	s->refs += there;
	pthread_mutex_unlock(&s->lock);
	return there;
}

void kh_http_mcp_stream_drop(struct kh_http_mcp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	bool last = --s->refs == 0;
	pthread_mutex_unlock(&s->lock);
	if (!last)
		return;
	kh_http_mcp_replay_done(&s->said);
	pthread_mutex_destroy(&s->lock);
	kh_alloc_free(s->alloc, s, sizeof(*s));
}

/* --- the exchange ------------------------------------------------------------------------------------------------- */

/* The lock is held.  Counts one more use of the exchange, which also holds the stream. */
static void use(struct kh_http_mcp_stream *s)
{
	s->uses++;
	s->refs++;
}

/* Ends one use of the exchange. */
static void release(struct kh_http_mcp_stream *s)
{
	struct kh_mcp_exchange *x = NULL;

	pthread_mutex_lock(&s->lock);
	if (--s->uses == 0) {
		x = s->exchange;
		s->exchange = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	if (x)
		kh_mcp_exchange_free(x);
	kh_http_mcp_stream_drop(s);
}

void kh_http_mcp_stream_rests(struct kh_http_mcp_stream *s)
{
	s->left = kh_works_now();
	if (!kh_http_mcp_replay_is_over(&s->said))
		return;
	kh_http_mcp_replay_done(&s->said);
	s->lost = !s->own;
	kh_http_mcp_kept_forget(s);
}

/* The lock is held.  Wakes the connection that writes. */
static void wake(struct kh_http_mcp_stream *s)
{
	if (s->work)
		kh_works_wake(s->work);
	else if (s->connection > 0) /* else the first connection is about to begin */
		kh_http_mcp_stream_rests(s);
}

bool kh_http_mcp_stream_take(struct kh_http_mcp_stream *s, struct kh_mcp_peer *peer, struct kh_view message,
			     const struct kh_mcp_headers *headers)
{
	struct kh_mcp_exchange *x;

	pthread_mutex_lock(&s->lock);
	use(s); /* ours, until this returns */
	use(s); /* the exchange's, until it is answered */
	pthread_mutex_unlock(&s->lock);
	x = kh_mcp_take(peer, s, message, headers);
	pthread_mutex_lock(&s->lock);
	s->exchange = x; /* valid even if it was answered already, because of our use */
	s->ended |= x == NULL;
	pthread_mutex_unlock(&s->lock);
	if (!x)
		release(s);
	release(s);
	return x != NULL;
}

/* Takes a message of an exchange.  After its answer, which is the last message, the stream must free the exchange. */
static void send_message(struct kh_mcp_exchange *x, struct kh_view message, bool last)
{
	struct kh_http_mcp_stream *s = x->ctx;

	pthread_mutex_lock(&s->lock);
	if (message.n > 0) {
		if (kh_http_mcp_replay_add(&s->said, message, last) != KH_OK)
			s->lost |= last;
		else
			kh_http_mcp_kept_event(s); /* before the connection sees it */
		s->others |= !last;
	} else {
		kh_http_mcp_kept_forget(s); /* it was cancelled, or is no request: no answer comes */
	}
	if (last) {
		s->exchange = x;
		s->ended = true;
		s->status = x->status;
		s->initialized = x->is_initialize && s->status == 200;
	}
	wake(s);
	pthread_mutex_unlock(&s->lock);
	if (last)
		release(s);
}

static void rest(struct kh_mcp_exchange *x)
{
	struct kh_http_mcp_stream *s = x->ctx;

	pthread_mutex_lock(&s->lock);
	s->rests = true;
	wake(s);
	pthread_mutex_unlock(&s->lock);
}

const struct kh_mcp_transport kh_http_mcp_stream_transport = {.send = send_message, .rest = rest, .in_steps = true};

void kh_http_mcp_stream_cancel(struct kh_http_mcp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	bool runs = s->exchange && !s->ended;
	if (runs)
		use(s);
	pthread_mutex_unlock(&s->lock);
	if (!runs)
		return;
	kh_mcp_exchange_cancel(s->exchange);
	release(s);
}

/* --- a session's streams ------------------------------------------------------------------------------------------ */

/* The session's lock is held.  Removes the stream at *LINK from the list; the caller gets the list's reference. */
static struct kh_http_mcp_stream *take_out(struct kh_http_mcp_session *session, struct kh_http_mcp_stream **link)
{
	struct kh_http_mcp_stream *s = *link;

	*link = s->older;
	session->stream_count--;
	return s;
}

/* The session's lock is held. */
static void put_in(struct kh_http_mcp_session *session, struct kh_http_mcp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->resumable = true;
	s->refs++;
	pthread_mutex_unlock(&s->lock);
	s->older = session->streams;
	session->streams = s;
	session->stream_count++;
}

/* Handles a stream that left its session's list: a connected client goes on, but nobody can come back to it.  FOR_GOOD:
 * nor anywhere else. */
static void forget(struct kh_http_mcp_stream *s, bool for_good)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->resumable = false;
	if (for_good)
		kh_http_mcp_kept_forget(s);
	bool deserted = !s->work;
	pthread_mutex_unlock(&s->lock);
	if (deserted)
		kh_http_mcp_stream_cancel(s);
	kh_http_mcp_stream_drop(s);
}

/* The session's lock is held.  If the list is full, removes the oldest stream that is not the session's own. */
static struct kh_http_mcp_stream *make_room(struct kh_http_mcp_session *session)
{
	struct kh_http_mcp_stream **oldest = NULL;

	if (session->stream_count < KH_HTTP_MCP_STREAM_KEPT)
		return NULL;
	for (struct kh_http_mcp_stream **link = &session->streams; *link; link = &(*link)->older) {
		if (!(*link)->own)
			oldest = link;
	}
	return oldest ? take_out(session, oldest) : NULL;
}

void kh_http_mcp_stream_enter(struct kh_http_mcp_session *session, struct kh_http_mcp_stream *s)
{
	struct kh_http_mcp_stream *goes = NULL;

	pthread_mutex_lock(&s->lock);
	bool kept = kh_http_mcp_kept_enter(session, s);
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_lock(&session->lock);
	if (kept && !session->over) {
		goes = make_room(session);
		put_in(session, s);
	}
	pthread_mutex_unlock(&session->lock);
	forget(goes, true);
}

struct kh_http_mcp_stream *kh_http_mcp_stream_find(struct kh_http_mcp_session *session, uint64_t number)
{
	struct kh_http_mcp_stream *s, *goes = NULL;

	pthread_mutex_lock(&session->lock);
	for (s = session->streams; s && s->number != number; s = s->older)
		;
	if (s) {
		s = hold(s) ? s : NULL;
	} else if (!session->over) {
		s = number == 0 ? kh_http_mcp_stream_new(session->table) : kh_http_mcp_kept_load(session, number);
		if (s) {
			s->own = number == 0;
			goes = make_room(session);
			put_in(session, s);
		}
	}
	pthread_mutex_unlock(&session->lock);
	forget(goes, true);
	return s;
}

void kh_http_mcp_stream_tell(struct kh_http_mcp_session *session, struct kh_view message)
{
	struct kh_http_mcp_stream *s;

	pthread_mutex_lock(&session->lock);
	for (s = session->streams; s && !s->own; s = s->older)
		;
	if (s) {
		pthread_mutex_lock(&s->lock);
		/* The same message again says no more: without memory for it, it is left out. */
		(void)!kh_http_mcp_replay_add(&s->said, message, false);
		wake(s);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&session->lock);
}

static bool is_stale(struct kh_http_mcp_stream *s, int64_t now)
{
	pthread_mutex_lock(&s->lock);
	bool stale = !s->own && !s->work && s->left > 0 && now - s->left > KH_HTTP_MCP_STREAM_KEEP;
	pthread_mutex_unlock(&s->lock);
	return stale;
}

void kh_http_mcp_stream_sweep(struct kh_http_mcp_session *session, int64_t now)
{
	struct kh_http_mcp_stream **link, *stale = NULL, *next;

	pthread_mutex_lock(&session->lock);
	link = &session->streams;
	while (*link) {
		if (is_stale(*link, now)) {
			struct kh_http_mcp_stream *s = take_out(session, link);

			s->older = stale;
			stale = s;
		} else {
			link = &(*link)->older;
		}
	}
	pthread_mutex_unlock(&session->lock);
	for (; stale; stale = next) {
		next = stale->older;
		forget(stale, true);
	}
}

bool kh_http_mcp_stream_is_read(struct kh_http_mcp_session *session)
{
	bool read = false;

	pthread_mutex_lock(&session->lock);
	for (struct kh_http_mcp_stream *s = session->streams; s && !read; s = s->older) {
		pthread_mutex_lock(&s->lock);
		read = s->work != NULL;
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&session->lock);
	return read;
}

void kh_http_mcp_stream_end_all(struct kh_http_mcp_session *session)
{
	struct kh_http_mcp_stream *s, *older;

	pthread_mutex_lock(&session->lock);
	session->over = true;
	s = session->streams;
	session->streams = NULL;
	session->stream_count = 0;
	pthread_mutex_unlock(&session->lock);
	for (; s; s = older) {
		older = s->older;
		pthread_mutex_lock(&s->lock);
		s->ended |= s->own;
		wake(s);
		pthread_mutex_unlock(&s->lock);
		forget(s, false); /* its rows go with the session's, if that goes */
	}
}
