/*
 * The forwarder of one request (U2): a process of its own, which accepts what a sandboxed program connects to and moves
 * the bytes.  It resolves no name, makes no connection and reads no byte for its meaning: the executor hands it
 * connections (DIAL), and has the first bytes judged by a worker (JUDGE).
 *
 * It has the listening sockets, its channel, and the connections.  It can open no file and no socket.  It ends with its
 * channel, and dies with the executor.
 */
#ifndef KH_EXECUTOR_FORWARDER_H
#define KH_EXECUTOR_FORWARDER_H

#include "sandbox/kit.h"
#include "wire/request.h"

#define KH_FORWARDER_QUESTIONS 8 /* of one forwarder at once */

struct kh_forwarder {
	const struct kh_sandbox_kit *kit;
	int channel;
	int listening[KH_REQUEST_NETWORK];
	bool is_tls[KH_REQUEST_NETWORK]; /* ports on which nothing but TLS is passed on */
	size_t count;
	uint64_t bytes_out;
};

/* In a fork of the executor: locks itself down, forwards, and ends. */
_Noreturn void kh_forwarder_main(const struct kh_forwarder *with);

#endif
