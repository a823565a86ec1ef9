/*
 * The gateway as a command.  It is safe because of the order of its start: configuration; the executor, before there
 * are threads; the sockets; the lockdown; and only then the store and whatever reads from the network.
 *
 * The main thread only waits for signals: SIGTERM and SIGINT stop it gracefully (a second one at once), SIGHUP reloads
 * the configuration.
 */
#include "cli/serve.h"

#include "cli/clients.h"
#include "home/confine.h"
#include "home/file.h"
#include "home/notify.h"
#include "home/service.h"
#include "home/sockets.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORLD       07  /* the mode bits of all others */
#define DESCRIPTORS 512 /* that are not connections */

struct serving {
	struct kh_frame *f;
	const struct kh_serve_args *args;
	int signals; /* a signalfd */
	struct kh_notify notify;
	struct kh_sockets sockets;
	struct kh_view certificate, key;
	struct kh_clients clients;
	struct kh_service service;
};

static void say(const struct serving *s, const char *text)
{
	kh_frame_note(s->f, kh_view_str(text));
}

/* --- before the store --------------------------------------------------------------------------------------------- */

/* Reads a configured PEM file, NUL-terminated. */
static enum kh_err read_pem(struct kh_home *home, struct kh_view named, bool is_secret, struct kh_view *ret_text,
			    struct kh_error *err)
{
	struct kh_view name = kh_arena_printf(&home->arena, "%.*s", KH_FMT(named)), path = name, text;
	struct stat st;

	if (name.n > 0 && name.p[0] != '/')
		path = kh_folder_file(&home->folder, &home->arena, name.p);
	if (path.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	struct kh_view quoted = kh_arena_quote(&home->arena, path);
	if (is_secret && stat(path.p, &st) == 0 && (st.st_mode & WORLD) != 0)
		return kh_error_set(err, KH_EREFUSED, "secret_unsafe",
				    "%.*s holds a key, and everybody may use it (mode %04o): chmod 600 it",
				    KH_FMT(quoted), (unsigned)st.st_mode & 07777);
	enum kh_err e = kh_file_named(&home->arena, path, &text, err);
	if (e != KH_OK)
		return e;
	*ret_text = kh_arena_printf(&home->arena, "%.*s", KH_FMT(text));
	return ret_text->p != NULL ? KH_OK : kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

static enum kh_err read_tls(struct serving *s, struct kh_home *home, struct kh_error *err)
{
	const struct kh_config_gateway *gateway = &home->config->gateway;

	if (gateway->tls_key.n == 0)
		return KH_OK;
	enum kh_err e = read_pem(home, gateway->tls_certificate, false, &s->certificate, err);
	return e == KH_OK ? read_pem(home, gateway->tls_key, true, &s->key, err) : e;
}

/* Fills in how the gateway is reached, for people and for clients. */
static void describe(struct serving *s, struct kh_home *home)
{
	struct kh_arena *arena = &s->f->arena;
	const struct kh_config_gateway *gateway = &home->config->gateway;
	struct kh_clients *c = &s->clients;
	bool is_elsewhere = s->sockets.path[0] == '/' &&
			    !kh_view_starts(kh_view_str(s->sockets.path), home->folder.path);

	*c = kh_clients_of(arena, is_elsewhere ? NULL : home);
	if (s->args->socket != NULL || is_elsewhere)
		c->socket = kh_clients_absolute(arena, kh_view_str(s->sockets.path));
	if (s->sockets.https > 0)
		c->url = kh_arena_printf(arena, "%s://%s", gateway->tls_key.n > 0 ? "https" : "http",
					 s->sockets.names[0]);
	if (gateway->url.n > 0 && s->sockets.https > 0) {
		c->url = gateway->url;
		while (c->url.n > 0 && c->url.p[c->url.n - 1] == '/')
			c->url.n--;
	}
}

/* Raises the limit to a descriptor for every connection and some others, as far as this process may. */
static void raise_limit(const struct kh_config_gateway *gateway)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)gateway->connections + DESCRIPTORS;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted)
		fprintf(stderr,
			"keyhole: warning: %llu descriptors are allowed here (ulimit -n), too few for %llu "
			"connections\n",
			(unsigned long long)limit.rlim_cur, (unsigned long long)gateway->connections);
}

static enum kh_err before_store(struct kh_home *home, void *ctx, struct kh_error *err)
{
	struct serving *s = ctx;
	const struct kh_sockets_wish wish = {
		.gateway = &home->config->gateway,
		.folder = &home->folder,
		.listen = s->args->listen.at,
		.listens = s->args->listen.n,
		.socket = s->args->socket,
	};
	enum kh_err e = read_tls(s, home, err);

	if (e == KH_OK)
		e = kh_sockets_open(&wish, &home->arena, &s->sockets, err);
	if (e != KH_OK)
		return e;
	raise_limit(&home->config->gateway);
	kh_notify_open(&s->notify);
	describe(s, home);
	return kh_confine_home(home, err);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void write_json(const struct serving *s)
{
	yyjson_mut_doc *doc = kh_json_new(&s->f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *listens = yyjson_mut_arr(doc);

	for (size_t i = 0; i < s->sockets.https; i++)
		yyjson_mut_arr_add_str(doc, listens, s->sockets.names[i]);
	yyjson_mut_obj_add_val(doc, obj, "listen", listens);
	kh_json_add(doc, obj, "url", s->clients.url);
	yyjson_mut_obj_add_str(doc, obj, "socket", s->sockets.path);
	yyjson_mut_obj_add_uint(doc, obj, "pid", (uint64_t)getpid());
	(void)kh_frame_object(s->f, obj);
}

static void write_text(const struct serving *s)
{
	struct kh_buf buf = kh_frame_buf(s->f);

	for (size_t i = 0; i < s->sockets.https; i++)
		kh_buf_printf(&buf, "keyhole: HTTP%s on %s\n", s->key.n > 0 ? "S" : "", s->sockets.names[i]);
	if (s->sockets.path[0] != '\0')
		kh_buf_printf(&buf, "keyhole: relays on %s\n", s->sockets.path);
	if (isatty(STDOUT_FILENO) || s->args->print_clients) {
		kh_buf_lit(&buf, "\nAn agent gets a Controller's token and nothing else. To paste:\n\n");
		kh_clients_print(&buf, &s->clients);
		kh_buf_lit(&buf, "What waits for you, in another terminal:\n\n  ");
		kh_clients_approvals(&buf, &s->clients);
		kh_buf_lit(&buf, "\nCtrl-C ends the gateway.\n\n");
	}
	(void)kh_frame_text(s->f, &buf);
}

static void greet(const struct serving *s)
{
	if (s->f->options.json)
		write_json(s);
	else
		write_text(s);
	kh_frame_note(s->f, kh_clients_upstreams(&s->f->arena, s->f->home.config));
	if (s->clients.home.n > 0) { /* its relays run as this user */
		say(s, "keyhole: ");
		say(s, kh_clients_unprotected());
	}
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static void reload(struct serving *s)
{
	struct kh_error err = {.offset = SIZE_MAX};

	kh_notify_reloading(&s->notify);
	if (kh_service_reload(&s->service, &err) == KH_OK) {
		say(s, "keyhole: the configuration was read again and is in force\n");
		kh_notify_ready(&s->notify, "the configuration was read again");
		return;
	}
	struct kh_view text = kh_arena_printf(&s->f->arena,
					      "keyhole: %s: %s\nkeyhole: the old configuration stays in force\n",
					      err.code != NULL ? err.code : kh_err_name(err.err), err.detail);
	kh_frame_note(s->f, text);
	kh_notify_ready(&s->notify, "the new configuration is not usable: the old one stays in force");
}

/* Waits for a signal, and tells the service manager meanwhile that the gateway is alive.  Returns the signal. */
static int next_signal(struct serving *s)
{
	int every = s->notify.watchdog_us > 0 ? (int)(s->notify.watchdog_us / 2000) + 1 : -1;

	for (;;) {
		struct signalfd_siginfo info;
		struct pollfd fd = {.fd = s->signals, .events = POLLIN};
		int n = poll(&fd, 1, every);

		if (n > 0 && read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			return (int)info.ssi_signo;
		if (n < 0 && errno != EINTR)
			return SIGTERM;
		if (n == 0 && kh_service_is_alive(&s->service))
			kh_notify_alive(&s->notify);
	}
}

static int stop(struct serving *s)
{
	sigset_t stops = kh_frame_signals();

	sigdelset(&stops, SIGHUP);
	kh_notify_stopping(&s->notify);
	say(s, "keyhole: stopping; once more ends it at once\n");
	pthread_sigmask(SIG_UNBLOCK, &stops, NULL);
	/* Remove the socket file while we still listen on it, so that it is surely ours: the next gateway may be
	 * starting. */
	kh_sockets_close(&s->sockets);
	bool ended = kh_service_stop(&s->service);
	if (!ended) {
		say(s, "keyhole: something still runs; the next start takes it over\n");
		_exit(KH_FRAME_NOT);
	}
	kh_frame_close(s->f);
	kh_notify_close(&s->notify);
	return KH_FRAME_DONE;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

/* Blocks the signals before there is any thread, so that no other thread gets them. */
static bool take_signals(struct serving *s)
{
	sigset_t all = kh_frame_signals();

	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &all, SFD_CLOEXEC);
	return s->signals >= 0 && sigprocmask(SIG_BLOCK, &all, NULL) == 0;
}

int kh_serve_run(struct kh_frame *f)
{
	struct serving s = {.f = f, .args = f->args, .notify.fd = -1, .sockets.relay = -1};
	struct kh_service_http http = {.sockets = &s.sockets};

	if (!take_signals(&s)) {
		fprintf(stderr, "keyhole serve: signals: %s\n", strerror(errno));
		return KH_FRAME_UNUSABLE;
	}
	f->options.before_store = before_store;
	f->options.ctx = &s;
	enum kh_err e = kh_home_open(&f->home, KH_HOME_SERVE, &f->options, &f->err);
	http.certificate = s.certificate;
	http.key = s.key;
	if (e == KH_OK)
		e = kh_service_start(
			&s.service, &f->home,
			&(struct kh_service_settings){.http = &http, .url = s.clients.url, .more = f->with}, &f->err);
	if (e != KH_OK) {
		int status = kh_frame_fail(f);
		kh_sockets_close(&s.sockets);
		return status;
	}
	greet(&s);
	kh_notify_ready(&s.notify, "serving");
	for (int caught = next_signal(&s); caught == SIGHUP; caught = next_signal(&s))
		reload(&s);
	return stop(&s);
}
