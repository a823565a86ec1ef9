/*
 * A relay (I9): what an agent's client starts in place of a server.  It sends its token to the gateway's Unix socket as
 * the first line, and then copies bytes both ways.  It holds only the token, two descriptors and the socket: before the
 * first byte is copied it gives up opening files, making sockets and starting programs.
 */
#ifndef KH_CLI_RELAY_H
#define KH_CLI_RELAY_H

#include "base/error.h"

enum kh_relay_end {
	KH_RELAY_DONE,    /* the client has ended, and everything for it was written */
	KH_RELAY_REFUSED, /* the gateway does not accept the token, and has closed */
	KH_RELAY_GONE,    /* the gateway has closed while the client was connected */
	KH_RELAY_LOST,    /* the client does not accept output: errno */
};

/* Relays between IN and OUT and the gateway at SOCKET, until one of them ends.  TOKEN is wiped when it was sent.
 * KH_OK, and how it ended; KH_EREFUSED `lockdown`; KH_ESTORE `gateway_lost` if the token cannot be sent. */
enum kh_err kh_relay_run(int in, int out, int socket, struct kh_view token, enum kh_relay_end *ret_end,
			 struct kh_error *err) KH_CHECKED;

#endif
