/*
 * What a parent could do wrong, on purpose: garbage on both kinds of channel, descriptors that are no channels, too
 * many requests, output that is never read, input that nobody reads, channels closed at every stage.  The executor
 * neither crashes nor hangs nor grows, what is broken ends alone, and the next request works (E7).
 */
#include "talk.h"

#include "executor/executor.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLOOD 200
#define FLAT  4096 /* KiB that an executor may have grown */

static struct kh_exchange exchanges[FLOOD];

/* A packet that could be good, of a type that the seed chooses. */
static size_t good_packet(const struct world *world, uint64_t *state, char *buffer)
{
	char url[64], host[32];
	struct kh_message_out out;
	struct kh_view packet = {NULL, 0};
	struct kh_run run = {.argc = 1 + world_below(state, 3), .argv = {KH_LIT("true"), KH_LIT("a"), KH_LIT("b")}};
	struct kh_fetch fetch = {.plain = true, .hosts = 1, .url = {url, 0}};

	switch (world_below(state, 8)) {
	case 0:
	case 1:
		return kh_request_write_run(&run, buffer, &packet, NULL) == KH_OK ? packet.n : 0;
	case 2:
		fetch.url.n = (size_t)snprintf(url, sizeof(url), "http://127.0.0.1:%d/good", world->port);
		snprintf(host, sizeof(host), "127.0.0.1:%d", world->port);
		fetch.host[0] = kh_view_str(host);
		return kh_request_write_fetch(&fetch, buffer, &packet, NULL) == KH_OK ? packet.n : 0;
	case 3:
		kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_HELLO);
		kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
		break;
	case 4:
		kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_OPEN);
		break;
	case 5:
		kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_INPUT);
		kh_message_bulk(&out, KH_LIT("some input"));
		break;
	case 6:
		kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_INPUT_END);
		break;
	default:
		kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_END);
		kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_NONE);
		break;
	}
	return kh_message_end(&out, &packet) == KH_OK ? packet.n : 0;
}

/* Nothing of a test goes further than the loopback address, whatever was changed in it. */
static bool leads_away(const char *buffer, size_t n)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;

	return kh_message_read(kh_view_of(buffer, n), 0, &state, &message, NULL) == KH_OK &&
	       message.type == KH_MESSAGE_FETCH &&
	       !kh_view_starts(message.text[KH_FIELD_URL], KH_LIT("http://127.0.0.1:"));
}

/* Random bytes, or a good packet that was changed, cut, or lengthened, or one that is good; its length. */
static size_t make_packet(const struct world *world, uint64_t *state, char *buffer)
{
	size_t n;

	switch (world_below(state, 4)) {
	case 0:
		n = 1 + world_below(state, world_below(state, 8) ? 64 : KH_MESSAGE_MAX + 4096);
		for (size_t i = 0; i < n; i++)
			buffer[i] = (char)world_random(state);
		return n;
	case 1:
		return good_packet(world, state, buffer);
	default:
		n = good_packet(world, state, buffer);
		for (uint64_t i = 1 + world_below(state, 4); i > 0 && n > 0; i--)
			buffer[world_below(state, n)] = (char)world_random(state);
		if (world_below(state, 4) == 0)
			n = 1 + world_below(state, n);
		else if (world_below(state, 4) == 0)
			n += world_below(state, 16);
		return leads_away(buffer, n) ? 1 : n;
	}
}

/* A descriptor that is no request's channel, or is one. */
static int any_descriptor(uint64_t *state)
{
	int ends[2] = {-1, -1}, fd;

	switch (world_below(state, 8)) {
	case 0:
		return open("/dev/zero", O_RDWR | O_CLOEXEC);
	case 1:
		return memfd_create("x", MFD_CLOEXEC);
	case 2:
		return eventfd(0, EFD_CLOEXEC);
	case 3:
		return open("/", O_PATH | O_CLOEXEC);
	case 4:
		return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	case 5:
		if (pipe2(ends, O_CLOEXEC) < 0)
			return -1;
		break;
	default:
		/* Datagrams have no end: such a channel is given up only after ten seconds. */
		if (socketpair(AF_UNIX, (world_below(state, 64) ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0, ends) <
		    0)
			return -1;
		if (world_below(state, 2))
			(void)!write(ends[1], "\1\4\0\0garbage", 11);
		break;
	}
	fd = ends[world_below(state, 2)];
	close(fd == ends[0] ? ends[1] : ends[0]);
	return fd;
}

/* Sends a packet with up to 6 descriptors, as no library of ours would; false where the peer is gone. */
static bool send_any(int fd, const char *bytes, size_t n, const int *fds, size_t count)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control = {0};
	char copy[KH_MESSAGE_MAX + 8192];
	struct iovec part = {.iov_base = copy, .iov_len = n};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	memcpy(copy, bytes, n);
	if (count > 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, count * sizeof(int));
	}
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* One packet, whatever it is, with whatever descriptors. */
static bool insult(const struct world *world, uint64_t *state, int fd)
{
	static char buffer[KH_MESSAGE_MAX + 8192];
	size_t n = make_packet(world, state, buffer), count = world_below(state, 4) ? 0 : world_below(state, 7);
	int fds[8];

	for (size_t i = 0; i < count; i++) {
		fds[i] = any_descriptor(state);
		count = fds[i] < 0 ? i : count;
	}
	bool ok = send_any(fd, buffer, n, fds, count);
	while (count > 0)
		close(fds[--count]);
	return ok;
}

/* Garbage on the control channel: the executor ends, in order, and nothing is left of it. */
static void try_control(const struct world *world, uint64_t seed)
{
	struct world_look before;
	struct kh_client client;
	uint64_t state = seed;
	char left[1024] = "";

	world_look(world, &before);
	talk_start(world, NULL, -1, &client);
	if (world_below(&state, 2))
		world_check(talk_hello(&client, (unsigned)world_below(&state, 3), NULL), seed, "control", "no READY");
	for (uint64_t i = world_below(&state, 4); i > 0; i--)
		(void)insult(world, &state, client.control);
	/* What is no message in any state ends it without more. */
	bool by_itself = world_below(&state, 2) && send_any(client.control, "\177garbage", 8, NULL, 0);
	int status = by_itself ? talk_wait(&client) : talk_stop(&client);
	world_check(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) <= 1, seed, "control",
		    "the executor ended with status %d", status);
	if (client.control >= 0)
		close(client.control);
	world_check(world_settles(world, &before, left, sizeof(left)), seed, "control", "%s", left);
}

/* Opens a request with CHANNEL, which stays ours. */
static bool send_open(const struct kh_client *client, int channel)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_OPEN);
	return kh_message_end(&out, &packet) == KH_OK &&
	       kh_channel_send_wait(client->control, packet, &channel, 1, TALK_MS) == KH_IO_DONE;
}

/* One request that goes wrong; what is surely no request is told so. */
static void try_request(const struct world *world, const struct kh_client *client, uint64_t seed)
{
	static struct kh_exchange exchange;
	uint64_t state = seed;
	struct kh_end end = {0};
	int ends[2];

	if (world_below(&state, 6) == 0) {
		int fd = any_descriptor(&state);
		if (fd >= 0)
			world_check(send_open(client, fd), seed, "request", "OPEN was not taken");
		if (fd >= 0)
			close(fd);
		return;
	}
	if (kh_channel_pair(ends, NULL) != KH_OK)
		abort();
	bool surely = world_below(&state, 3) == 0;
	if (surely)
		(void)send_any(ends[0], "\177garbage", 1 + world_below(&state, 8), NULL, 0);
	for (uint64_t i = world_below(&state, 5); i > 0; i--)
		(void)insult(world, &state, ends[0]);
	world_check(send_open(client, ends[1]), seed, "request", "OPEN was not taken");
	close(ends[1]);
	for (uint64_t i = world_below(&state, 3); i > 0; i--)
		(void)insult(world, &state, ends[0]);
	kh_exchange_init(&exchange, ends[0], KH_STATE_PARENT_RUN, true);
	if (surely)
		world_check(talk_end(&exchange, &end, NULL) && end.fault == KH_FAULT_REQUEST, seed, "request",
			    "garbage got fault %s: %s", kh_fault_name(end.fault), end.detail);
	else if (world_below(&state, 2))
		world_sleep(world_below(&state, 3000000));
	kh_exchange_close(&exchange);
}

/* How many descriptors the executor has; 0 where that is not ours to see. */
static size_t executor_descriptors(const struct kh_client *client)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		char path[64], target[64];
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", client->pid, fd);
		n += readlink(path, target, sizeof(target)) > 0;
	}
	return n;
}

/* Many requests that go wrong, one after the other, on one executor with few descriptors: one leaked in ten of them
 * would be missed soon. */
static void try_requests(const struct world *world)
{
	const struct talk_limit few = {RLIMIT_NOFILE, 128};
	struct world_look before;
	struct kh_client client;
	char text[1024] = "";
	long resident = 0;
	size_t children = 0, groups = 0, descriptors = 0;

	world_look(world, &before);
	talk_start(world, &few, -1, &client);
	if (!world_check(talk_hello(&client, 1, NULL), world->seed, "request", "no READY"))
		return;
	for (uint64_t i = 0; i < world->rounds; i++) {
		if (i == world->rounds / 4) {
			world_check(talk_is_well(&client, text, sizeof(text)), world->seed + i, "request", "%s", text);
			world_sleep(200000000); /* the pool is full again */
			int pids[64];
			children = world_children(client.pid, pids, 64);
			groups = world_groups(world);
			descriptors = executor_descriptors(&client);
			resident = world_status(client.pid, "VmRSS");
		}
		try_request(world, &client, world->seed + i);
		if (i % 20 == 19 && !world_check(talk_is_well(&client, text, sizeof(text)), world->seed + i, "request",
						 "the next request: %s", text))
			break;
	}
	if (world->rounds >= 4) {
		size_t left = talk_children(&client, children);
		world_check(left == children, world->seed, "request", "%zu children, then %zu", children, left);
		for (int i = 0; i < 100 && world_groups(world) > groups; i++)
			world_sleep(10000000);
		world_check(world_groups(world) <= groups, world->seed, "request", "%zu groups, then %zu", groups,
			    world_groups(world));
		/* A channel that never says anything has ten seconds to do so. */
		for (int i = 0; i < 150 && executor_descriptors(&client) > descriptors; i++)
			world_sleep(100000000);
		world_check(executor_descriptors(&client) <= descriptors, world->seed, "request",
			    "%zu descriptors, then %zu", descriptors, executor_descriptors(&client));
		long grown = world_status(client.pid, "VmRSS") - resident;
		world_check(grown < FLAT, world->seed, "request", "grew by %ld KiB from %ld", grown, resident);
		world_check(talk_is_idle(&client), world->seed, "request", "works for nobody");
	}
	int status = talk_stop(&client);
	world_check(status == 0, world->seed, "request", "the executor ended with status %d", status);
	world_check(world_settles(world, &before, text, sizeof(text)), world->seed, "request", "%s", text);
}

/* More requests than there is room for: those that fit run, the others are told so, each once. */
static void try_flood(const struct world *world)
{
	const char *const argv[] = {"sleep", "1", NULL};
	struct kh_client client;
	struct kh_end end;
	size_t opened = 0, ran = 0, busy = 0;
	char text[1024];

	talk_ready(world, 0, &client);
	while (opened < FLOOD && talk_run(&client, argv, &exchanges[opened]))
		opened++;
	for (size_t i = 0; i < opened; i++) {
		if (!talk_end(&exchanges[i], &end, NULL))
			continue;
		ran += end.fault == KH_FAULT_NONE && end.status == 0;
		busy += end.fault == KH_FAULT_BUSY;
	}
	world_check(opened == FLOOD && ran + busy == FLOOD && ran >= KH_EXECUTOR_JOBS && busy > 0, 0, "flood",
		    "%zu were opened, %zu ran, %zu were told busy", opened, ran, busy);
	for (size_t i = 0; i < opened; i++)
		kh_exchange_close(&exchanges[i]);
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "flood", "afterwards: %s", text);
	world_check(talk_stop(&client) == 0, 0, "flood", "a bad end");
}

/* Output that is never read is held back in the program, not kept; others go on. */
static void try_unread(const struct world *world)
{
	const char *const argv[] = {"yes", NULL};
	struct kh_client client;
	char text[1024];
	int pids[16];
	size_t unread = 8;

	talk_ready(world, 0, &client);
	size_t children = world_children(client.pid, pids, 16);
	for (size_t i = 0; i < unread; i++)
		world_check(talk_run(&client, argv, &exchanges[i]), 0, "unread", "not opened");
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "unread", "beside it: %s", text);
	world_sleep(200000000);
	long resident = world_status(client.pid, "VmRSS");
	for (int i = 0; i < 10; i++)
		world_check(talk_is_well(&client, text, sizeof(text)), 0, "unread", "beside it: %s", text);
	world_check(talk_is_idle(&client), 0, "unread", "works for nobody");
	long grown = world_status(client.pid, "VmRSS") - resident;
	world_check(grown < FLAT, 0, "unread", "grew by %ld KiB", grown);
	for (size_t i = 0; i < unread; i++)
		kh_exchange_close(&exchanges[i]);
	world_check(talk_children(&client, children) == children, 0, "unread", "some still run");
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "unread", "afterwards: %s", text);
	world_check(talk_stop(&client) == 0, 0, "unread", "a bad end");
}

/* A child that reads all of EXCHANGE for as long as it lasts. */
static int read_in_child(struct kh_exchange *exchange)
{
	struct kh_event event;
	int pid = fork();

	if (pid == 0) {
		do
			kh_exchange_next(exchange, TALK_MS, &event);
		while (event.kind != KH_EVENT_END && event.kind != KH_EVENT_NOTHING);
		_exit(event.kind == KH_EVENT_END ? (int)event.end.fault : 99);
	}
	return pid;
}

/* A program that puts out without end, to a parent that reads as fast, keeps nobody else waiting, and has its limits.
 */
static void try_fair(const struct world *world)
{
	struct kh_run run = {.argc = 1, .argv = {KH_LIT("yes")}, .limits = {.output = 1ULL << 38, .wall_ms = 1000}};
	struct kh_client client;
	char text[1024];
	int status = 0;

	talk_ready(world, 1, &client);
	world_check(kh_client_run(&client, &run, &exchanges[0], NULL) == KH_OK, 0, "fair", "not opened");
	int reader = read_in_child(&exchanges[0]);
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "fair", "beside it: %s", text);
	world_check(waitpid(reader, &status, WNOHANG) == 0, 0, "fair", "the other one had to wait for its end");
	waitpid(reader, &status, 0);
	world_check(WIFEXITED(status) && WEXITSTATUS(status) == KH_FAULT_TIME, 0, "fair", "not ended by the clock: %d",
		    status);
	kh_exchange_close(&exchanges[0]);
	world_check(talk_stop(&client) == 0, 0, "fair", "a bad end");
}

/* A server that takes connections and says nothing, or (FULL) does not even take them. */
static int silent_server(bool full, int *ret_port, int *ret_extra)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, full ? 0 : 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		abort();
	*ret_port = ntohs(address.sin_port);
	for (int i = 0; i < 3; i++) {
		ret_extra[i] = full ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
		if (full)
			(void)!connect(ret_extra[i], (struct sockaddr *)&address, sizeof(address));
	}
	return fd;
}

/* The stages at which a parent may lose interest. */
static const char *const stages[] = {"at once",
				     "while it runs",
				     "when fed",
				     "with input that nobody reads",
				     "while it talks",
				     "while it is being connected",
				     "while it talks with input",
				     "with all its descriptors closed",
				     "stopped by itself"};

/* Begins a request and brings it to STAGE. */
static bool begin_stage(const struct kh_client *client, size_t stage, const int *ports, struct kh_exchange *exchange)
{
	static char input[1 << 20];
	const char *const sleeper[] = {"sleep", "1000", NULL};
	const char *const closer[] = {"sh", "-c", "exec <&- >&- 2>&-; sleep 1000", NULL};
	const char *const stopper[] = {"sh", "-c", "kill -STOP $$", NULL};
	bool ok;

	if (stage == 4 || stage == 6)
		ok = talk_fetch(client, ports[0], "/", stage == 6 ? KH_METHOD_POST : KH_METHOD_GET, exchange);
	else if (stage == 5)
		ok = talk_fetch(client, ports[1], "/", KH_METHOD_GET, exchange);
	else
		ok = talk_run(client, stage == 7 ? closer : stage == 8 ? stopper : sleeper, exchange);
	if (stage > 0)
		world_sleep(60000000);
	if (stage == 2)
		ok &= kh_exchange_feed_end(exchange);
	if (stage == 3)
		ok &= kh_exchange_feed(exchange, kh_view_of(input, sizeof(input))) < sizeof(input);
	if (stage == 6 || stage == 7)
		(void)kh_exchange_feed(exchange, kh_view_of(input, 1000));
	if (stage > 1)
		world_sleep(30000000);
	return ok;
}

/* A request whose channel is closed is ended, at whatever stage, and the executor has nothing to do then. */
static void try_cancel(const struct world *world)
{
	struct kh_client client;
	char text[1024];
	int ports[2], extra[6];
	int silent = silent_server(false, &ports[0], extra), full = silent_server(true, &ports[1], extra + 3);

	talk_ready(world, 0, &client);
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "cancel", "%s", text);
	world_sleep(50000000);
	int pids[16];
	size_t children = world_children(client.pid, pids, 16);
	for (size_t stage = 0; stage < sizeof(stages) / sizeof(stages[0]); stage++) {
		world_check(begin_stage(&client, stage, ports, &exchanges[0]), stage, "cancel", "%s: not begun",
			    stages[stage]);
		world_check(talk_is_idle(&client), stage, "cancel", "%s: works while it waits", stages[stage]);
		kh_exchange_close(&exchanges[0]);
		size_t left = talk_children(&client, children);
		world_check(left == children, stage, "cancel", "%s: still runs after its channel was closed",
			    stages[stage]);
		world_check(talk_is_idle(&client), stage, "cancel", "%s: works for nobody", stages[stage]);
	}
	world_check(talk_stop(&client) == 0, 0, "cancel", "a bad end");
	for (int i = 0; i < 6; i++) {
		if (extra[i] >= 0)
			close(extra[i]);
	}
	close(silent);
	close(full);
}

/* A worker whose channel is closed while its sandbox lives on, as if it had chosen to: it is waited for, not spun on.
 */
static void try_mute(const struct world *world)
{
	struct kh_client client;
	struct kh_end end = {0};
	int port, extra[3], firsts[8], workers[8], silent = silent_server(false, &port, extra);

	talk_ready(world, 0, &client);
	world_sleep(50000000);
	size_t others = world_children(client.pid, firsts, 8);
	world_check(talk_fetch(&client, port, "/", KH_METHOD_GET, &exchanges[0]), 0, "mute", "not opened");
	talk_children(&client, others + 1);
	world_sleep(100000000);
	size_t n = world_children(client.pid, firsts, 8), m = 0;
	int first = 0;
	for (size_t i = 0; i < n && m == 0; i++) {
		first = firsts[i];
		m = world_children(first, workers, 8);
	}
	if (world_check(m == 1, 0, "mute", "%zu workers", m)) {
		kill(first, SIGSTOP);
		kill(workers[0], SIGKILL);
		world_check(talk_is_idle(&client), 0, "mute", "works for nobody");
		kill(first, SIGCONT);
		world_check(talk_end(&exchanges[0], &end, NULL) && end.fault == KH_FAULT_WORKER, 0, "mute",
			    "fault %s: %s", kh_fault_name(end.fault), end.detail);
	}
	kh_exchange_close(&exchanges[0]);
	world_check(talk_stop(&client) == 0, 0, "mute", "a bad end");
	close(silent);
}

/* The longest request that there is comes to an end like any other. */
static void try_large(const struct world *world)
{
	static char filling[KH_MESSAGE_TEXT], buffer[KH_MESSAGE_MAX];
	struct kh_client client;
	struct kh_view packet;
	struct kh_end end = {0};

	memset(filling, 'x', sizeof(filling));
	talk_ready(world, 0, &client);
	/* Each length around the longest, by way of the last argument's. */
	for (size_t last = 3800; last < KH_MESSAGE_TEXT; last += 8) {
		struct kh_run run = {.argc = 17, .argv = {KH_LIT("true")}};
		for (size_t i = 1; i < run.argc; i++)
			run.argv[i] = kh_view_of(filling, i + 1 < run.argc ? sizeof(filling) - 8 : last);
		if (kh_request_write_run(&run, buffer, &packet, NULL) != KH_OK)
			break;
		if (packet.n < KH_MESSAGE_MAX - 96)
			continue;
		world_check(kh_client_run(&client, &run, &exchanges[0], NULL) == KH_OK, last, "large", "not opened");
		bool ended = talk_end(&exchanges[0], &end, NULL);
		world_check(ended && (end.fault == KH_FAULT_NONE || end.fault == KH_FAULT_PROGRAM), last, "large",
			    "a request of %zu bytes: %s, fault %s: %s", packet.n, ended ? "it ended" : "no END",
			    kh_fault_name(end.fault), end.detail);
		kh_exchange_close(&exchanges[0]);
		if (!ended)
			break;
	}
	world_check(talk_stop(&client) == 0, 0, "large", "a bad end");
}

/* A body of any size reaches the server whole. */
static void try_post(const struct world *world)
{
	static const size_t sizes[] = {0, 1, 65528, 65529, 131072, 262144, 524288, 4000000};
	static char body[4000000];
	struct kh_client client;
	struct kh_end end = {0};
	uint64_t output;

	talk_ready(world, 1, &client);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kh_exchange *exchange = &exchanges[0];
		size_t sent = 0;
		bool is_fed = false;
		world_check(talk_fetch(&client, world->port, "/post", KH_METHOD_POST, exchange), i, "post",
			    "not opened");
		for (uint64_t stop = world_now_ms() + TALK_MS; !is_fed && world_now_ms() < stop;) {
			struct pollfd writable = {.fd = exchange->fd, .events = POLLOUT};
			sent += kh_exchange_feed(exchange, kh_view_of(body + sent, sizes[i] - sent));
			is_fed = sent == sizes[i] && kh_exchange_feed_end(exchange);
			poll(&writable, 1, 100);
		}
		bool ended = talk_end(exchange, &end, &output);
		world_check(ended && end.fault == KH_FAULT_NONE, i, "post", "a body of %zu bytes: %s, fault %s: %s",
			    sizes[i], ended ? "it ended" : "no END", kh_fault_name(end.fault), end.detail);
		kh_exchange_close(exchange);
	}
	world_check(talk_stop(&client) == 0, 0, "post", "a bad end");
}

/* Two executors know nothing of each other: one is killed, the other goes on. */
static void try_two(const struct world *world)
{
	const char *const argv[] = {"sleep", "1000", NULL};
	struct kh_client one, two;
	struct world_look before;
	struct kh_end end = {0};
	char text[1024] = "";

	world_look(world, &before);
	talk_ready(world, 1, &one);
	talk_ready(world, 1, &two);
	world_check(talk_run(&one, argv, &exchanges[0]) && talk_run(&two, argv, &exchanges[1]), 0, "two", "not opened");
	world_check(talk_is_well(&one, text, sizeof(text)), 0, "two", "the first: %s", text);
	world_check(talk_is_well(&two, text, sizeof(text)), 0, "two", "the second: %s", text);
	kill(one.pid, SIGKILL);
	world_check(talk_end(&exchanges[0], &end, NULL) && end.fault == KH_FAULT_LOST, 0, "two", "fault %s",
		    kh_fault_name(end.fault));
	struct kh_event event;
	kh_exchange_next(&exchanges[1], 100, &event);
	world_check(event.kind == KH_EVENT_NOTHING, 0, "two", "the other's request ended with it");
	world_check(talk_is_well(&two, text, sizeof(text)), 0, "two", "the second, then: %s", text);
	talk_stop(&one);
	kh_exchange_close(&exchanges[0]);
	kh_exchange_close(&exchanges[1]);
	world_check(talk_stop(&two) == 0, 0, "two", "a bad end");
	world_check(world_settles(world, &before, text, sizeof(text)), 0, "two", "%s", text);
}

static bool wanted(const struct world *world, const char *name)
{
	return world->only == NULL || strcmp(world->only, name) == 0;
}

int main(int argc, char **argv)
{
	struct world world;

	world_init(&world, argc, argv);
	for (uint64_t i = 0; wanted(&world, "control") && i < (world.rounds + 9) / 10; i++)
		try_control(&world, world.seed + i);
	if (wanted(&world, "request"))
		try_requests(&world);
	if (wanted(&world, "flood"))
		try_flood(&world);
	if (wanted(&world, "unread"))
		try_unread(&world);
	if (wanted(&world, "fair"))
		try_fair(&world);
	if (wanted(&world, "cancel"))
		try_cancel(&world);
	if (wanted(&world, "mute"))
		try_mute(&world);
	if (wanted(&world, "large"))
		try_large(&world);
	if (wanted(&world, "post"))
		try_post(&world);
	if (wanted(&world, "two"))
		try_two(&world);
	return world_finish();
}
