/*
 * The response path of the HTTP worker (E8): the bytes are what a server sends.  Whatever they are, the worker's
 * messages are permitted by the table, within the caps, and end with one DONE whose detail is our own words.
 *
 * The first byte chooses method and cap; the rest goes through libcurl as the worker uses it.
 */
#include "fuzz.h"

#include "worker/http/http.h"

#include <errno.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

#define SERVER_MAX 100000 /* bytes: what a socket pair takes at once */

/* As the worker's own filter does: see the list of system calls. */
static void answer_connect(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	HOLDS(filter != NULL);
	HOLDS(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINPROGRESS), SCMP_SYS(connect), 0) == 0);
	HOLDS(seccomp_load(filter) == 0);
	seccomp_release(filter);
}

static void send_job(int channel, int socket, uint64_t cap, bool post)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_TRANSFER);
	kh_message_number(&out, KH_FIELD_WALL, 10000);
	kh_message_number(&out, KH_FIELD_OUTPUT, cap);
	kh_message_text(&out, KH_FIELD_URL, KH_LIT("http://example.test/a/b?c"));
	kh_message_number(&out, KH_FIELD_METHOD, post ? KH_METHOD_POST : KH_METHOD_GET);
	HOLDS(kh_message_end(&out, &packet) == KH_OK);
	HOLDS(kh_channel_send(channel, packet, &socket, 1) == KH_IO_DONE);
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_INPUT_END);
	HOLDS(kh_message_end(&out, &packet) == KH_OK);
	HOLDS(kh_channel_send(channel, packet, NULL, 0) == KH_IO_DONE);
}

static void check_messages(int channel, uint64_t cap)
{
	static char buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_TRANSFER_HEAD;
	struct kh_message message = {.type = KH_MESSAGE_NONE};
	int fds[KH_MESSAGE_FDS];
	struct kh_view packet;
	uint64_t written = 0;
	size_t fd_count;

	while (message.type != KH_MESSAGE_DONE) {
		HOLDS(kh_channel_receive(channel, buffer, &packet, fds, &fd_count) == KH_IO_DONE);
		HOLDS(kh_message_read(packet, fd_count, &state, &message, NULL) == KH_OK);
		if (message.type == KH_MESSAGE_HEAD)
			HOLDS(message.number[KH_FIELD_STATUS] >= 200);
		written += message.bulk.n;
	}
	HOLDS(written <= cap);
	HOLDS((message.number[KH_FIELD_FAULT] == KH_FAULT_NONE) == (message.text[KH_FIELD_DETAIL].n == 0));
	kh_fuzz_showable(message.text[KH_FIELD_DETAIL]);
	HOLDS(kh_channel_receive(channel, buffer, &packet, fds, &fd_count) != KH_IO_DONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kh_worker worker;
	struct kh_transfer *http = NULL;
	int ends[2], sockets[2];

	if (size < 1 || size > SERVER_MAX)
		return 0;
	answer_connect();
	uint64_t cap = data[0] & 2 ? 100 : 50000;
	HOLDS(kh_channel_pair(ends, NULL) == KH_OK);
	HOLDS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
	HOLDS(send(sockets[1], data + 1, size - 1, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size - 1);
	HOLDS(shutdown(sockets[1], SHUT_WR) == 0);
	send_job(ends[0], sockets[0], cap, data[0] & 1);
	close(sockets[0]);
	HOLDS(kh_transfer_new(&kh_alloc_system, &http, NULL) == KH_OK);
	worker.channel = ends[1];
	worker.state = KH_STATE_WORKER_HTTP;
	HOLDS(kh_worker_http_serve(&worker, http, KH_LIT("")) == 0);
	kh_transfer_free(http);
	check_messages(ends[0], cap);
	close(ends[0]);
	close(ends[1]);
	close(sockets[1]);
	return 0;
}
