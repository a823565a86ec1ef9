/*
 * Fetches.  Whom it trusts: the parent for what is granted, nobody for where it leads.  A redirect is a URL of the
 * world: it goes the whole way again, from reading to checking to connecting, or back to the parent.
 */
#include "exec/fetch.h"

#include "exec/channel.h"
#include "exec/claim.h"
#include "exec/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESOLV_CONF         "/etc/resolv.conf"
#define CONNECT_PATIENCE_US 10000000 /* for one address, while there are others */

/* Lets the sandbox go that the job has; it is disposable. */
static void drop_worker(struct kh_job *job)
{
	if (job->slot)
		kh_pool_drop(job->slot);
	job->slot = NULL;
}

/* A worker of PROFILE for the job; false where there is none, and then the job has ended. */
static bool take_worker(struct kh_job *job, enum kh_profile profile)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0;

	drop_worker(job);
	job->slot = kh_pool_take(job->pool, profile, profile == KH_PROFILE_HTTP ? KH_POOL_HTTP : KH_POOL_RESOLVE, &part,
				 &error);
	if (job->slot == NULL)
		kh_job_end_part(job, part, error);
	return job->slot != NULL;
}

static bool send_worker(struct kh_job *job, struct kh_message_out *out, const int *fds, size_t count)
{
	struct kh_view packet;

	if (kh_message_end(out, &packet) == KH_OK &&
	    kh_channel_send(job->slot->worker, packet, fds, count) == KH_IO_DONE)
		return true;
	kh_pool_look(job->pool, job->slot);
	if (job->slot->broken)
		kh_job_end_part(job, job->slot->broken, job->slot->error);
	else
		kh_job_end(job, KH_FAULT_WORKER, "the worker did not start");
	return false;
}

/* "host" or "host:port" (an IPv6 address in brackets where it has a port) against where the job goes. */
static bool is_named(const struct kh_job *job, struct kh_view entry)
{
	struct kh_view host = entry, rest = {NULL, 0};
	int64_t port = job->where.port;
	size_t colon = SIZE_MAX;

	if (entry.n > 0 && entry.p[0] == '[') {
		size_t end = kh_view_find(entry, KH_LIT("]"), 0);
		if (end == SIZE_MAX)
			return false;
		host = kh_view_sub(entry, 1, end);
		rest = kh_view_from(entry, end + 1);
	} else if ((colon = kh_view_find(entry, KH_LIT(":"), 0)) != SIZE_MAX &&
		   kh_view_find(entry, KH_LIT(":"), colon + 1) == SIZE_MAX) {
		host = kh_view_sub(entry, 0, colon);
		rest = kh_view_from(entry, colon);
	}
	if (rest.n > 0 && (rest.p[0] != ':' || !kh_view_int(kh_view_from(rest, 1), &port)))
		return false;
	return port == job->where.port && kh_view_eq_nocase(host, job->where.host);
}

/* True where the configuration names this very host, so that its address may be of any range. */
static bool is_granted(const struct kh_job *job)
{
	for (size_t i = 0; i < job->fetch.hosts; i++) {
		if (is_named(job, job->fetch.host[i]))
			return true;
	}
	return false;
}

/* Where no name server is in reach: a socket that leads nowhere, for a name that the worker's file of hosts may have.
 */
static int lead_nowhere(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	close(ends[1]);
	return ends[0];
}

/* Asks the next name server, in a worker of its own. */
static void ask(struct kh_job *job)
{
	char buffer[KH_MESSAGE_HEADER + 512];
	struct kh_message_out out;
	int socket = -1;

	while (job->server < job->servers.n &&
	       (socket = kh_nameserver_connect(&job->servers.at[job->server], job->over_tcp)) < 0)
		job->server++;
	if (socket < 0 && !job->asked)
		socket = lead_nowhere();
	job->asked = true;
	if (socket < 0) {
		kh_job_end(job, KH_FAULT_NAME, "no name server answered");
		return;
	}
	if (take_worker(job, KH_PROFILE_RESOLVE)) {
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
		kh_message_text(&out, KH_FIELD_NAME, job->where.host);
		job->worker_state = KH_STATE_RESOLVING;
		job->phase = KH_JOB_LOOKUP;
		(void)send_worker(job, &out, &socket, 1);
	}
	close(socket);
}

/* Begins to connect to the next address. */
static void connect_next(struct kh_job *job)
{
	job->phase = KH_JOB_CONNECT;
	while (job->next_address < job->addresses) {
		job->connection = kh_connect(&job->address[job->next_address++], job->where.port, true);
		if (job->connection < 0)
			continue;
		job->connect_deadline_us = job->next_address < job->addresses ? kh_job_now() + CONNECT_PATIENCE_US
									      : job->deadline_us;
		return;
	}
	kh_job_end(job, KH_FAULT_CONNECT, "none of %zu addresses could be connected to", job->addresses);
}

/* All addresses of a name are checked before one is used: a name that mixes them is not to be trusted with any. */
static void check_addresses(struct kh_job *job)
{
	char text[64];

	if (job->addresses == 0) {
		kh_job_end(job, KH_FAULT_NAME, "the name has no address");
		return;
	}
	for (size_t i = 0; i < job->addresses && !is_granted(job); i++) {
		const char *range = kh_address_refused(&job->address[i]);
		if (range) {
			kh_address_print(&job->address[i], text, sizeof(text));
			kh_job_end(job, KH_FAULT_ADDRESS, "%s is an address of a range that is refused: %s", text,
				   range);
			return;
		}
	}
	job->next_address = 0;
	connect_next(job);
}

/* Goes to TEXT, a URL of the parent's or of a redirect that was looked at already. */
static void go(struct kh_job *job, struct kh_view text)
{
	struct kh_error err = {0};
	struct kh_url url;
	struct kh_view canonical;

	bool ok = kh_url_read_web(text, true, &url, &err) == KH_OK;
	if (ok && kh_url_write(&url, job->url, sizeof(job->url), &canonical) != KH_OK)
		ok = kh_error_set(&err, KH_ELIMIT, "too_long", "a URL of more than %d bytes", KH_URL_MAX) == KH_OK;
	if (!ok || kh_url_read_web(canonical, true, &job->where, &err) != KH_OK) {
		kh_job_end(job, KH_FAULT_URL, "%s", err.detail);
		return;
	}
	if (job->where.plain && !job->fetch.plain) {
		kh_job_end(job, KH_FAULT_SCHEME, "http, and the request grants https only");
		return;
	}
	job->addresses = 0;
	job->over_tcp = job->asked = false;
	job->server = 0;
	if (job->where.is_address) {
		job->addresses = kh_address_read(job->where.host, &job->address[0]);
		check_addresses(job);
		return;
	}
	kh_nameserver_read(RESOLV_CONF, &job->servers);
	ask(job);
}

void kh_fetch_begin(struct kh_job *job, const struct kh_message *message)
{
	struct kh_error err = {0};

	if (kh_request_read_fetch(message, &job->fetch, &err) != KH_OK) {
		kh_job_end(job, KH_FAULT_REQUEST, "%s", err.detail);
		return;
	}
	job->limits = job->fetch.limits;
	job->deadline_us = job->begun_us + job->limits.wall_ms * 1000;
	go(job, job->fetch.url);
}

/* The next message of the job's worker, into to_parent; true where there is one that is permitted now. */
static bool receive(struct kh_job *job, struct kh_message *ret_message, size_t *ret_n)
{
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	struct kh_view packet;
	int worker = job->slot->worker;
	enum kh_io io = worker < 0 ? KH_IO_CLOSED : kh_channel_receive(worker, job->to_parent, &packet, fds, &count);

	if (io == KH_IO_AGAIN)
		return false;
	if (io == KH_IO_CLOSED) {
		/* It died.  Why may be on its way still; without a word it was killed. */
		if (job->slot->broken)
			kh_job_end_part(job, job->slot->broken, job->slot->error);
		else if (job->slot->gone)
			kh_job_end(job, KH_FAULT_WORKER, "the worker was killed (status %d)", job->slot->status);
		/* One that has only closed it would wake us for as long as it lives. */
		if (worker >= 0)
			close(worker);
		job->slot->worker = -1;
		return false;
	}
	for (size_t i = 0; io == KH_IO_DONE && i < count; i++)
		close(fds[i]);
	if (io != KH_IO_DONE || kh_message_read(packet, count, &job->worker_state, ret_message, NULL) != KH_OK) {
		kh_job_end(job, KH_FAULT_WORKER, "the worker sent what is no message of its table");
		return false;
	}
	*ret_n = packet.n;
	return true;
}

static void step_lookup(struct kh_job *job)
{
	struct kh_message message;
	struct kh_view bytes;
	size_t n, cursor = 0;

	if (!receive(job, &message, &n))
		return;
	drop_worker(job);
	if (message.type == KH_MESSAGE_DONE) { /* this server did not answer */
		job->server++;
		ask(job);
		return;
	}
	if (message.number[KH_FIELD_TRUNCATED] && !job->over_tcp) {
		job->over_tcp = true;
		ask(job);
		return;
	}
	while (job->addresses < KH_JOB_ADDRESSES && kh_message_item(&message, KH_FIELD_ADDRESS, &cursor, &bytes))
		job->addresses += kh_address_from_bytes(bytes, &job->address[job->addresses]);
	check_addresses(job);
}

/* The file of certificates that the request names; -1 where it names none. */
static bool open_authority(struct kh_job *job, int *ret_fd)
{
	char path[KH_MESSAGE_TEXT + 1];
	struct stat st;

	*ret_fd = -1;
	if (job->fetch.authority.n == 0)
		return true;
	memcpy(path, job->fetch.authority.p, job->fetch.authority.n);
	path[job->fetch.authority.n] = '\0';
	*ret_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (*ret_fd >= 0 && fstat(*ret_fd, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	kh_job_end(job, KH_FAULT_TLS, "the file of certificates: %s", *ret_fd < 0 ? strerror(errno) : "not a file");
	if (*ret_fd >= 0)
		close(*ret_fd);
	return false;
}

/* The connection stands: a worker of its own speaks over it. */
static void talk(struct kh_job *job)
{
	struct kh_message_out out;
	uint64_t now = kh_job_now();
	int fds[2] = {job->connection, -1};

	if (!open_authority(job, &fds[1]))
		return;
	if (take_worker(job, KH_PROFILE_HTTP)) {
		kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), KH_MESSAGE_TRANSFER);
		kh_message_number(&out, KH_FIELD_WALL,
				  now < job->deadline_us ? (job->deadline_us - now) / 1000 + 1 : 1);
		kh_message_number(&out, KH_FIELD_OUTPUT, job->limits.output);
		kh_message_text(&out, KH_FIELD_URL, kh_view_str(job->url));
		kh_message_number(&out, KH_FIELD_METHOD, job->fetch.method);
		for (size_t i = 0; i < job->fetch.headers; i++)
			kh_message_text(&out, KH_FIELD_HEADER, job->fetch.header[i]);
		job->worker_state = KH_STATE_TRANSFER_HEAD;
		job->phase = KH_JOB_TALK;
		(void)send_worker(job, &out, fds, fds[1] >= 0 ? 2 : 1);
	}
	if (fds[1] >= 0)
		close(fds[1]);
	if (job->connection >= 0)
		close(job->connection);
	job->connection = -1;
}

static void step_connect(struct kh_job *job)
{
	struct pollfd writable = {.fd = job->connection, .events = POLLOUT};
	bool late = kh_job_now() >= job->connect_deadline_us;

	if (poll(&writable, 1, 0) == 0 && !late)
		return;
	if (!late && kh_connect_result(job->connection) == 0) {
		talk(job);
		return;
	}
	close(job->connection);
	job->connection = -1;
	connect_next(job);
}

static bool is_redirect(uint64_t status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/*
 * Whether TO leads where the request was granted to go: the same host, and the same port or, with another scheme, that
 * scheme's own.  From http to https always, back only where http is granted.
 */
static bool is_within(const struct kh_job *job, const struct kh_url *to)
{
	const struct kh_url *from = &job->where;
	bool same_port = to->plain == from->plain ? to->port == from->port : to->port == (to->plain ? 80 : 443);

	return kh_view_eq_nocase(from->host, to->host) && same_port && (!to->plain || job->fetch.plain);
}

/* True where HEAD is a redirect that is followed (or one too many); false where it is the parent's. */
static bool follow(struct kh_job *job, const struct kh_message *head)
{
	struct kh_view location = head->text[KH_FIELD_LOCATION];
	struct kh_view text;
	struct kh_url read, to;

	if (!is_redirect(head->number[KH_FIELD_STATUS]) || location.n == 0 || job->fetch.method != KH_METHOD_GET ||
	    job->fetch.redirects == 0)
		return false;
	/* Compared in the one spelling, as the URL that it comes from is. */
	if (kh_url_read_web(location, true, &read, NULL) != KH_OK ||
	    kh_url_write(&read, job->next_url, sizeof(job->next_url), &text) != KH_OK ||
	    kh_url_read_web(text, true, &to, NULL) != KH_OK || !is_within(job, &to))
		return false;
	if (job->redirects++ == job->fetch.redirects) {
		kh_job_end(job, KH_FAULT_REDIRECTS, "more than %u redirects", job->fetch.redirects);
		return true;
	}
	drop_worker(job);
	go(job, text);
	return true;
}

/* HEAD for the parent: what the worker said, and the URL that it came from. */
static void pass_head(struct kh_job *job, const struct kh_message *head)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HEAD);
	kh_message_text(&out, KH_FIELD_URL, kh_view_str(job->url));
	kh_message_number(&out, KH_FIELD_STATUS, head->number[KH_FIELD_STATUS]);
	if (head->has[KH_FIELD_HEADERS])
		kh_message_text(&out, KH_FIELD_HEADERS, head->text[KH_FIELD_HEADERS]);
	if (head->has[KH_FIELD_LOCATION])
		kh_message_text(&out, KH_FIELD_LOCATION, head->text[KH_FIELD_LOCATION]);
	if (kh_message_end(&out, &packet) != KH_OK) {
		kh_job_end(job, KH_FAULT_HEADERS, "the headers do not fit in a message");
		return;
	}
	memcpy(job->to_parent, packet.p, packet.n);
	job->to_parent_n = packet.n;
	explicit_bzero(buffer, packet.n); /* the stack is part of every sandbox that is forked from now on */
}

/* What a worker may say of its exchange; of the rest it knows nothing, and one that is not to be trusted says all. */
static bool may_claim(uint64_t fault, bool headed)
{
	return (fault == KH_FAULT_NONE && headed) || fault == KH_FAULT_TLS || fault == KH_FAULT_HTTP ||
	       fault == KH_FAULT_HEADERS || fault == KH_FAULT_OUTPUT || fault == KH_FAULT_TIME ||
	       fault == KH_FAULT_URL || fault == KH_FAULT_REQUEST || fault == KH_FAULT_WORKER;
}

/* HEADED: the response has begun already. */
static void take_message(struct kh_job *job, const struct kh_message *message, size_t n, bool headed)
{
	if (message->type == KH_MESSAGE_HEAD) {
		if (!follow(job, message))
			pass_head(job, message);
	} else if (message->type == KH_MESSAGE_OUTPUT) {
		if (job->used + message->bulk.n > job->limits.output) {
			kh_job_end(job, KH_FAULT_OUTPUT, "more than %llu bytes",
				   (unsigned long long)job->limits.output);
			return;
		}
		job->used += message->bulk.n;
		job->to_parent_n = n; /* the same packet goes on */
	} else if (!may_claim(message->number[KH_FIELD_FAULT], headed)) {
		kh_job_end(job, KH_FAULT_WORKER, "the worker claims what is not its to say");
	} else {
		enum kh_fault fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
		const char *claim = kh_claim_find(message->text[KH_FIELD_DETAIL]);
		kh_job_end(job, fault, "%s", claim ? claim : fault == KH_FAULT_NONE ? "" : kh_fault_about(fault));
	}
}

/* The body of a POST: packets go to the worker as they came.  One that is gone is noticed when it is read from. */
static void feed_worker(struct kh_job *job)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	struct kh_view packet;

	kh_job_take_input(job);
	if (job->phase != KH_JOB_TALK)
		return;
	if (job->fetch.method != KH_METHOD_POST) {
		if (job->input_n > 0)
			kh_job_end(job, KH_FAULT_REQUEST, "input for a request that has no body");
		return;
	}
	if (job->input_n > 0 &&
	    kh_channel_send(job->slot->worker, kh_view_of(job->input, job->input_n), NULL, 0) != KH_IO_AGAIN)
		job->input_n = 0;
	if (job->input_n > 0 || !job->fed || job->told)
		return;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_INPUT_END);
	if (kh_message_end(&out, &packet) == KH_OK)
		job->told = kh_channel_send(job->slot->worker, packet, NULL, 0) != KH_IO_AGAIN;
}

static void step_talk(struct kh_job *job)
{
	struct kh_message message;
	size_t n;
	bool headed = job->worker_state == KH_STATE_TRANSFER_BODY;

	feed_worker(job);
	for (int i = 0; i < KH_JOB_TURN && job->phase == KH_JOB_TALK; i++) {
		if (!kh_job_flush(job) || !receive(job, &message, &n))
			break;
		take_message(job, &message, n, headed);
		headed = job->worker_state == KH_STATE_TRANSFER_BODY;
	}
}

void kh_fetch_step(struct kh_job *job)
{
	if (job->phase == KH_JOB_LOOKUP)
		step_lookup(job);
	else if (job->phase == KH_JOB_CONNECT)
		step_connect(job);
	if (job->phase == KH_JOB_TALK)
		step_talk(job);
}

size_t kh_fetch_watch(const struct kh_job *job, struct pollfd *watch, size_t n, uint64_t *wake_us)
{
	short events = 0;

	if (job->phase == KH_JOB_CONNECT) {
		if (job->connect_deadline_us < *wake_us)
			*wake_us = job->connect_deadline_us;
		watch[n++] = (struct pollfd){.fd = job->connection, .events = POLLOUT};
		return n;
	}
	if (job->to_parent_n == 0)
		events |= POLLIN;
	if (job->input_n > 0 ||
	    (job->phase == KH_JOB_TALK && job->fetch.method == KH_METHOD_POST && job->fed && !job->told))
		events |= POLLOUT;
	/* A worker that is dead is waited for by its pidfd: its channel would wake us for ever. */
	if (events && job->slot && job->slot->worker >= 0 && !job->slot->gone)
		watch[n++] = (struct pollfd){.fd = job->slot->worker, .events = events};
	return n;
}
