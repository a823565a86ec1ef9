/*
 * Ports.  What servers write is hostile: it stands behind a bar in the log, without control characters, and is escaped
 * once more by whoever shows it.
 */
#include "upstream/port.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/timestamp.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAITING (64U << 10)            /* bytes that wait to be written */
#define DAY_US  INT64_C(86400000000)   /* microseconds */
#define BAR     "  | "                 /* before each line of a server's own */
#define PATH    (KH_MESSAGE_TEXT + 64) /* bytes of a path */

struct kh_port {
	const struct kh_alloc *alloc;
	char name[64];
	char path[PATH]; /* HOME/logs/NAME */
	bool tells;

	pthread_mutex_t reporting; /* for: */
	bool is_reported;
	struct kh_digest reported;

	pthread_mutex_t lock; /* for the rest */
	char text[WAITING];
	size_t n;
	int64_t day;
	uint64_t sent, unsaved; /* today, of which so much is in no file */
	bool is_spent;          /* it wanted to send more than it may today */
	struct kh_port_state state, written;
};

/* --- the day's sum ------------------------------------------------------------------------------------------------ */

static int64_t today(void)
{
	return kh_clock_wall_us() / DAY_US;
}

/* Begins another day, if it is one.  Called with the lock. */
static void turn_day(struct kh_port *port)
{
	if (port->day != today()) {
		port->day = today();
		port->sent = port->unsaved = 0;
		port->is_spent = false;
	}
}

static int open_file(const struct kh_port *port, const char *ending, int flags)
{
	char path[PATH + 16];

	snprintf(path, sizeof(path), "%s%s", port->path, ending);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* What was sent on a day, by all processes of this home. */
struct sum {
	int64_t day;
	uint64_t bytes;
	bool is_spent;
};

/* Reads TEXT, "[day,bytes,spent]"; nothing was sent if it is of another day. */
static struct sum read_sum(struct kh_view text, int64_t day)
{
	int64_t of = 0, bytes = 0;
	struct kh_arena arena;
	struct kh_error err;
	yyjson_val *root;

	kh_arena_init(&arena, NULL, 64U << 10);
	struct sum sum = {.day = day};
	if (kh_json_read(&arena, text, &root, &err) == KH_OK && kh_json_int(yyjson_arr_get(root, 0), &of) &&
	    of == day && kh_json_int(yyjson_arr_get(root, 1), &bytes) && bytes > 0) {
		sum.bytes = (uint64_t)bytes;
		sum.is_spent = yyjson_is_true(yyjson_arr_get(root, 2));
	}
	kh_arena_done(&arena);
	return sum;
}

/* Adds MORE to the sum in the file, and returns it. */
static struct sum add_to_file(const struct kh_port *port, struct sum more)
{
	bool adds = more.bytes > 0 || more.is_spent;
	char text[64];
	int fd = open_file(port, ".sent", O_RDWR | (adds ? O_CREAT : 0));

	if (fd < 0)
		return more;
	(void)flock(fd, LOCK_EX);
	ssize_t n = pread(fd, text, sizeof(text), 0);
	struct sum sum = read_sum(kh_view_of(text, n > 0 ? (size_t)n : 0), more.day);
	adds = more.bytes > 0 || (more.is_spent && !sum.is_spent);
	sum.bytes += more.bytes;
	sum.is_spent |= more.is_spent;
	if (adds) {
		int size = snprintf(text, sizeof(text), "[%lld,%llu,%s]", (long long)sum.day,
				    (unsigned long long)sum.bytes, sum.is_spent ? "true" : "false");
		if (pwrite(fd, text, (size_t)size, 0) == size)
			(void)!ftruncate(fd, size);
	}
	close(fd);
	return sum;
}

/* Makes the sum known to other processes, and theirs to this. */
static void save_sum(struct kh_port *port)
{
	pthread_mutex_lock(&port->lock);
	turn_day(port);
	struct sum more = {port->day, port->unsaved, port->is_spent};
	pthread_mutex_unlock(&port->lock);
	struct sum all = add_to_file(port, more);
	pthread_mutex_lock(&port->lock);
	if (port->day == more.day) {
		port->unsaved -= more.bytes;
		port->sent = all.bytes + port->unsaved;
		port->is_spent |= all.is_spent;
	}
	pthread_mutex_unlock(&port->lock);
}

uint64_t kh_port_left(struct kh_port *port, uint64_t most)
{
	pthread_mutex_lock(&port->lock);
	turn_day(port);
	uint64_t left = port->sent < most && !port->is_spent ? most - port->sent : 0;
	pthread_mutex_unlock(&port->lock);
	return left;
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

/* The configuration has checked the name: it is no path. */
static void name_it(struct kh_port *port, struct kh_view folder, struct kh_view name)
{
	snprintf(port->name, sizeof(port->name), "%.*s", KH_FMT(name));
	snprintf(port->path, sizeof(port->path), "%.*s/" KH_PORT_FOLDER "/%s", KH_FMT(folder), port->name);
}

enum kh_err kh_port_new(const struct kh_port_settings *settings, struct kh_port **ret_port, struct kh_error *err)
{
	struct kh_port *port = kh_alloc_zero(settings->alloc, sizeof(*port));

	if (port == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	port->alloc = settings->alloc;
	port->tells = settings->tells;
	port->state.state = "down";
	name_it(port, settings->folder, settings->name);
	(void)pthread_mutex_init(&port->reporting, NULL);
	(void)pthread_mutex_init(&port->lock, NULL);
	save_sum(port);
	*ret_port = port;
	return KH_OK;
}

void kh_port_free(struct kh_port *port)
{
	if (port == NULL)
		return;
	kh_port_write(port);
	(void)pthread_mutex_destroy(&port->lock);
	(void)pthread_mutex_destroy(&port->reporting);
	kh_alloc_free(port->alloc, port, sizeof(*port));
}

struct kh_view kh_port_name(const struct kh_port *port)
{
	return kh_view_str(port->name);
}

enum kh_err kh_port_report(struct kh_port *port, const struct kh_digest *digest, enum kh_err (*tell)(void *context),
			   void *context)
{
	enum kh_err e = KH_OK;

	pthread_mutex_lock(&port->reporting);
	if (!port->is_reported || memcmp(&port->reported, digest, sizeof(*digest)) != 0)
		e = tell(context);
	port->is_reported = e == KH_OK;
	port->reported = *digest;
	pthread_mutex_unlock(&port->reporting);
	return e;
}

/* --- the log ------------------------------------------------------------------------------------------------------ */

/* Adds TEXT to what waits; if there is no room, what waited is forgotten.  Called with the lock. */
static void add(struct kh_port *port, struct kh_view text)
{
	static const char lost[] = "(lines are missing here: there were too many at once)\n";

	text = kh_view_sub(text, 0, WAITING / 2);
	if (text.n > WAITING - port->n) {
		memcpy(port->text, lost, sizeof(lost) - 1);
		port->n = sizeof(lost) - 1;
	}
	if (text.n > 0)
		memcpy(port->text + port->n, text.p, text.n);
	port->n += text.n;
}

void kh_port_say(struct kh_port *port, const char *fmt, ...)
{
	struct kh_arena arena;
	va_list args;

	kh_arena_init(&arena, port->alloc, 64U << 10);
	struct kh_view time = kh_timestamp_text(&arena, kh_clock_wall_us() / 1000000 * 1000000);
	va_start(args, fmt);
	struct kh_view text = kh_arena_vprintf(&arena, fmt, args);
	va_end(args);
	struct kh_view line = kh_arena_printf(&arena, "%.*s %.*s\n", KH_FMT(time), KH_FMT(text));
	pthread_mutex_lock(&port->lock);
	add(port, line);
	pthread_mutex_unlock(&port->lock);
	kh_arena_done(&arena);
}

/* Adds what a server wrote, line by line.  Called with the lock. */
static void quote(struct kh_port *port, struct kh_view bytes)
{
	char line[512];

	while (bytes.n > 0) {
		size_t n = 0, at = 0;
		memcpy(line, BAR, sizeof(BAR) - 1);
		n = sizeof(BAR) - 1;
		while (at < bytes.n && n < sizeof(line) - 1 && bytes.p[at] != '\n') {
			unsigned char c = (unsigned char)bytes.p[at++];
			line[n++] = (char)((c < ' ' && c != '\t') || c == 0x7f ? '?' : c);
		}
		line[n++] = '\n';
		at += at < bytes.n && bytes.p[at] == '\n';
		add(port, kh_view_of(line, n));
		bytes = kh_view_from(bytes, at);
	}
}

void kh_port_quote(struct kh_port *port, struct kh_tainted words)
{
	pthread_mutex_lock(&port->lock);
	quote(port, kh_tainted_open(words));
	pthread_mutex_unlock(&port->lock);
}

void kh_port_hear(struct kh_port *port, struct kh_port_life *heard, uint64_t life, const struct kh_server_end *kept)
{
	struct kh_view errors = kh_tainted_open(kept->errors);

	if (heard->life != life)
		*heard = (struct kh_port_life){.life = life};
	uint64_t fresh = kept->written > heard->written ? kept->written - heard->written : 0;
	uint64_t sent = kept->end.sent > heard->sent ? kept->end.sent - heard->sent : 0;
	heard->written += fresh;
	heard->sent += sent;
	pthread_mutex_lock(&port->lock);
	quote(port, kh_view_from(errors, fresh < errors.n ? errors.n - (size_t)fresh : 0));
	turn_day(port);
	port->sent += sent;
	port->unsaved += sent;
	port->is_spent |= kept->end.is_spent;
	pthread_mutex_unlock(&port->lock);
	if (kept->end.fault == KH_FAULT_NONE && strcmp(kept->end.detail, heard->note) != 0 &&
	    kept->end.detail[0] != '\0') {
		snprintf(heard->note, sizeof(heard->note), "%s", kept->end.detail);
		kh_port_say(port, "network: %s", heard->note);
	}
}

/* Puts the log aside if TEXT does not fit any more, and opens it. */
static int open_log(const struct kh_port *port, size_t n)
{
	int fd = open_file(port, ".log", O_WRONLY | O_APPEND | O_CREAT);
	char from[PATH + 16], to[PATH + 16];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || (uint64_t)st.st_size + n <= KH_PORT_LOG)
		return fd;
	close(fd);
	snprintf(from, sizeof(from), "%s.log", port->path);
	snprintf(to, sizeof(to), "%s.log.1", port->path);
	(void)rename(from, to);
	return open_file(port, ".log", O_WRONLY | O_APPEND | O_CREAT);
}

static void write_log(struct kh_port *port)
{
	char text[WAITING];

	pthread_mutex_lock(&port->lock);
	size_t n = port->n;
	memcpy(text, port->text, n);
	port->n = 0;
	pthread_mutex_unlock(&port->lock);
	int fd = n > 0 ? open_log(port, n) : -1;
	if (fd < 0)
		return;
	(void)!write(fd, text, n); /* a full disk loses lines for humans, and nothing else */
	close(fd);
}

/* --- its state ---------------------------------------------------------------------------------------------------- */

void kh_port_set(struct kh_port *port, const struct kh_port_state *state)
{
	pthread_mutex_lock(&port->lock);
	port->state = *state;
	pthread_mutex_unlock(&port->lock);
}

static enum kh_err write_json(struct kh_arena *arena, const struct kh_port_state *state, struct kh_view *ret_text)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_int(doc, root, "pid", getpid());
	yyjson_mut_obj_add_str(doc, root, "state", state->state);
	yyjson_mut_obj_add_uint(doc, root, "processes", state->processes);
	yyjson_mut_obj_add_str(doc, root, "why", state->why);
	return kh_json_write(arena, root, ret_text);
}

/* The file is replaced whole, because others may be reading it. */
static void write_state(struct kh_port *port)
{
	char from[PATH + 16], to[PATH + 16];
	struct kh_arena arena;
	struct kh_view text;

	pthread_mutex_lock(&port->lock);
	struct kh_port_state state = port->state;
	pthread_mutex_unlock(&port->lock);
	if (!port->tells || (port->written.state != NULL && strcmp(state.state, port->written.state) == 0 &&
			     state.processes == port->written.processes && strcmp(state.why, port->written.why) == 0))
		return;
	kh_arena_init(&arena, port->alloc, 64U << 10);
	int fd = write_json(&arena, &state, &text) == KH_OK ? open_file(port, ".new", O_WRONLY | O_TRUNC | O_CREAT)
							    : -1;
	snprintf(from, sizeof(from), "%s.new", port->path);
	snprintf(to, sizeof(to), "%s.state", port->path);
	if (fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && rename(from, to) == 0)
		port->written = state;
	if (fd >= 0)
		close(fd);
	kh_arena_done(&arena);
}

static const char *word_of(struct kh_view state)
{
	static const char *const words[] = {"up", "paused", "held"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (kh_view_eq(state, kh_view_str(words[i])))
			return words[i];
	}
	return "down";
}

/* Reads the file of the state; false if there is none, or its gateway does not run any more. */
static bool read_state(const struct kh_port *port, struct kh_port_state *ret_state)
{
	char text[4096];
	struct kh_error err;
	struct kh_arena arena;
	yyjson_val *root;
	int64_t pid = 0, processes = 0;
	int fd = open_file(port, ".state", O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;

	if (fd >= 0)
		close(fd);
	kh_arena_init(&arena, NULL, 256U << 10);
	bool good = n > 0 && kh_json_read(&arena, kh_view_of(text, (size_t)n), &root, &err) == KH_OK &&
		    kh_json_int(kh_json_get(root, "pid"), &pid) && pid > 0 && pid < INT32_MAX &&
		    kh_json_int(kh_json_get(root, "processes"), &processes) && processes >= 0 &&
		    (kill((pid_t)pid, 0) == 0 || errno == EPERM);
	if (good) {
		ret_state->state = word_of(kh_json_str(kh_json_get(root, "state")));
		ret_state->processes = (size_t)processes;
		snprintf(ret_state->why, sizeof(ret_state->why), "%.*s", KH_FMT(kh_json_str(kh_json_get(root, "why"))));
	}
	kh_arena_done(&arena);
	return good;
}

uint64_t kh_port_look(struct kh_view folder, struct kh_view name, struct kh_port_state *ret_state)
{
	struct kh_port port = {.n = 0};

	name_it(&port, folder, name);
	*ret_state = (struct kh_port_state){.state = "down"};
	(void)read_state(&port, ret_state);
	return add_to_file(&port, (struct sum){.day = today()}).bytes;
}

void kh_port_write(struct kh_port *port)
{
	write_log(port);
	save_sum(port);
	write_state(port);
}
