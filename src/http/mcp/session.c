/* The table of sessions: by id, and by the time of their last request.  One lock; no callback runs while it is held. */
#include "http/mcp/session.h"

#include <stdio.h>

static size_t bucket_of(const char *id)
{
	uint32_t h = 2166136261U;

	for (size_t i = 0; i + 1 < KH_HTTP_MCP_SESSION_ID; i++)
		h = (h ^ (unsigned char)id[i]) * 16777619U;
	return h % (sizeof(((struct kh_http_mcp_sessions *)NULL)->by_id) / sizeof(struct kh_http_mcp_session *));
}

void kh_http_mcp_session_init(struct kh_http_mcp_sessions *table)
{
	memset(table->by_id, 0, sizeof(table->by_id));
	table->newest = NULL;
	table->oldest = NULL;
	table->count = 0;
	atomic_init(&table->replays, 0);
	pthread_mutex_init(&table->lock, NULL);
}

/* --- the table, with its lock held -------------------------------------------------------------------------------- */

static void unlink_used(struct kh_http_mcp_sessions *table, struct kh_http_mcp_session *s)
{
	*(s->newer ? &s->newer->older : &table->newest) = s->older;
	*(s->older ? &s->older->newer : &table->oldest) = s->newer;
	s->newer = NULL;
	s->older = NULL;
}

static void link_used(struct kh_http_mcp_sessions *table, struct kh_http_mcp_session *s, int64_t now)
{
	s->used = now;
	s->older = table->newest;
	s->newer = NULL;
	*(table->newest ? &table->newest->newer : &table->oldest) = s;
	table->newest = s;
}

static void enter(struct kh_http_mcp_sessions *table, struct kh_http_mcp_session *s, int64_t now)
{
	size_t bucket = bucket_of(s->id);

	s->same_hash = table->by_id[bucket];
	table->by_id[bucket] = s;
	link_used(table, s, now);
	s->listed = true;
	s->refs++;
	table->count++;
}

/* Removes S from the table; the caller gets the table's reference to it. */
static void leave(struct kh_http_mcp_sessions *table, struct kh_http_mcp_session *s)
{
	struct kh_http_mcp_session **link = &table->by_id[bucket_of(s->id)];

	while (*link != s)
		link = &(*link)->same_hash;
	*link = s->same_hash;
	unlink_used(table, s);
	s->listed = false;
	table->count--;
}

/* Finds a session that has to end so that TOKEN can have another: of its own, the one that has been idle longest;
 * NULL if none must.  *RET_FULL: there is no room, and none can be made. */
static struct kh_http_mcp_session *make_room(struct kh_http_mcp_sessions *table, int64_t token, bool *ret_full)
{
	struct kh_http_mcp_session *rests = NULL;
	unsigned own = 0;

	for (struct kh_http_mcp_session *s = table->newest; s; s = s->older) {
		if (s->token != token)
			continue;
		own++;
		if (s->refs == 1)
			rests = s;
	}
	if (own < KH_HTTP_MCP_SESSION_TOKEN && table->count < KH_HTTP_MCP_SESSION_MOST) {
		*ret_full = false;
		return NULL;
	}
	*ret_full = rests == NULL;
	return rests;
}

/* Finds a session, with a reference, and notes that it is used NOW; NULL: there is none. */
static struct kh_http_mcp_session *look_up(struct kh_http_mcp_sessions *table, const char id[KH_HTTP_MCP_SESSION_ID],
					   int64_t token, int64_t now)
{
	struct kh_http_mcp_session *s = table->by_id[bucket_of(id)];

	while (s && (memcmp(s->id, id, KH_HTTP_MCP_SESSION_ID) != 0 || s->token != token))
		s = s->same_hash;
	if (s) {
		s->refs++;
		unlink_used(table, s);
		link_used(table, s, now);
	}
	return s;
}

/* --- sessions ----------------------------------------------------------------------------------------------------- */

static void over(struct kh_http_mcp_session *s)
{
	if (!s)
		return;
	s->table->ended(s);
	kh_http_mcp_session_drop(s);
}

static void name(struct kh_http_mcp_sessions *table, char id[KH_HTTP_MCP_SESSION_ID])
{
	unsigned char bytes[(KH_HTTP_MCP_SESSION_ID - 1) / 2];

	table->random(table->ctx, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

enum kh_err kh_http_mcp_session_new(struct kh_http_mcp_sessions *table, struct kh_view id, int64_t token,
				    struct kh_mcp_peer *peer, int64_t now, struct kh_http_mcp_session **ret_session,
				    struct kh_error *err)
{
	struct kh_http_mcp_session *s = kh_alloc_zero(table->alloc, sizeof(*s)), *goes;
	bool full = false;

	if (!s)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a session");
	if (id.n == sizeof(s->id) - 1)
		memcpy(s->id, id.p, id.n);
	else
		name(table, s->id);
	s->table = table;
	s->row = kh_keeping_of(table->gateway, kh_view_str(s->id), token);
	s->token = token;
	s->peer = peer;
	s->refs = 1;
	pthread_mutex_init(&s->lock, NULL); /* before it is listed, because a sweep may come at once */
	pthread_mutex_lock(&table->lock);
	struct kh_http_mcp_session *there = look_up(table, s->id, token, now);
	goes = there ? NULL : make_room(table, token, &full);
	if (goes)
		leave(table, goes);
	if (!there && !full)
		enter(table, s, now);
	pthread_mutex_unlock(&table->lock);
	/* Its row makes room for the new one's, too; a session that the store had already needs none. */
	if (goes && id.n == 0)
		(void)!kh_keeping_end(&goes->row, err);
	over(goes);
	if (there || full) {
		pthread_mutex_destroy(&s->lock);
		kh_alloc_free(table->alloc, s, sizeof(*s));
	}
	if (full)
		return kh_error_set(err, KH_ELIMIT, "too_many_sessions",
				    "there are as many sessions as there may be; end one (DELETE), or try later");
	*ret_session = there ? there : s;
	return KH_OK;
}

struct kh_http_mcp_session *kh_http_mcp_session_find(struct kh_http_mcp_sessions *table, struct kh_view id,
						     int64_t token, int64_t now)
{
	char key[KH_HTTP_MCP_SESSION_ID] = {0};

	if (id.n != sizeof(key) - 1)
		return NULL;
	memcpy(key, id.p, id.n);
	pthread_mutex_lock(&table->lock);
	struct kh_http_mcp_session *s = look_up(table, key, token, now);
	pthread_mutex_unlock(&table->lock);
	return s;
}

void kh_http_mcp_session_drop(struct kh_http_mcp_session *s)
{
	struct kh_http_mcp_sessions *table = s->table;

	pthread_mutex_lock(&table->lock);
	bool last = --s->refs == 0;
	pthread_mutex_unlock(&table->lock);
	if (!last)
		return;
	table->freed(s);
	pthread_mutex_destroy(&s->lock);
	kh_alloc_free(table->alloc, s, sizeof(*s));
}

void kh_http_mcp_session_end(struct kh_http_mcp_session *s)
{
	pthread_mutex_lock(&s->table->lock);
	bool was = s->listed;
	if (was)
		leave(s->table, s);
	pthread_mutex_unlock(&s->table->lock);
	if (was)
		over(s);
}

/* Removes the session that was used longest ago from the table, if that was before SINCE; else returns NULL. */
static struct kh_http_mcp_session *take_idle(struct kh_http_mcp_sessions *table, int64_t since)
{
	struct kh_http_mcp_session *s;

	pthread_mutex_lock(&table->lock);
	s = table->oldest;
	while (s && s->used < since && s->refs > 1) /* a client is connected to it */
		s = s->newer;
	if (s && s->used < since)
		leave(table, s);
	else
		s = NULL;
	pthread_mutex_unlock(&table->lock);
	return s;
}

void kh_http_mcp_session_sweep(struct kh_http_mcp_sessions *table, int64_t now,
			       void (*visit)(struct kh_http_mcp_session *session, int64_t now))
{
	struct kh_http_mcp_session *s, *next;

	while ((s = take_idle(table, now - KH_HTTP_MCP_SESSION_IDLE)) != NULL)
		over(s);
	if (!visit)
		return;
	pthread_mutex_lock(&table->lock);
	s = table->newest;
	if (s)
		s->refs++;
	pthread_mutex_unlock(&table->lock);
	while (s) {
		visit(s, now);
		pthread_mutex_lock(&table->lock);
		next = s->listed ? s->older : NULL; /* if S was removed meanwhile, the rest is left to the next sweep */
		if (next)
			next->refs++;
		pthread_mutex_unlock(&table->lock);
		kh_http_mcp_session_drop(s);
		s = next;
	}
}

unsigned kh_http_mcp_session_count(struct kh_http_mcp_sessions *table)
{
	unsigned count;

	pthread_mutex_lock(&table->lock);
	count = table->count;
	pthread_mutex_unlock(&table->lock);
	return count;
}

void kh_http_mcp_session_done(struct kh_http_mcp_sessions *table)
{
	while (table->newest)
		kh_http_mcp_session_end(table->newest);
	pthread_mutex_destroy(&table->lock);
}
