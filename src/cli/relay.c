/* The relay's loop: one thread, one poll.  It does not interpret what it copies.  Neither side can block the other
 * direction: bytes are read when there is room for them, and written when poll(2) says that they are accepted. */
#include "cli/relay.h"

#include "home/confine.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM  65536
#define PIECE 4096 /* PIPE_BUF: what a writable pipe accepts without blocking */

/* One direction. */
struct way {
	int from, to;
	bool ended;      /* nothing more will be read */
	bool closed;     /* and the other side was told */
	int error;       /* errno of a write that failed */
	size_t at, n;    /* bytes AT to N have been read and not been written */
	uint64_t copied; /* bytes, since the beginning */
	char bytes[ROOM];
};

static bool is_over(int why)
{
	return why != EINTR && why != EAGAIN && why != EWOULDBLOCK;
}

static void fill(struct way *way)
{
	ssize_t n = read(way->from, way->bytes, sizeof(way->bytes));

	if (n == 0 || (n < 0 && is_over(errno)))
		way->ended = true;
	way->at = 0;
	way->n = n > 0 ? (size_t)n : 0;
}

static void empty(struct way *way)
{
	size_t left = way->n - way->at;
	ssize_t n = write(way->to, way->bytes + way->at, left < PIECE ? left : PIECE);

	if (n < 0 && is_over(errno))
		way->error = errno;
	if (n > 0) {
		way->at += (size_t)n;
		way->copied += (size_t)n;
	}
}

/* Sets what to poll for in one direction; a side that has nothing to do is left out. */
static void want(const struct way *way, struct pollfd *from, struct pollfd *to)
{
	bool full = way->at < way->n, works = way->error == 0;

	*from = (struct pollfd){.fd = works && !full && !way->ended ? way->from : -1, .events = POLLIN};
	*to = (struct pollfd){.fd = works && full ? way->to : -1, .events = POLLOUT};
}

static void go(struct way *way, const struct pollfd *from, const struct pollfd *to)
{
	if (from->fd >= 0 && from->revents != 0)
		fill(way);
	else if (to->fd >= 0 && to->revents != 0)
		empty(way);
}

/* True for the gateway's answer to a token that is not valid (mcp/lines.h): none of its other messages has the id
 * null. */
static bool is_refusal(const struct way *down)
{
	static const char begins[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":";

	return down->copied == 0 && down->n >= sizeof(begins) - 1 &&
	       memcmp(down->bytes, begins, sizeof(begins) - 1) == 0;
}

static enum kh_relay_end copy(struct way *up, struct way *down)
{
	bool refused = false;

	for (;;) {
		struct pollfd fds[4];

		if (up->ended && up->at == up->n && !up->closed) {
			/* The client has sent everything; its requests may still be answered. */
			shutdown(up->to, SHUT_WR);
			up->closed = true;
		}
		if (down->error != 0) {
			errno = down->error;
			return KH_RELAY_LOST;
		}
		/* The gateway has closed; what it sent before was read to its end. */
		if (down->ended && down->at == down->n && (refused || (!up->closed && down->copied == 0)))
			return KH_RELAY_REFUSED;
		if (down->ended && down->at == down->n)
			return up->closed ? KH_RELAY_DONE : KH_RELAY_GONE;
		want(up, &fds[0], &fds[1]);
		want(down, &fds[2], &fds[3]);
		if (poll(fds, 4, -1) < 0 && errno != EINTR)
			return KH_RELAY_GONE;
		go(up, &fds[0], &fds[1]);
		go(down, &fds[2], &fds[3]);
		refused = refused || is_refusal(down);
	}
}

/* Sends the token and a newline, before anything else. */
static bool send_token(int socket, struct kh_view token)
{
	struct kh_view rest = token;

	while (rest.n > 0) {
		ssize_t n = send(socket, rest.p, rest.n, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false;
		rest = kh_view_from(rest, n > 0 ? (size_t)n : 0);
	}
	return send(socket, "\n", 1, MSG_NOSIGNAL) == 1;
}

enum kh_err kh_relay_run(int in, int out, int socket, struct kh_view token, enum kh_relay_end *ret_end,
			 struct kh_error *err)
{
	struct way *ways = kh_alloc_zero(&kh_alloc_system, 2 * sizeof(*ways));

	if (ways == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	enum kh_err e = kh_confine_all(err);
	if (e == KH_OK && !send_token(socket, token))
		e = kh_error_set(err, KH_ESTORE, "gateway_lost", "the gateway does not take the token: %s",
				 strerror(errno));
	explicit_bzero((void *)(uintptr_t)token.p, token.n);
	if (e == KH_OK) {
		ways[0].from = in;
		ways[0].to = ways[1].from = socket;
		ways[1].to = out;
		*ret_end = copy(&ways[0], &ways[1]);
	}
	kh_alloc_free(&kh_alloc_system, ways, 2 * sizeof(*ways));
	return e;
}
