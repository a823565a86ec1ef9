/* Bytes between two sockets.  They are not looked at.  Trusts neither side to read, to write or to end. */
#include "executor/pump.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define TURNS 16 /* pieces before others get their turn */

/* Sends BYTES; returns how many were taken, -1 if the socket failed. */
static ssize_t send_some(int fd, struct kh_view bytes)
{
	ssize_t n = send(fd, bytes.p, bytes.n, MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

static void release(struct kh_pump_way *way)
{
	if (way->held != NULL)
		kh_alloc_free(&kh_alloc_system, way->held, way->n);
	*way = (struct kh_pump_way){.has_ended = way->has_ended, .is_shut = way->is_shut};
}

static bool hold(struct kh_pump_way *way, struct kh_view bytes)
{
	way->held = kh_alloc_zero(&kh_alloc_system, bytes.n);
	if (way->held == NULL)
		return false;
	memcpy(way->held, bytes.p, bytes.n);
	way->n = bytes.n;
	return true;
}

/* Sends what is held to FD.  False if the socket failed. */
static bool send_held(struct kh_pump_way *way, int fd)
{
	ssize_t n = send_some(fd, kh_view_of(way->held + way->at, way->n - way->at));

	if (n < 0)
		return false;
	way->at += (size_t)n;
	if (way->at == way->n)
		release(way);
	return true;
}

/* Reads one piece and passes it on.  *RET_MORE: there may be another one. */
static enum kh_pump_result move_piece(struct kh_pump *pump, enum kh_pump_side from, struct kh_pump_tally *tally,
				      char *room, bool *ret_more)
{
	struct kh_pump_way *way = &pump->way[from];
	uint64_t left = from == KH_PUMP_CLIENT ? tally->most - tally->moved[from] : UINT64_MAX;
	/* One byte more than may be sent shows that there is more. */
	ssize_t n = recv(pump->fd[from], room, left < KH_PUMP_PIECE ? (size_t)left + 1 : KH_PUMP_PIECE, MSG_DONTWAIT);

	*ret_more = false;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? KH_PUMP_OPEN : KH_PUMP_BROKEN;
	way->has_ended = n == 0;
	if (n == 0)
		return KH_PUMP_OPEN;
	if ((uint64_t)n > left)
		return KH_PUMP_SPENT;
	tally->moved[from] += (uint64_t)n;
	ssize_t sent = send_some(pump->fd[1 - from], kh_view_of(room, (size_t)n));
	if (sent < 0 || (sent < n && !hold(way, kh_view_of(room + sent, (size_t)(n - sent)))))
		return KH_PUMP_BROKEN;
	*ret_more = sent == n;
	return KH_PUMP_OPEN;
}

enum kh_pump_result kh_pump_move(struct kh_pump *pump, enum kh_pump_side from, struct kh_pump_tally *tally,
				 char room[KH_PUMP_PIECE])
{
	struct kh_pump_way *way = &pump->way[from];
	enum kh_pump_result result = KH_PUMP_OPEN;
	bool more = true;

	if (way->n > 0 && !send_held(way, pump->fd[1 - from]))
		return KH_PUMP_BROKEN;
	for (int turn = 0; turn < TURNS && more && result == KH_PUMP_OPEN && way->n == 0 && !way->has_ended; turn++)
		result = move_piece(pump, from, tally, room, &more);
	if (result != KH_PUMP_OPEN)
		return result;
	if (way->has_ended && way->n == 0 && !way->is_shut) {
		way->is_shut = true;
		if (shutdown(pump->fd[1 - from], SHUT_WR) < 0)
			return KH_PUMP_BROKEN;
	}
	return way->is_shut && pump->way[1 - from].is_shut ? KH_PUMP_OVER : KH_PUMP_OPEN;
}

bool kh_pump_wants_input(const struct kh_pump *pump, enum kh_pump_side side)
{
	return pump->way[side].n == 0 && !pump->way[side].has_ended;
}

bool kh_pump_wants_room(const struct kh_pump *pump, enum kh_pump_side side)
{
	return pump->way[side].n > 0;
}

/* A socket that is closed with something unread resets its peer. */
static void discard_input(int fd, char *room)
{
	for (int turn = 0; turn < TURNS && recv(fd, room, KH_PUMP_PIECE, MSG_DONTWAIT) > 0; turn++)
		;
}

void kh_pump_close(struct kh_pump *pump, bool reset, char room[KH_PUMP_PIECE])
{
	const struct linger at_once = {.l_onoff = 1};
	const bool gently[KH_PUMP_SIDES] = {[KH_PUMP_SERVER] = pump->way[KH_PUMP_CLIENT].is_shut};

	for (int side = 0; side < KH_PUMP_SIDES; side++) {
		int fd = pump->fd[side];
		release(&pump->way[side]);
		pump->fd[side] = -1;
		if (fd < 0)
			continue;
		if (reset && gently[side])
			discard_input(fd, room);
		else if (reset)
			(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fd);
	}
}
