/*
 * Requests to the executor (E7, E8): what is taken has paths that stay where they are put, headers that are one line
 * each, limits within the most; and written again it is the same request.
 */
#include "fuzz.h"

#include "wire/request.h"

static char buffer[KH_MESSAGE_MAX];

static struct kh_message receive(struct kh_view packet)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;

	HOLDS(kh_message_read(packet, 0, &state, &message, NULL) == KH_OK);
	return message;
}

static void check_path(struct kh_view path)
{
	HOLDS(path.n > 0 && path.p[0] == '/' && memchr(path.p, '\0', path.n) == NULL);
	HOLDS(kh_view_find(path, KH_LIT("/../"), 0) == SIZE_MAX);
	HOLDS(!kh_view_ends(path, KH_LIT("/..")));
}

static void check_limit(uint64_t value, uint64_t most)
{
	HOLDS(value > 0 && value <= most);
}

/* A server has rates in place of two of the limits. */
static void check_limits(enum kh_profile profile, const struct kh_limits *limits)
{
	bool is_server = profile == KH_PROFILE_SERVER;

	check_limit(limits->wall_ms, is_server ? KH_PROFILE_SERVER_WALL : kh_profile_most.wall_ms);
	HOLDS(is_server ? limits->cpu_s == 0 && limits->output == 0 : true);
	if (!is_server) {
		check_limit(limits->cpu_s, kh_profile_most.cpu_s);
		check_limit(limits->output, kh_profile_most.output);
	}
	check_limit(limits->memory, kh_profile_most.memory);
	check_limit(limits->processes, kh_profile_most.processes);
	check_limit(limits->files, kh_profile_most.files);
	check_limit(limits->disk, kh_profile_most.disk);
}

static bool same(const struct kh_view *a, const struct kh_view *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!kh_view_eq(a[i], b[i]))
			return false;
	return true;
}

/* Only a server has variables, secrets and rates; each variable has a name, and each secret a file. */
static void check_server(const struct kh_run *run)
{
	struct kh_view name, value;

	if (run->profile != KH_PROFILE_SERVER) {
		HOLDS(run->variables == 0 && run->secrets == 0 && run->rates.idle_ms == 0 && run->rates.output == 0);
		return;
	}
	for (size_t i = 0; i < run->variables; i++)
		HOLDS(kh_request_variable(run->environment[i], &name, &value) && name.n > 0);
	for (size_t i = 0; i < run->secrets; i++) {
		HOLDS(kh_request_variable(run->secret[i], &name, &value) && name.n > 0);
		check_path(value);
	}
	check_limit(run->rates.idle_ms, kh_profile_rates_most.idle_ms);
	check_limit(run->rates.output, kh_profile_rates_most.output);
	check_limit(run->rates.processor, kh_profile_rates_most.processor);
	check_limit(run->rates.longest, kh_profile_rates_most.longest);
	check_limit(run->rates.messages, kh_profile_rates_most.messages);
}

static void check_run(const struct kh_message *message)
{
	struct kh_run run, again;
	struct kh_error err;
	struct kh_view packet;

	if (kh_request_read_run(message, &run, &err) != KH_OK) {
		kh_fuzz_error(&err);
		return;
	}
	HOLDS(run.profile < KH_PROFILES);
	/* A worker of our own is told by its job what to do, every other by its program. */
	if (kh_profile_takes_job(run.profile))
		HOLDS(run.argc == 0 && run.work.n == 0 && run.cache.n == 0);
	else
		HOLDS(run.argc > 0 && run.argc <= KH_REQUEST_ARGUMENTS && run.argv[0].n > 0);
	check_limits(run.profile, &run.limits);
	check_server(&run);
	for (size_t i = 0; i < run.reads; i++)
		check_path(run.read[i]);
	for (size_t i = 0; i < run.writes; i++)
		check_path(run.write[i]);
	if (run.work.n > 0)
		check_path(run.work);
	if (run.cache.n > 0)
		check_path(run.cache);
	/* All limits are said now, so that one that was almost too large may not fit any more. */
	if (kh_request_write_run(&run, buffer, &packet, NULL) != KH_OK)
		return;
	struct kh_message written = receive(packet);
	HOLDS(kh_request_read_run(&written, &again, NULL) == KH_OK);
	HOLDS(again.argc == run.argc && same(again.argv, run.argv, run.argc));
	HOLDS(again.reads == run.reads && same(again.read, run.read, run.reads));
	HOLDS(again.writes == run.writes && same(again.write, run.write, run.writes));
	HOLDS(kh_view_eq(again.work, run.work) && kh_view_eq(again.cache, run.cache));
	HOLDS(again.variables == run.variables && same(again.environment, run.environment, run.variables));
	HOLDS(again.secrets == run.secrets && same(again.secret, run.secret, run.secrets));
	HOLDS(memcmp(&again.rates, &run.rates, sizeof(run.rates)) == 0);
	HOLDS(memcmp(&again.limits, &run.limits, sizeof(run.limits)) == 0);
}

/* One line, with a name, a colon and a value, and not the one that names the host or frames the message. */
static void check_header(struct kh_view header)
{
	struct kh_view rest = header, name;

	for (size_t i = 0; i < header.n; i++)
		HOLDS((unsigned char)header.p[i] >= ' ' && header.p[i] != 0x7f);
	HOLDS(kh_view_split(&rest, ':', &name) && name.n > 0 && kh_view_trim(rest).n > 0);
	HOLDS(!kh_view_eq_nocase(kh_view_trim(name), KH_LIT("host")));
	HOLDS(!kh_view_eq_nocase(kh_view_trim(name), KH_LIT("content-length")));
	HOLDS(!kh_view_eq_nocase(kh_view_trim(name), KH_LIT("transfer-encoding")));
}

static void check_fetch(const struct kh_message *message)
{
	struct kh_fetch fetch, again;
	struct kh_error err;
	struct kh_view packet;

	if (kh_request_read_fetch(message, &fetch, &err) != KH_OK) {
		kh_fuzz_error(&err);
		return;
	}
	HOLDS(fetch.url.n > 0 && fetch.method < KH_METHODS && fetch.redirects <= KH_REQUEST_REDIRECTS);
	check_limits(KH_PROFILE_HTTP, &fetch.limits);
	for (size_t i = 0; i < fetch.headers; i++)
		check_header(fetch.header[i]);
	if (fetch.authority.n > 0)
		check_path(fetch.authority);
	if (kh_request_write_fetch(&fetch, buffer, &packet, NULL) != KH_OK)
		return;
	struct kh_message written = receive(packet);
	HOLDS(kh_request_read_fetch(&written, &again, NULL) == KH_OK);
	HOLDS(kh_view_eq(again.url, fetch.url) && kh_view_eq(again.authority, fetch.authority));
	HOLDS(again.headers == fetch.headers && same(again.header, fetch.header, fetch.headers));
	HOLDS(again.hosts == fetch.hosts && same(again.host, fetch.host, fetch.hosts));
	HOLDS(again.method == fetch.method && again.plain == fetch.plain && again.redirects == fetch.redirects);
	HOLDS(memcmp(&again.limits, &fetch.limits, sizeof(fetch.limits)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char packet[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;

	if (size < KH_MESSAGE_HEADER || size > sizeof(packet))
		return 0;
	/* A header that is right: the rest is what this target is about. */
	memcpy(packet, data, size);
	packet[0] = KH_MESSAGE_VERSION;
	packet[2] = packet[3] = 0;
	for (unsigned i = 0; i < 4; i++)
		packet[4 + i] = (char)((size - KH_MESSAGE_HEADER) >> (8 * i));
	if (kh_message_read(kh_view_of(packet, size), 0, &state, &message, NULL) != KH_OK)
		return 0;
	if (message.type == KH_MESSAGE_RUN)
		check_run(&message);
	else
		check_fetch(&message);
	return 0;
}
