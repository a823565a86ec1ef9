/*
 * Two connected sockets, and the bytes between them in both ways: half-closed connections stay half-closed, a reader
 * that is slow stops its writer, and no more than one piece is held for each way.
 */
#ifndef KH_EXECUTOR_PUMP_H
#define KH_EXECUTOR_PUMP_H

#include "base/alloc.h"
#include "base/view.h"

enum kh_pump_side { KH_PUMP_CLIENT = 0, KH_PUMP_SERVER, KH_PUMP_SIDES };

/* The way from one side to the other. */
struct kh_pump_way {
	char *held; /* a piece that the other side has not taken yet */
	size_t at, n;
	bool has_ended; /* nothing more comes */
	bool is_shut;   /* and the other side was told so */
};

struct kh_pump {
	int fd[KH_PUMP_SIDES]; /* they do not block; -1 */
	struct kh_pump_way way[KH_PUMP_SIDES];
};

/* Bytes that came from each side, over all of them together, and the most that clients may send. */
struct kh_pump_tally {
	uint64_t moved[KH_PUMP_SIDES], most;
};

#define KH_PUMP_PIECE 131072

enum kh_pump_result {
	KH_PUMP_OPEN = 0,
	KH_PUMP_OVER,   /* both ways have ended */
	KH_PUMP_BROKEN, /* one of the sockets failed */
	KH_PUMP_SPENT,  /* the client wants to send more than it may */
};

/* Moves what can be moved now on the way that begins at FROM.  ROOM is for one piece; nothing is left in it. */
enum kh_pump_result kh_pump_move(struct kh_pump *pump, enum kh_pump_side from, struct kh_pump_tally *tally,
				 char room[KH_PUMP_PIECE]);

/* True if the way that begins at SIDE waits for bytes, or for room at its end. */
bool kh_pump_wants_input(const struct kh_pump *pump, enum kh_pump_side side);
bool kh_pump_wants_room(const struct kh_pump *pump, enum kh_pump_side side);

/*
 * Closes both sockets.  RESET: the peers get an error in place of an end.  But a server that was told that its client
 * has ended is not reset: what was sent to it may still be on its way.
 */
void kh_pump_close(struct kh_pump *pump, bool reset, char room[KH_PUMP_PIECE]);

#endif
