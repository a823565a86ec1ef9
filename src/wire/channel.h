/*
 * One end of a SOCK_SEQPACKET socket pair: whole messages with their descriptors, never blocking.
 */
#ifndef KH_WIRE_CHANNEL_H
#define KH_WIRE_CHANNEL_H

#include "wire/message.h"

/* The descriptor number of the channel to its parent in an executor, and of its channel or connection in a worker. */
#define KH_CHANNEL_INHERITED 3

enum kh_io {
	KH_IO_DONE = 0, /* a whole message */
	KH_IO_AGAIN,    /* not now */
	KH_IO_CLOSED,   /* the peer is gone */
	KH_IO_BROKEN,   /* the peer sent no valid message (too long, too many descriptors), or the socket failed */
};

/* A pair of non-blocking ends, closed on exec. */
enum kh_err kh_channel_pair(int ret_fds[2], struct kh_error *err) KH_CHECKED;

/* Sends PACKET with FDS; the caller still owns the descriptors. */
enum kh_io kh_channel_send(int fd, struct kh_view packet, const int *fds, size_t fd_count) KH_CHECKED;

/* Ends OUT and sends it with FDS; KH_IO_BROKEN also if OUT is not a valid message (message.h). */
enum kh_io kh_channel_say(int fd, struct kh_message_out *out, const int *fds, size_t fd_count) KH_CHECKED;

/*
 * Receives one packet into BUFFER (KH_MESSAGE_MAX bytes).  The caller owns the descriptors that came with it (closed on
 * exec).  More than KH_MESSAGE_FDS of them, or a packet that is longer than the buffer, is KH_IO_BROKEN and closes them
 * all.
 */
enum kh_io kh_channel_receive(int fd, char *buffer, struct kh_view *ret_packet, int ret_fds[KH_MESSAGE_FDS],
			      size_t *ret_fd_count) KH_CHECKED;

/*
 * Receives one message that comes without descriptors, waiting up to TIMEOUT_MS (0: not at all, -1: for ever), and
 * advances *STATE.  KH_IO_BROKEN also if it is not a message that is permitted now; then *ERR, which may be NULL, says
 * why (message.h).
 */
enum kh_io kh_channel_hear(int fd, char *buffer, enum kh_message_state *state, int timeout_ms,
			   struct kh_message *ret_message, struct kh_error *err) KH_CHECKED;

/* True if the peer is gone, even if there is still something to read.  Reads nothing. */
bool kh_channel_closed(int fd);

/* As above, but waits up to TIMEOUT_MS (-1: for ever) until it can be done; KH_IO_AGAIN if the time ran out. */
enum kh_io kh_channel_send_wait(int fd, struct kh_view packet, const int *fds, size_t fd_count,
				int timeout_ms) KH_CHECKED;
enum kh_io kh_channel_receive_wait(int fd, char *buffer, struct kh_view *ret_packet, int ret_fds[KH_MESSAGE_FDS],
				   size_t *ret_fd_count, int timeout_ms) KH_CHECKED;

#endif
