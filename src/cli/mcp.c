/* MCP on standard streams.  Only the protocol is written to standard output.  Messages go to standard error, and
 * descriptor 1 is replaced before a library could write to it. */
#include "cli/mcp.h"

#include "cli/clients.h"
#include "cli/relay.h"
#include "home/confine.h"
#include "home/service.h"
#include "home/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define SYSTEM_SOCKET "/run/keyhole/mcp.sock"

#define OVER SIGUSR2 /* the lines have ended by themselves: there is nothing to wait for */

static void note(struct kh_frame *f, const char *text)
{
	kh_frame_note(f, kh_view_str(text));
}

/* --- where the gateway is ----------------------------------------------------------------------------------------- */

/* Returns the socket that an option or the environment names; NULL: none. */
static const char *named_socket(const struct kh_mcp_args *a)
{
	const char *given = secure_getenv("KEYHOLE_SOCKET");

	return a->socket != NULL ? a->socket : given != NULL && given[0] != '\0' ? given : NULL;
}

/* Connects to the gateway that runs for this home or, if that does not listen, for the system; -1: none does.
 * *RET_PATH: where it was found, or looked for. */
static int find_gateway(struct kh_frame *f, bool has_home, const char *named, char ret_path[KH_SOCKETS_PATH])
{
	struct kh_error err;
	int fd = -1;

	if (named != NULL) {
		snprintf(ret_path, KH_SOCKETS_PATH, "%s", named);
		return kh_sockets_connect(named);
	}
	if (has_home &&
	    kh_sockets_path(&f->home.folder, &f->arena, f->home.config->gateway.socket, ret_path, &err) == KH_OK)
		fd = kh_sockets_connect(ret_path);
	if (fd < 0 && f->options.home == NULL) {
		snprintf(ret_path, KH_SOCKETS_PATH, SYSTEM_SOCKET);
		fd = kh_sockets_connect(SYSTEM_SOCKET);
	}
	return fd;
}

/* --- as a relay --------------------------------------------------------------------------------------------------- */

static int tell_end(struct kh_frame *f, enum kh_relay_end end)
{
	static const struct {
		int status;
		const char *text;
	} ends[] = {
		[KH_RELAY_DONE] = {KH_FRAME_DONE, ""},
		[KH_RELAY_REFUSED] = {KH_FRAME_UNUSABLE, "keyhole mcp: the gateway does not take the token: is it one "
							 "of its own, and neither expired nor revoked?\n"},
		[KH_RELAY_GONE] = {KH_FRAME_NOT, "keyhole mcp: the gateway has ended\n"},
		[KH_RELAY_LOST] = {KH_FRAME_NOT, "keyhole mcp: the client no longer reads\n"},
	};

	note(f, ends[end].text);
	return ends[end].status;
}

/* Relays to the gateway at FD, which is connected.  If the home was opened, it is closed before anything is copied. */
static int relay(struct kh_frame *f, int fd)
{
	struct kh_view token, copy = {NULL, 0};
	struct kh_error err;
	enum kh_relay_end end = KH_RELAY_GONE;
	enum kh_err e = kh_home_token(&f->home, KH_ROLE_CONTROLLER, &token, &f->err);

	if (e == KH_OK && (copy = kh_arena_dup(&f->arena, token)).p == NULL)
		e = kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	(void)kh_home_close(&f->home, &err);
	if (e == KH_OK)
		e = kh_relay_run(STDIN_FILENO, STDOUT_FILENO, fd, copy, &end, &f->err);
	close(fd);
	return e == KH_OK ? tell_end(f, end) : kh_frame_fail(f);
}

/* --- from the user's own home ------------------------------------------------------------------------------------- */

/* Reads the token now, because its file may be anywhere and cannot be reached later.  CTX: where the token goes. */
static enum kh_err before_store(struct kh_home *home, void *ctx, struct kh_error *err)
{
	enum kh_err e = kh_home_token(home, KH_ROLE_CONTROLLER, ctx, err);

	return e == KH_OK ? kh_confine_home(home, err) : e;
}

struct ending {
	sigset_t signals;
	struct kh_mcp_lines *lines;
};

/* Returns the signals that end it, and the one that says that the lines have ended. */
static sigset_t heeded(void)
{
	sigset_t set = kh_frame_signals();

	sigaddset(&set, OVER);
	return set;
}

/* Waits for a signal, and then ends the lines. */
static void *heed(void *arg)
{
	struct ending *ending = arg;
	int caught;

	if (sigwait(&ending->signals, &caught) == 0 && caught != OVER)
		kh_mcp_lines_quiesce(ending->lines);
	return NULL;
}

/* Serves OUT and standard input until the client ends, or a signal comes. */
static int serve_lines(struct kh_frame *f, struct kh_service *service, int out, struct kh_view token)
{
	sigset_t signals = kh_frame_signals();
	struct ending ending = {.signals = heeded(), .lines = service->lines};
	pthread_t thread;

	if (kh_mcp_lines_stdio(service->lines, STDIN_FILENO, out, kh_token_read(f->home.engine, token), &f->err) !=
	    KH_OK)
		return kh_frame_fail(f);
	bool heeds = pthread_create(&thread, NULL, heed, &ending) == 0;
	kh_mcp_lines_wait(service->lines);
	if (heeds) {
		pthread_kill(thread, OVER);
		pthread_join(thread, NULL);
	}
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL); /* from now on another signal ends the process at once */
	return KH_FRAME_DONE;
}

/* Makes descriptor 1 a copy of 2; the protocol gets a new descriptor that nothing else knows. */
static int take_output(void)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		close(out);
		out = -1;
	}
	return out;
}

static int serve_own(struct kh_frame *f)
{
	struct kh_service service;
	struct kh_view token = {NULL, 0};
	sigset_t signals = heeded();
	int out = take_output(), status;

	if (out < 0)
		return KH_FRAME_REFUSE(f, "output_lost", "standard output: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &signals, NULL); /* before there is any thread, so that no other gets them */
	f->options.before_store = before_store;
	f->options.ctx = &token;
	if (kh_home_open(&f->home, KH_HOME_SERVE, &f->options, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (kh_service_start(&service, &f->home, &(struct kh_service_settings){0}, &f->err) != KH_OK)
		return kh_frame_fail(f); /* the process ends: close nothing that may still be in use */
	note(f, "keyhole mcp: no gateway runs: serving from your own home.\n");
	note(f, kh_clients_unprotected());
	kh_frame_note(f, kh_clients_upstreams(&f->arena, f->home.config));
	status = serve_lines(f, &service, out, token);
	if (!kh_service_stop(&service)) {
		note(f, "keyhole mcp: something still runs; the next start takes it over\n");
		_exit(KH_FRAME_NOT);
	}
	kh_frame_close(f);
	return status;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

/* Prints what to paste, for a home that exists (has_home), or for the system's gateway. */
static int print(struct kh_frame *f, bool has_home)
{
	const struct kh_mcp_args *a = f->args;
	const char *socket = named_socket(a);
	struct kh_clients clients = kh_clients_of(&f->arena, has_home ? &f->home : NULL);
	struct kh_buf buf = kh_frame_buf(f);

	if (!has_home) {
		clients.socket = kh_view_str(socket != NULL ? socket : SYSTEM_SOCKET);
	} else if (f->home.config->gateway.listen.n > 0) {
		const struct kh_config_gateway *gateway = &f->home.config->gateway;
		clients.url = kh_arena_printf(&f->arena, "%s://%.*s", gateway->tls_key.n > 0 ? "https" : "http",
					      KH_FMT(gateway->listen.at[0]));
	}
	if (f->options.token_file != NULL)
		clients.token_file = kh_clients_absolute(&f->arena, kh_view_str(f->options.token_file));
	kh_clients_print(&buf, &clients);
	return kh_frame_text(f, &buf);
}

int kh_mcp_run(struct kh_frame *f)
{
	const struct kh_mcp_args *a = f->args;
	const char *named = named_socket(a);
	char path[KH_SOCKETS_PATH] = "";

	signal(SIGPIPE, SIG_IGN);
	enum kh_err e = kh_home_open(&f->home, KH_HOME_LOOK, &f->options, &f->err);
	bool has_home = e == KH_OK;
	struct kh_error err;

	/* A relay to another user's gateway needs no home of its own; but a home that exists and is not usable is
	 * reported. */
	if (!has_home && (f->options.home != NULL || !kh_home_is_missing(&f->err)))
		return kh_frame_fail(f);
	if (!has_home) {
		f->home = (struct kh_home){.folder.fd = -1, .token_file = f->options.token_file};
		kh_arena_init(&f->home.arena, NULL, 1U << 20);
	}
	if (a->print)
		return print(f, has_home);
	int fd = find_gateway(f, has_home, named, path);
	if (fd >= 0)
		return relay(f, fd);
	if (named != NULL || a->relay_only) {
		kh_error_set(&f->err, KH_EUNKNOWN, "gateway_missing", "no gateway answers at %s: %s", path,
			     strerror(errno));
		return kh_frame_fail(f);
	}
	if (!has_home)
		return kh_frame_fail(f); /* the home's error, which says what to do */
	(void)kh_home_close(&f->home, &err);
	return serve_own(f);
}
