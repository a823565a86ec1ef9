/*
 * The loop of a forwarder.  It trusts the executor.  The program at one end and the server at the other may do what they
 * like with their connections; there are bounds on how many there are, on what is held for each, and on how long one
 * may be silent.
 *
 * What becomes of a connection:
 *
 *     accepted ──> first bytes: none of TLS, and no port of TLS ──────────────┐
 *         │              │                                                    v
 *         │              └──> JUDGE ──> for the name ──> client to server is open
 *         │                      └────> refused: both ends are reset
 *         └──> DIAL (on a port of TLS: when the first bytes are judged) ──> server to client is open
 */
#include "executor/forwarder.h"

#include "base/clock.h"
#include "executor/pump.h"
#include "sandbox/landlock.h"
#include "sandbox/privileges.h"
#include "wire/channel.h"
#include "wire/fault.h"
#include "wire/greeting.h"

#include <errno.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CONNECTIONS   512
#define WIDE          8     /* connections with buffers as large as the kernel gives */
#define NARROW        65536 /* bytes of each buffer of the others; the kernel doubles it */
#define EVENTS        64
#define MEMORY        (256ULL << 20)
#define HELLO_MS      10000  /* until the first bytes are complete */
#define IDLE_MS       300000 /* without a byte in either way */
#define DRAIN_MS      2000   /* after the program has ended */
#define TICK_MS       500
#define RECORD_HEADER 5
#define HANDSHAKE     22

enum first {
	FIRST_UNSEEN = 0,
	FIRST_COMPLETE, /* to be judged */
	FIRST_ASKED,
	FIRST_PASSED,
};

struct connection {
	bool is_used;
	uint64_t ticket;
	size_t index; /* of the listening socket */
	enum first first;
	bool wants_dial, is_dialed;
	bool is_wide; /* its sockets have buffers as large as the kernel gives */
	int64_t deadline_ms;
	uint32_t watched[KH_PUMP_SIDES];
	struct kh_pump pump;
};

struct forwarder {
	const struct kh_forwarder *with;
	int epoll;
	struct connection *connections;
	size_t most, used;
	unsigned asked; /* questions without an answer */
	uint64_t tickets;
	struct kh_pump_tally tally, told;
	bool is_spent, told_spent, is_draining;
	int64_t drained_ms;
	enum kh_message_state state;
	char buffer[KH_MESSAGE_MAX], first[KH_MESSAGE_FIRST], piece[KH_PUMP_PIECE];
};

/* What an event is about: the channel, a listening socket, or one side of a connection. */
#define TAG_CHANNEL      UINT64_MAX
#define TAG_LISTENING(i) ((1ULL << 32) + (i))
#define TAG_SIDE(i, s)   ((uint64_t)(i)*KH_PUMP_SIDES + (uint64_t)(s))

static void tell_tally(struct forwarder *f)
{
	char buffer[128];
	struct kh_message_out out;

	if (memcmp(&f->tally, &f->told, sizeof(f->tally)) == 0 && f->is_spent == f->told_spent)
		return;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_TALLY);
	kh_message_number(&out, KH_FIELD_SENT, f->tally.moved[KH_PUMP_CLIENT]);
	kh_message_number(&out, KH_FIELD_RECEIVED, f->tally.moved[KH_PUMP_SERVER]);
	if (f->is_spent)
		kh_message_number(&out, KH_FIELD_SPENT, 1);
	if (kh_channel_say(f->with->channel, &out, NULL, 0) != KH_IO_DONE)
		return; /* later */
	f->told = f->tally;
	f->told_spent = f->is_spent;
}

static void end_connection(struct forwarder *f, struct connection *c, bool reset)
{
	if (!c->is_used)
		return;
	kh_pump_close(&c->pump, reset, f->piece); /* epoll forgets closed sockets */
	c->is_used = false;
	f->used--;
	tell_tally(f);
}

static void watch_side(const struct forwarder *f, struct connection *c, enum kh_pump_side side, uint32_t wanted)
{
	struct epoll_event event = {.events = wanted, .data.u64 = TAG_SIDE((size_t)(c - f->connections), side)};
	int operation = c->watched[side] == 0 ? EPOLL_CTL_ADD : wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;

	/* A socket that nothing is wanted of is taken out, because its hang-up would wake us for ever. */
	if (wanted == c->watched[side] || c->pump.fd[side] < 0)
		return;
	(void)epoll_ctl(f->epoll, operation, c->pump.fd[side], &event);
	c->watched[side] = wanted;
}

static void watch(const struct forwarder *f, struct connection *c)
{
	bool passed = c->first == FIRST_PASSED && c->is_dialed;
	bool from_client = c->first == FIRST_UNSEEN || (passed && kh_pump_wants_input(&c->pump, KH_PUMP_CLIENT));
	bool from_server = c->is_dialed && kh_pump_wants_input(&c->pump, KH_PUMP_SERVER);

	watch_side(f, c, KH_PUMP_CLIENT,
		   (from_client ? EPOLLIN | EPOLLRDHUP : 0U) |
			   (kh_pump_wants_room(&c->pump, KH_PUMP_SERVER) ? EPOLLOUT : 0U));
	watch_side(f, c, KH_PUMP_SERVER,
		   (from_server ? EPOLLIN : 0U) | (kh_pump_wants_room(&c->pump, KH_PUMP_CLIENT) ? EPOLLOUT : 0U));
}

static void spend(struct forwarder *f)
{
	f->is_spent = true;
	for (size_t i = 0; i < f->most; i++)
		end_connection(f, &f->connections[i], true);
	tell_tally(f);
}

/* Moves bytes on the way that begins at FROM. */
static void move(struct forwarder *f, struct connection *c, enum kh_pump_side from)
{
	if (!c->is_used || !c->is_dialed || (from == KH_PUMP_CLIENT && c->first != FIRST_PASSED))
		return;
	switch (kh_pump_move(&c->pump, from, &f->tally, f->piece)) {
	case KH_PUMP_OPEN:
		c->deadline_ms = kh_clock_ms() + IDLE_MS;
		break;
	case KH_PUMP_OVER:
		end_connection(f, c, false);
		break;
	case KH_PUMP_BROKEN:
		end_connection(f, c, true);
		break;
	case KH_PUMP_SPENT:
		spend(f);
		break;
	}
}

static void set_option(int fd, int level, int option, int value)
{
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

/*
 * The kernel's buffers of a socket are memory of the whole machine, which no limit of the program's counts, and they grow
 * to megabytes if the other end does not read.  So only the first few connections have what the kernel gives; the
 * buffers of all others are bounded.
 */
static void bound_buffers(const struct connection *c, int fd)
{
	if (c->is_wide)
		return;
	set_option(fd, SOL_SOCKET, SO_SNDBUF, NARROW);
	set_option(fd, SOL_SOCKET, SO_RCVBUF, NARROW);
}

/* The first bytes are good: what the client sends is passed on. */
static void pass(struct forwarder *f, struct connection *c)
{
	c->first = FIRST_PASSED;
	c->wants_dial |= !c->is_dialed && f->with->is_tls[c->index];
	c->deadline_ms = kh_clock_ms() + IDLE_MS;
	set_option(c->pump.fd[KH_PUMP_CLIENT], SOL_SOCKET, SO_RCVLOWAT, 1);
	move(f, c, KH_PUMP_CLIENT);
}

/* How many bytes the record that HEAD begins has. */
static size_t record_size(const unsigned char *head, size_t n)
{
	return n < RECORD_HEADER ? RECORD_HEADER : RECORD_HEADER + ((size_t)head[3] << 8 | head[4]);
}

/*
 * Looks at the first bytes without taking them.  Only whether they can be a record of TLS, and how long that is, is
 * found out here; a worker reads it.
 */
static void look(struct forwarder *f, struct connection *c, bool has_ended)
{
	int client = c->pump.fd[KH_PUMP_CLIENT];
	bool must = f->with->is_tls[c->index];
	ssize_t n = recv(client, f->first, sizeof(f->first), MSG_PEEK | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0 || (n == 0 && must)) {
		end_connection(f, c, true);
		return;
	}
	if (n == 0 || (f->first[0] != HANDSHAKE && !must)) {
		pass(f, c);
		return;
	}
	size_t size = record_size((const unsigned char *)f->first, (size_t)n);
	if (f->first[0] == HANDSHAKE && size <= sizeof(f->first) && (size_t)n < size && !has_ended) {
		set_option(client, SOL_SOCKET, SO_RCVLOWAT, (int)size); /* it wakes us when all of it is there */
		return;
	}
	c->first = FIRST_COMPLETE;
}

static bool say(const struct forwarder *f, struct kh_message_out *out)
{
	return kh_channel_say(f->with->channel, out, NULL, 0) == KH_IO_DONE;
}

static bool ask_dial(struct forwarder *f, const struct connection *c)
{
	struct kh_message_out out;

	kh_message_begin(&out, f->buffer, sizeof(f->buffer), KH_MESSAGE_DIAL);
	kh_message_number(&out, KH_FIELD_TICKET, c->ticket);
	kh_message_number(&out, KH_FIELD_INDEX, c->index);
	return say(f, &out);
}

static bool ask_judge(struct forwarder *f, const struct connection *c)
{
	struct kh_message_out out;
	ssize_t n = recv(c->pump.fd[KH_PUMP_CLIENT], f->first, sizeof(f->first), MSG_PEEK | MSG_DONTWAIT);

	if (n <= 0)
		return false;
	/* What follows the first record is not its worker's business. */
	size_t size = record_size((const unsigned char *)f->first, (size_t)n);
	kh_message_begin(&out, f->buffer, sizeof(f->buffer), KH_MESSAGE_JUDGE);
	kh_message_number(&out, KH_FIELD_TICKET, c->ticket);
	kh_message_number(&out, KH_FIELD_INDEX, c->index);
	kh_message_text(&out, KH_FIELD_FIRST, kh_view_sub(kh_view_of(f->first, (size_t)n), 0, size));
	return say(f, &out);
}

/* Asks what connections wait for, as far as questions are free. */
static void ask(struct forwarder *f)
{
	for (size_t i = 0; i < f->most && f->asked < KH_FORWARDER_QUESTIONS; i++) {
		struct connection *c = &f->connections[i];
		if (c->is_used && c->first == FIRST_COMPLETE && ask_judge(f, c)) {
			c->first = FIRST_ASKED;
			f->asked++;
		}
		if (c->is_used && c->wants_dial && f->asked < KH_FORWARDER_QUESTIONS && ask_dial(f, c)) {
			c->wants_dial = false;
			f->asked++;
		}
	}
}

static void take_dialed(struct forwarder *f, struct connection *c, enum kh_fault fault, int fd)
{
	if (fault != KH_FAULT_NONE || fd < 0) {
		end_connection(f, c, true);
		return;
	}
	c->pump.fd[KH_PUMP_SERVER] = fd;
	c->is_dialed = true;
	bound_buffers(c, fd);
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	move(f, c, KH_PUMP_CLIENT);
	move(f, c, KH_PUMP_SERVER);
}

static void take_judged(struct forwarder *f, struct connection *c, enum kh_greeting verdict)
{
	bool good = verdict == KH_GREETING_MATCHES || (verdict == KH_GREETING_NOT_TLS && !f->with->is_tls[c->index]);

	if (good && c->first == FIRST_ASKED)
		pass(f, c);
	else
		end_connection(f, c, true);
}

static struct connection *find(const struct forwarder *f, uint64_t ticket)
{
	struct connection *c = &f->connections[ticket % f->most];

	return c->is_used && c->ticket == ticket ? c : NULL;
}

/* The executor's answers.  When its end is closed, no more connections are taken, and what there is may end. */
static void take_answers(struct forwarder *f)
{
	struct kh_message message;
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	enum kh_io io;

	while ((io = kh_channel_receive(f->with->channel, f->buffer, &packet, fds, &count)) == KH_IO_DONE) {
		if (kh_message_read(packet, count, &f->state, &message, NULL) != KH_OK)
			_exit(1);
		struct connection *c = find(f, message.number[KH_FIELD_TICKET]);
		f->asked -= f->asked > 0;
		if (c == NULL && count > 0)
			close(fds[0]); /* the client has gone meanwhile */
		else if (c != NULL && message.type == KH_MESSAGE_DIALED)
			take_dialed(f, c, (enum kh_fault)message.number[KH_FIELD_FAULT], count > 0 ? fds[0] : -1);
		else if (c != NULL)
			take_judged(f, c, (enum kh_greeting)message.number[KH_FIELD_VERDICT]);
		if (c != NULL && c->is_used)
			watch(f, c);
	}
	if (io != KH_IO_AGAIN && !f->is_draining) {
		f->is_draining = true;
		f->drained_ms = kh_clock_ms() + DRAIN_MS;
		(void)epoll_ctl(f->epoll, EPOLL_CTL_DEL, f->with->channel, NULL);
	}
}

static struct connection *find_free(struct forwarder *f)
{
	for (size_t i = 0; i < f->most; i++)
		if (!f->connections[i].is_used)
			return &f->connections[i];
	return NULL;
}

/* A connection too many, or after the limit of bytes: it is reset at once. */
static void refuse(struct forwarder *f, int fd)
{
	struct kh_pump pair = {.fd = {fd, -1}};

	kh_pump_close(&pair, true, f->piece);
}

static void accept_all(struct forwarder *f, size_t index)
{
	int fd;

	while ((fd = accept4(f->with->listening[index], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct connection *c = f->used < f->most && !f->is_spent && !f->is_draining ? find_free(f) : NULL;
		if (c == NULL) {
			refuse(f, fd);
			continue;
		}
		f->tickets++;
		*c = (struct connection){.is_used = true,
					 .ticket = f->tickets * f->most + (uint64_t)(c - f->connections),
					 .index = index,
					 .wants_dial = !f->with->is_tls[index],
					 .is_wide = f->used < WIDE,
					 .deadline_ms = kh_clock_ms() + HELLO_MS,
					 .pump = {.fd = {fd, -1}}};
		if (!f->with->is_tls[index])
			c->deadline_ms = kh_clock_ms() + IDLE_MS;
		f->used++;
		bound_buffers(c, fd);
		set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
		look(f, c, false);
		watch(f, c);
	}
}

static void take_event(struct forwarder *f, const struct epoll_event *event)
{
	struct connection *c = &f->connections[event->data.u64 / KH_PUMP_SIDES];
	enum kh_pump_side side = (enum kh_pump_side)(event->data.u64 % KH_PUMP_SIDES);
	bool input = (event->events & ~(uint32_t)EPOLLOUT) != 0;

	if (!c->is_used)
		return; /* another event of this round has ended it */
	if (side == KH_PUMP_CLIENT && c->first == FIRST_UNSEEN && input)
		look(f, c, (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
	if (input)
		move(f, c, side);
	if ((event->events & EPOLLOUT) != 0)
		move(f, c, (enum kh_pump_side)(1 - (int)side));
	if (c->is_used)
		watch(f, c);
}

/* Ends what has been silent for too long and, at the end, what has passed on all that its client sent. */
static void tick(struct forwarder *f, int64_t now)
{
	for (size_t i = 0; i < f->most; i++) {
		struct connection *c = &f->connections[i];
		if (c->is_used && (now >= c->deadline_ms ||
				   (f->is_draining && (!c->is_dialed || c->pump.way[KH_PUMP_CLIENT].is_shut))))
			end_connection(f, c, true);
	}
	tell_tally(f);
	if (f->is_draining && (f->used == 0 || now >= f->drained_ms))
		_exit(0);
}

static bool add_watch(const struct forwarder *f, int fd, uint64_t tag)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static _Noreturn void serve(struct forwarder *f)
{
	struct epoll_event events[EVENTS];
	int64_t next_ms = 0;

	for (;;) {
		int n = epoll_wait(f->epoll, events, EVENTS, f->is_draining ? 10 : TICK_MS);
		for (int i = 0; i < n; i++) {
			if (events[i].data.u64 == TAG_CHANNEL)
				take_answers(f);
			else if (events[i].data.u64 >= TAG_LISTENING(0))
				accept_all(f, (size_t)(events[i].data.u64 - TAG_LISTENING(0)));
			else
				take_event(f, &events[i]);
		}
		ask(f);
		int64_t now = kh_clock_ms();
		if (now >= next_ms || f->is_draining) {
			tick(f, now);
			next_ms = now + TICK_MS;
		}
	}
}

/* Those of this process.  What an execve could give back does not matter, because there is none. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}}, now[2] = {{1, 1, 1}, {1, 1, 1}};

	if (syscall(SYS_capset, &header, none) < 0 || syscall(SYS_capget, &header, now) < 0)
		return errno;
	return memcmp(now, none, sizeof(now)) == 0 ? 0 : EPROTO;
}

static int drop_rights(const struct kh_sandbox_kit *kit)
{
	const struct rlimit memory = {MEMORY, MEMORY}, nothing = {0, 0};
	int e = kit->is_root ? kh_privileges_become(KH_IDS_NOBODY, KH_IDS_NOBODY) : 0;

	if (e == 0)
		e = drop_capabilities();
	if (e == 0)
		e = kh_privileges_bind();
	if (e == 0 && (prctl(PR_SET_DUMPABLE, 0) < 0 || setrlimit(RLIMIT_DATA, &memory) < 0 ||
		       setrlimit(RLIMIT_NPROC, &nothing) < 0 || setrlimit(RLIMIT_FSIZE, &nothing) < 0))
		e = errno;
	return e;
}

/* Gives up everything but the sockets.  False if a part is missing. */
static bool lock(struct forwarder *f)
{
	int keep[KH_REQUEST_NETWORK + 3] = {f->with->channel, f->epoll, f->with->kit->self};
	struct pollfd executor = {.fd = f->with->kit->self, .events = POLLIN};
	struct kh_filter *filter = NULL;

	if (kh_sandbox_kit_forget(f->with->kit) != 0)
		return false;
	memcpy(keep + 3, f->with->listening, f->with->count * sizeof(int));
	if (kh_filter_new(KH_FILTER_FORWARD, &kh_alloc_system, &filter, NULL) != KH_OK ||
	    kh_privileges_close_others(keep, 3 + f->with->count) != 0 || kh_privileges_take_null() != 0 ||
	    drop_rights(f->with->kit) != 0)
		return false;
	/* If the executor has died before, the signal does not come. */
	if (poll(&executor, 1, 0) != 0)
		return false;
	close(f->with->kit->self);
	return kh_landlock_restrict(NULL, 0) == 0 && kh_filter_install(filter) == 0;
}

/* As many connections as there are descriptors and memory for. */
static bool make_room(struct forwarder *f)
{
	struct rlimit files = {0};

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < 64)
		return false;
	f->most = (files.rlim_cur - 32) / 2 < CONNECTIONS ? (size_t)(files.rlim_cur - 32) / 2 : CONNECTIONS;
	f->connections = kh_alloc_zero(&kh_alloc_system, f->most * sizeof(*f->connections));
	return f->connections != NULL;
}

_Noreturn void kh_forwarder_main(const struct kh_forwarder *with)
{
	static struct forwarder forwarder; /* not shared: this process is a copy of the executor */
	struct forwarder *f = &forwarder;
	bool ok;

	prctl(PR_SET_NAME, "keyhole-forward");
	f->with = with;
	f->state = KH_STATE_FORWARDER;
	f->tally.most = f->told.most = with->bytes_out;
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	ok = f->epoll >= 0 && make_room(f) && lock(f) && add_watch(f, with->channel, TAG_CHANNEL);
	for (size_t i = 0; i < with->count && ok; i++)
		ok = add_watch(f, with->listening[i], TAG_LISTENING(i));
	if (!ok)
		_exit(1);
	serve(f);
}
