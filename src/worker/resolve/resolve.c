/*
 * The worker that asks a name server.
 *
 * Trusts the executor, and the hosts file of its own root.  Only this process parses, with dns.c, what the name server
 * sends; the output is at most 16 addresses, which the executor checks one by one.
 */
#include "worker/resolve/resolve.h"

#include "base/clock.h"
#include "worker/resolve/dns.h"
#include "worker/resolve/hosts.h"

#include <errno.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#define QUESTIONS   2
#define PATIENCE_MS 5000
#define AGAIN_MS    2000 /* a datagram without an answer by then is sent once more */
#define OTHER_MS    1000 /* how long addresses of one family wait for those of the other */
#define HOSTS_MAX   (1U << 20)

struct lookup {
	int socket;
	bool is_stream;
	struct kh_dns_question question[QUESTIONS];
	bool answered[QUESTIONS], failed[QUESTIONS];
	bool truncated;
	struct kh_address address[QUESTIONS][KH_DNS_ADDRESSES];
	size_t count[QUESTIONS];
	char bytes[2 + KH_DNS_PACKET]; /* a datagram, or the bytes of a stream so far */
	size_t have;
};

static bool all_answered(const struct lookup *lookup)
{
	return lookup->answered[0] && lookup->answered[1];
}

static bool init(struct lookup *lookup, int socket, struct kh_view name)
{
	uint16_t ids[QUESTIONS];
	socklen_t size = sizeof(int);
	int type = 0;

	lookup->socket = socket;
	if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
		return false;
	lookup->is_stream = type == SOCK_STREAM;
	if (getrandom(ids, sizeof(ids), 0) != (ssize_t)sizeof(ids))
		return false;
	if (ids[0] == ids[1]) /* ids must differ, because an answer is first matched by its id */
		ids[1] ^= 1;
	lookup->question[0] = (struct kh_dns_question){.id = ids[0], .type = KH_DNS_A, .name = name};
	lookup->question[1] = (struct kh_dns_question){.id = ids[1], .type = KH_DNS_AAAA, .name = name};
	return true;
}

/* Sends the questions that have no answer yet.  They are short, so a stream takes them in one piece. */
static bool ask(const struct lookup *lookup)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		unsigned char packet[2 + KH_DNS_QUERY];
		if (lookup->answered[i])
			continue;
		size_t n = kh_dns_write(&lookup->question[i], packet + 2), skip = lookup->is_stream ? 0 : 2;
		if (n == 0)
			return false;
		packet[0] = (unsigned char)(n >> 8);
		packet[1] = (unsigned char)n;
		n = n + 2 - skip;
		if (send(lookup->socket, packet + skip, n, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)n)
			return false;
	}
	return true;
}

static void read_answer(struct lookup *lookup, struct kh_view packet)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		if (lookup->answered[i])
			continue;
		enum kh_dns_verdict verdict = kh_dns_read(packet, &lookup->question[i], lookup->address[i],
							  &lookup->count[i]);
		if (verdict == KH_DNS_FOREIGN)
			continue;
		lookup->answered[i] = true;
		/* A stream has no reason to truncate an answer. */
		lookup->failed[i] = verdict == KH_DNS_FAILED || (verdict == KH_DNS_TRUNCATED && lookup->is_stream);
		if (verdict == KH_DNS_TRUNCATED && !lookup->is_stream)
			lookup->truncated = true;
		return;
	}
}

/* Takes the complete answers out of a stream's bytes: each has its length before it. */
static void read_stream(struct lookup *lookup)
{
	size_t at = 0;

	while (lookup->have - at >= 2) {
		size_t n = (size_t)(unsigned char)lookup->bytes[at] << 8 | (unsigned char)lookup->bytes[at + 1];
		if (lookup->have - at - 2 < n)
			break;
		read_answer(lookup, kh_view_of(lookup->bytes + at + 2, n));
		at += 2 + n;
	}
	memmove(lookup->bytes, lookup->bytes + at, lookup->have - at);
	lookup->have -= at;
}

/* Reads what is available now.  False if nothing more will come. */
static bool receive(struct lookup *lookup)
{
	size_t room = sizeof(lookup->bytes) - lookup->have;
	ssize_t got = recv(lookup->socket, lookup->bytes + lookup->have, room, MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!lookup->is_stream) {
		read_answer(lookup, kh_view_of(lookup->bytes, (size_t)got));
		return true;
	}
	lookup->have += (size_t)got;
	read_stream(lookup);
	return got > 0;
}

/* Waits until a stream is connected. */
static bool wait_connected(const struct lookup *lookup, int64_t deadline)
{
	struct pollfd p = {.fd = lookup->socket, .events = POLLOUT};

	return !lookup->is_stream || poll(&p, 1, kh_worker_left(deadline)) > 0;
}

/* True if one of the questions has found addresses already. */
static bool one_found(const struct lookup *lookup)
{
	return lookup->count[0] + lookup->count[1] > 0;
}

/* Asks and listens until both questions are answered, the server is gone, or the time is over. */
static void exchange(struct lookup *lookup)
{
	int64_t now = kh_clock_ms(), deadline = now + PATIENCE_MS;
	int64_t again = lookup->is_stream ? deadline : now + AGAIN_MS;
	bool goes_on = wait_connected(lookup, deadline) && ask(lookup), hurries = false;

	while (goes_on && !all_answered(lookup) && !lookup->truncated) {
		struct pollfd p = {.fd = lookup->socket, .events = POLLIN};
		int n = poll(&p, 1, kh_worker_left(again < deadline ? again : deadline));
		if (n < 0)
			goes_on = errno == EINTR;
		else if (n > 0)
			goes_on = receive(lookup);
		now = kh_clock_ms();
		if (goes_on && n == 0 && now >= again && again < deadline) {
			again = deadline;
			goes_on = ask(lookup);
		}
		if (one_found(lookup) && !hurries) {
			hurries = true;
			deadline = now + OTHER_MS < deadline ? now + OTHER_MS : deadline;
		}
		/* A server that keeps sending packets which are not answers does not extend the time. */
		if (now >= deadline)
			goes_on = false;
	}
}

static int send_addresses(struct kh_worker *worker, const struct kh_address *const lists[], const size_t counts[],
			  size_t list_count, bool truncated)
{
	kh_worker_begin(worker, KH_MESSAGE_ADDRESSES);
	for (size_t i = 0; i < list_count && !truncated; i++) {
		for (size_t k = 0; k < counts[i]; k++) {
			const struct kh_address *address = &lists[i][k];
			kh_message_text(&worker->out, KH_FIELD_ADDRESS,
					kh_view_of((const char *)address->bytes, address->is_v6 ? 16 : 4));
		}
	}
	if (truncated)
		kh_message_number(&worker->out, KH_FIELD_TRUNCATED, 1);
	return kh_worker_send(worker, -1) == KH_IO_DONE ? 0 : 1;
}

static int send_result(struct kh_worker *worker, const struct lookup *lookup)
{
	const struct kh_address *lists[QUESTIONS] = {lookup->address[0], lookup->address[1]};
	bool any_failed = lookup->failed[0] || lookup->failed[1];

	if (lookup->truncated)
		return send_addresses(worker, lists, lookup->count, QUESTIONS, true);
	/* Addresses of one family are enough if the other family's question got no good answer. */
	if (one_found(lookup) || (all_answered(lookup) && !any_failed))
		return send_addresses(worker, lists, lookup->count, QUESTIONS, false);
	if (any_failed)
		return kh_worker_done(worker, KH_FAULT_NAME, "the name server could not answer");
	return kh_worker_done(worker, KH_FAULT_NAME, "no answer from the name server");
}

int kh_worker_resolve_serve(struct kh_worker *worker, struct kh_view hosts)
{
	struct kh_address known[KH_DNS_ADDRESSES];
	const struct kh_address *lists[] = {known};
	struct lookup lookup = {.have = 0};
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	size_t fd_count;

	if (!kh_worker_receive(worker, -1, &message, fds, &fd_count))
		return 1;
	struct kh_view name = message.text[KH_FIELD_NAME];
	size_t count = kh_hosts_find(hosts, name, KH_DNS_ADDRESSES, known);
	if (count > 0)
		return send_addresses(worker, lists, &count, 1, false);
	if (!init(&lookup, fds[0], name))
		return kh_worker_done(worker, KH_FAULT_NAME, "the socket to the name server is not usable");
	exchange(&lookup);
	return send_result(worker, &lookup);
}

int kh_worker_resolve(int channel)
{
	struct kh_view hosts = kh_worker_load("/etc/hosts", HOSTS_MAX);
	struct kh_worker worker = {.channel = channel, .state = KH_STATE_WORKER_RESOLVE};

	if (!kh_worker_confine(KH_FILTER_RESOLVE))
		return 1;
	return kh_worker_resolve_serve(&worker, hosts);
}
