/* Reads and writes the bytes of one connection and splits them into lines. */
#include "mcp/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL 4096 /* bytes that an idle connection may keep for its next line */

struct kh_mcp_connection *kh_mcp_connection_new(const struct kh_alloc *alloc, int in, int out, bool borrowed)
{
	struct kh_mcp_connection *c = kh_alloc_zero(alloc, sizeof(*c));
	struct stat st;

	if (c == NULL)
		return NULL;
	c->alloc = alloc;
	c->in = in;
	c->out = out;
	c->borrowed = borrowed;
	c->since = kh_works_now();
	c->watched_in = c->watched_out = -1;
	c->unpolled_in = fstat(in, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
	c->out_flags = fcntl(out, F_GETFL);
	if (c->out_flags >= 0)
		(void)fcntl(out, F_SETFL, c->out_flags | O_NONBLOCK);
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

/* True if the connection may keep N unsent bytes for the other end. */
static bool may_keep(const struct kh_mcp_connection *c, size_t n)
{
	if (n > KH_MCP_CONNECTION_FEW && c->all != NULL && atomic_load(c->all) > KH_MCP_CONNECTION_ALL)
		return false;
	return n <= KH_MCP_CONNECTION_UNSENT;
}

/* Updates the count of bytes that all connections keep; C kept ROOM bytes before. */
static void count_kept(const struct kh_mcp_connection *c, size_t room)
{
	if (c->all == NULL)
		return;
	atomic_fetch_add(c->all, c->unsent_room);
	atomic_fetch_sub(c->all, room);
}

static void forget_unsent(struct kh_mcp_connection *c)
{
	size_t room = c->unsent_room;

	c->unsent_n = c->unsent_at = 0;
	kh_alloc_free(c->alloc, c->unsent, c->unsent_room);
	c->unsent = NULL;
	c->unsent_room = 0;
	count_kept(c, room);
}

void kh_mcp_connection_free(struct kh_mcp_connection *c)
{
	kh_alloc_free(c->alloc, c->line, c->line_room);
	forget_unsent(c);
	pthread_mutex_destroy(&c->lock);
	kh_alloc_free(c->alloc, c, sizeof(*c));
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

/* Makes room for WANT bytes at *P, which has *ROOM. */
static bool grow(const struct kh_alloc *alloc, char **p, size_t *room, size_t used, size_t want)
{
	size_t size = *room > 0 ? *room : SMALL;

	if (want <= *room)
		return true;
	while (size < want)
		size *= 2;
	char *bigger = kh_alloc_zero(alloc, size);
	if (bigger == NULL)
		return false;
	if (used > 0)
		memcpy(bigger, *p, used);
	kh_alloc_free(alloc, *p, *room);
	*p = bigger;
	*room = size;
	return true;
}

bool kh_mcp_connection_read(struct kh_mcp_connection *c)
{
	char bytes[KH_MCP_CONNECTION_READ];
	ssize_t n = read(c->in, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0) {
		c->ended = true;
		return true;
	}
	if (!grow(c->alloc, &c->line, &c->line_room, c->line_n, c->line_n + (size_t)n))
		return false;
	memcpy(c->line + c->line_n, bytes, (size_t)n);
	c->line_n += (size_t)n;
	return true;
}

/* Removes empty lines and blanks before a line, all at once, because each removal moves everything that follows. */
static void skip_blanks(struct kh_mcp_connection *c)
{
	size_t n = 0;

	while (n < c->line_n && kh_ascii_is_blank(c->line[n]))
		n++;
	if (n > 0)
		kh_mcp_connection_skip(c, n);
}

bool kh_mcp_connection_line(struct kh_mcp_connection *c, struct kh_view *ret_line, size_t *ret_size)
{
	skip_blanks(c);
	const char *end = c->line_n > c->scanned ? memchr(c->line + c->scanned, '\n', c->line_n - c->scanned) : NULL;
	size_t n = end != NULL ? (size_t)(end - c->line) : c->line_n;

	if (end == NULL && (!c->ended || c->line_n == 0)) {
		c->scanned = c->line_n;
		return false;
	}
	*ret_size = end != NULL ? n + 1 : n;
	*ret_line = kh_view_trim(kh_view_of(c->line, n));
	return true;
}

void kh_mcp_connection_skip(struct kh_mcp_connection *c, size_t size)
{
	c->scanned = 0;
	c->line_n -= size;
	if (c->line_n > 0) {
		memmove(c->line, c->line + size, c->line_n);
		return;
	}
	if (c->line_room > SMALL) {
		kh_alloc_free(c->alloc, c->line, c->line_room);
		c->line = NULL;
		c->line_room = 0;
	}
}

bool kh_mcp_connection_is_overlong(const struct kh_mcp_connection *c)
{
	return c->scanned == c->line_n && c->line_n > KH_MCP_MESSAGE;
}

struct kh_view kh_mcp_connection_token(struct kh_arena *arena, struct kh_view line)
{
	yyjson_val *root = NULL;

	if (line.n == 0 || line.p[0] != '{')
		return line;
	if (kh_json_read(arena, line, &root, NULL) != KH_OK)
		return (struct kh_view){NULL, 0};
	return kh_json_str(kh_json_get(root, "token"));
}

/* --- out; the lock is held ---------------------------------------------------------------------------------------- */

/* Returns the bytes written; 0: try again later; -1: the connection is broken. */
static ssize_t put(const struct kh_mcp_connection *c, const char *p, size_t n)
{
	ssize_t sent;

	do
		sent = c->in == c->out ? send(c->out, p, n, MSG_NOSIGNAL) : write(c->out, p, n);
	while (sent < 0 && errno == EINTR);
	return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : sent;
}

static void drain(struct kh_mcp_connection *c)
{
	while (c->unsent_at < c->unsent_n && !c->broken) {
		ssize_t n = put(c, c->unsent + c->unsent_at, c->unsent_n - c->unsent_at);
		if (n == 0)
			return;
		c->broken = n < 0;
		c->unsent_at += n > 0 ? (size_t)n : 0;
	}
	forget_unsent(c);
}

static void keep(struct kh_mcp_connection *c, struct kh_view bytes)
{
	if (c->unsent_at > 0) {
		memmove(c->unsent, c->unsent + c->unsent_at, c->unsent_n - c->unsent_at);
		c->unsent_n -= c->unsent_at;
		c->unsent_at = 0;
	}
	size_t room = c->unsent_room;
	if (!may_keep(c, c->unsent_n + bytes.n) ||
	    !grow(c->alloc, &c->unsent, &c->unsent_room, c->unsent_n, c->unsent_n + bytes.n)) {
		c->broken = true;
		return;
	}
	count_kept(c, room);
	memcpy(c->unsent + c->unsent_n, bytes.p, bytes.n);
	c->unsent_n += bytes.n;
}

bool kh_mcp_connection_send(struct kh_mcp_connection *c, struct kh_view message)
{
	pthread_mutex_lock(&c->lock);
	if (!c->broken) {
		keep(c, message);
		keep(c, KH_LIT("\n"));
		drain(c);
	}
	bool attention = c->broken || c->unsent_n > 0;
	pthread_mutex_unlock(&c->lock);
	return attention;
}

void kh_mcp_connection_flush(struct kh_mcp_connection *c)
{
	pthread_mutex_lock(&c->lock);
	if (!c->broken && c->unsent_n > 0)
		drain(c);
	pthread_mutex_unlock(&c->lock);
}

bool kh_mcp_connection_is_idle(struct kh_mcp_connection *c)
{
	pthread_mutex_lock(&c->lock);
	bool idle = c->running == 0 && c->unsent_n == 0;
	pthread_mutex_unlock(&c->lock);
	return idle;
}

void kh_mcp_connection_close(struct kh_mcp_connection *c)
{
	pthread_mutex_lock(&c->lock);
	c->broken = true;
	forget_unsent(c);
	if (c->borrowed && c->out_flags >= 0)
		(void)fcntl(c->out, F_SETFL, c->out_flags);
	if (!c->borrowed)
		close(c->out);
	if (!c->borrowed && c->in != c->out)
		close(c->in);
	c->in = c->out = -1;
	c->state = KH_MCP_CONNECTION_CLOSED;
	pthread_mutex_unlock(&c->lock);
}
