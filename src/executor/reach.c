/*
 * From a host to a connected socket.  Trusts the parent for what is granted, and nobody for where a name leads.
 */
#include "executor/reach.h"

#include "base/clock.h"
#include "executor/connect.h"
#include "executor/post.h"
#include "executor/route.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define RESOLV_CONF         "/etc/resolv.conf"
#define CONNECT_PATIENCE_US 10000000 /* for one address, if there are others */

/* Compares "host" or "host:port" (an IPv6 address with a port is in brackets) with the job's target. */
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

/* True if the configuration names exactly this host, so that its address may be in any range. */
static bool is_granted(const struct kh_job *job)
{
	for (size_t i = 0; i < job->granted_count; i++) {
		if (is_named(job, job->granted[i]))
			return true;
	}
	return false;
}

/*
 * If no name server is reachable: a socket that leads nowhere, because the worker's hosts file may still have the name.
 */
static int lead_nowhere(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	close(ends[1]);
	return ends[0];
}

/* Asks the next name server, through a worker of its own. */
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
	if (kh_post_take(job, KH_PROFILE_RESOLVE)) {
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
		kh_message_text(&out, KH_FIELD_NAME, job->where.host);
		job->worker_state = KH_STATE_RESOLVING;
		job->phase = KH_JOB_LOOKUP;
		(void)kh_post_send(job, &out, &socket, 1);
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
		job->connect_deadline_us = job->next_address < job->addresses ? kh_clock_us() + CONNECT_PATIENCE_US
									      : job->deadline_us;
		return;
	}
	if (job->addresses == 0)
		kh_job_end(job, KH_FAULT_CONNECT, "no route leads to any of the addresses");
	else
		kh_job_end(job, KH_FAULT_CONNECT, "none of %zu addresses could be connected to", job->addresses);
}

static void refuse(struct kh_job *job, const struct kh_address *address, const char *what, const char *why)
{
	char text[64];

	kh_address_print(address, text, sizeof(text));
	kh_job_end(job, KH_FAULT_ADDRESS, "%s is an address %s: %s", text, what, why);
}

/* By their ranges.  False if one is refused; then the job has ended. */
static bool check_ranges(struct kh_job *job)
{
	for (size_t i = 0; i < job->addresses; i++) {
		const char *range = kh_address_refused(&job->address[i]);
		if (range != NULL) {
			refuse(job, &job->address[i], "of a range that is refused", range);
			return false;
		}
	}
	return true;
}

/* By this machine's routes, as they are now.  An address that no route leads to is left out, so it is not connected to
 * if a route appears. */
static bool check_routes(struct kh_job *job)
{
	size_t kept = 0;

	for (size_t i = 0; i < job->addresses; i++) {
		enum kh_route route = kh_route_find(&job->address[i], job->where.port);
		const char *refusal = kh_route_refusal(route);
		if (refusal != NULL) {
			refuse(job, &job->address[i], "that is refused", refusal);
			return false;
		}
		if (route == KH_ROUTE_BEYOND)
			job->address[kept++] = job->address[i];
	}
	job->addresses = kept;
	return true;
}

/* All addresses of a name are checked before one is used: if one of them is refused, the name is not trusted at all. */
static void check_addresses(struct kh_job *job)
{
	if (job->addresses == 0) {
		kh_job_end(job, KH_FAULT_NAME, "the name has no address");
		return;
	}
	if (!is_granted(job) && (!check_ranges(job) || !check_routes(job)))
		return;
	job->next_address = 0;
	connect_next(job);
}

enum kh_err kh_reach_url(struct kh_view text, char room[KH_JOB_URL], struct kh_url *ret_url, struct kh_error *err)
{
	struct kh_view canonical;
	struct kh_url url;
	enum kh_err e = kh_url_read_web(text, true, &url, err);

	if (e == KH_OK && kh_url_write(&url, room, KH_JOB_URL, &canonical) != KH_OK)
		e = kh_error_set(err, KH_ELIMIT, "too_long", "a URL of more than %d bytes", KH_URL_MAX);
	return e == KH_OK ? kh_url_read_web(canonical, true, ret_url, err) : e;
}

void kh_reach_begin(struct kh_job *job)
{
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

/* Reads a host and a port as those of a URL: normalized, and no unusual form of an address. */
static bool read_host(struct kh_job *job, struct kh_view text)
{
	/* An IPv6 address contains colons and is in brackets. */
	size_t colon = kh_view_find(text, KH_LIT(":"), text.p[0] == '[' ? kh_view_find(text, KH_LIT("]"), 0) : 0);
	int n = snprintf(job->next_url, sizeof(job->next_url), "https://%.*s/", KH_FMT(text));

	return colon != SIZE_MAX && n > 0 && (size_t)n < sizeof(job->next_url) &&
	       kh_reach_url(kh_view_of(job->next_url, (size_t)n), job->url, &job->where, NULL) == KH_OK;
}

void kh_reach_begin_at(struct kh_job *job, struct kh_view text)
{
	if (text.p[0] == '/') {
		job->connection = kh_connect_unix(text);
		if (job->connection < 0)
			kh_job_end(job, KH_FAULT_CONNECT, "the socket: %s", strerror(errno));
		else
			job->phase = KH_JOB_REACHED;
		return;
	}
	if (read_host(job, text))
		kh_reach_begin(job);
	else
		kh_job_end(job, KH_FAULT_REQUEST, "what to connect to is no host with a port");
}

static void step_lookup(struct kh_job *job)
{
	struct kh_message message;
	struct kh_view bytes;
	size_t cursor = 0;

	if (!kh_post_receive(job, &message))
		return;
	kh_post_drop(job);
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

static void step_connect(struct kh_job *job)
{
	struct pollfd writable = {.fd = job->connection, .events = POLLOUT};
	bool late = kh_clock_us() >= job->connect_deadline_us;

	if (poll(&writable, 1, 0) == 0 && !late)
		return;
	if (!late && kh_connect_result(job->connection) == 0) {
		job->phase = KH_JOB_REACHED;
		return;
	}
	close(job->connection);
	job->connection = -1;
	connect_next(job);
}

void kh_reach_step(struct kh_job *job)
{
	if (job->phase == KH_JOB_LOOKUP)
		step_lookup(job);
	else
		step_connect(job);
}

size_t kh_reach_watch(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	if (job->phase == KH_JOB_CONNECT) {
		if (job->connect_deadline_us < *wake_us)
			*wake_us = job->connect_deadline_us;
		watch[n++] = (struct pollfd){.fd = job->connection, .events = POLLOUT};
		return n;
	}
	/* A dead worker is waited for by its pidfd, because its channel would wake us for ever. */
	if (job->to_parent_n == 0 && job->slot && job->slot->worker >= 0 && !job->slot->gone)
		watch[n++] = (struct pollfd){.fd = job->slot->worker, .events = POLLIN};
	return n;
}
