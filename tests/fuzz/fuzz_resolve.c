/*
 * The name server's side of a stream (E8): whatever it sends, the worker ends with one message: addresses of the two kinds
 * that it asked for, or a fault with our own sentence.  Each answer has its length before it; the ids of the questions are
 * known here, because random numbers are none.
 */
#include "fuzz.h"

#include "wire/channel.h"
#include "worker/resolve/dns.h"
#include "worker/resolve/resolve.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define SERVER_MAX 100000 /* bytes: what a socket pair takes at once */

/* In place of the system's: the ids are 0x4141 and 0x4140. */
ssize_t getrandom(void *buffer, size_t n, unsigned flags)
{
	(void)flags;
	memset(buffer, 'A', n);
	return (ssize_t)n;
}

static void send_lookup(int channel, int socket)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, KH_LIT("www.example.com"));
	HOLDS(kh_channel_say(channel, &out, &socket, 1) == KH_IO_DONE);
}

static void check_result(int channel)
{
	static char buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_RESOLVING;
	struct kh_message message;
	struct kh_view item;
	size_t cursor = 0, count = 0;

	HOLDS(kh_channel_hear(channel, buffer, &state, 0, &message, NULL) == KH_IO_DONE);
	if (message.type == KH_MESSAGE_DONE) {
		HOLDS(message.number[KH_FIELD_FAULT] == KH_FAULT_NAME && message.text[KH_FIELD_DETAIL].n > 0);
		return;
	}
	HOLDS(message.type == KH_MESSAGE_ADDRESSES && !message.has[KH_FIELD_TRUNCATED]);
	while (kh_message_item(&message, KH_FIELD_ADDRESS, &cursor, &item)) {
		HOLDS(item.n == 4 || item.n == 16);
		count++;
	}
	HOLDS(count <= (size_t)2 * KH_DNS_ADDRESSES);
	HOLDS(kh_channel_hear(channel, buffer, &state, 0, &message, NULL) != KH_IO_DONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kh_worker worker;
	int ends[2], sockets[2];

	if (size > SERVER_MAX)
		return 0;
	HOLDS(kh_channel_pair(ends, NULL) == KH_OK);
	HOLDS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
	HOLDS(size == 0 || send(sockets[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size);
	HOLDS(shutdown(sockets[1], SHUT_WR) == 0);
	send_lookup(ends[0], sockets[0]);
	close(sockets[0]);
	worker.channel = ends[1];
	worker.state = KH_STATE_WORKER_RESOLVE;
	int received = dup(ends[0]); /* the number that the worker's socket will have, which ends with its process */
	close(received);
	HOLDS(kh_worker_resolve_serve(&worker, KH_LIT("")) == 0);
	close(received);
	check_result(ends[0]);
	close(ends[0]);
	close(ends[1]);
	close(sockets[1]);
	return 0;
}
