/* Listening sockets.  $LISTEN_FDS is used only if $LISTEN_PID says that it is meant for this process.  The kernel is
 * asked what the descriptors are. */
#include "home/sockets.h"

#include "core/policy/reach.h"
#include "home/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST   3    /* the first descriptor that a service manager passes */
#define BACKLOG 4096 /* the kernel limits it to net.core.somaxconn */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

static enum kh_err cannot(struct kh_error *err, const char *name, int why)
{
	if (why == EADDRINUSE)
		return kh_error_set(
			err, KH_EREFUSED, "address_in_use",
			"%s: something listens there already: end it, or name another address with --listen "
			"or gateway.listen",
			name);
	return kh_error_set(err, KH_EINPUT, "address_unusable", "%s: %s", name, strerror(why));
}

/* --- TCP ---------------------------------------------------------------------------------------------------------- */

static void print_address(const union address *at, char name[KH_SOCKETS_NAME])
{
	char text[INET6_ADDRSTRLEN];

	if (at->any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &at->v6.sin6_addr, text, sizeof(text));
		snprintf(name, KH_SOCKETS_NAME, "[%s]:%u", text, ntohs(at->v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &at->v4.sin_addr, text, sizeof(text));
		snprintf(name, KH_SOCKETS_NAME, "%s:%u", text, ntohs(at->v4.sin_port));
	}
}

/* Applies the rules of the configuration (config.c) also to sockets that do not come from it. */
static enum kh_err check_exposed(const struct kh_config_gateway *gateway, const char *name, struct kh_error *err)
{
	struct kh_reach reach;

	if (kh_reach_read(kh_view_str(name), &reach) && reach.is_loopback)
		return KH_OK;
	if (gateway->tls_certificate.n == 0 && gateway->plain != KH_CONFIG_TRUE)
		return kh_error_set(
			err, KH_EREFUSED, "address_exposed",
			"%s can be reached by others: that needs tls_certificate and tls_key, or plain: true, "
			"in section gateway of " KH_FOLDER_CONFIG,
			name);
	if (gateway->hosts.n == 0)
		return kh_error_set(
			err, KH_EREFUSED, "address_exposed",
			"%s can be reached by others: that needs the names that it is called by, as hosts in "
			"section gateway of " KH_FOLDER_CONFIG,
			name);
	return KH_OK;
}

/* Takes FD, which listens, as one of HTTP's. */
static enum kh_err take_http(struct kh_sockets *s, const struct kh_config_gateway *gateway, int fd,
			     struct kh_error *err)
{
	union address at = {.any.sa_family = AF_UNSPEC};
	socklen_t n = sizeof(at);

	if (s->https == KH_SOCKETS_HTTP) {
		close(fd);
		return kh_error_set(err, KH_ELIMIT, "address_unusable", "more than %d sockets to listen on",
				    KH_SOCKETS_HTTP);
	}
	s->http[s->https++] = fd;
	if (getsockname(fd, &at.any, &n) != 0)
		return cannot(err, "a socket", errno);
	print_address(&at, s->names[s->https - 1]);
	return check_exposed(gateway, s->names[s->https - 1], err);
}

static int listen_on(const struct kh_reach *reach)
{
	union address at = {.any.sa_family = AF_UNSPEC};
	const int one = 1;
	int fd = socket(reach->is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (reach->is_v6) {
		at.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(reach->port)};
		memcpy(&at.v6.sin6_addr, reach->bytes, 16);
	} else {
		at.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(reach->port)};
		memcpy(&at.v4.sin_addr, reach->bytes, 4);
	}
	/* Connections of an earlier gateway that linger must not keep the next one from starting; and [::] must not
	 * include 0.0.0.0. */
	bool good = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
		    (!reach->is_v6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one)) == 0) &&
		    bind(fd, &at.any, reach->is_v6 ? sizeof(at.v6) : sizeof(at.v4)) == 0 && listen(fd, BACKLOG) == 0;
	if (good)
		return fd;
	kh_file_close(fd);
	return -1;
}

static enum kh_err open_http(struct kh_sockets *s, const struct kh_sockets_wish *wish, struct kh_view text,
			     struct kh_arena *arena, struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, text);
	struct kh_reach reach;

	if (quoted.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (!kh_reach_read(text, &reach))
		return kh_error_set(err, KH_EINPUT, "address_unusable",
				    "%.*s is not an address and a port such as 127.0.0.1:7433 or [::1]:7433",
				    KH_FMT(quoted));
	int fd = listen_on(&reach);
	return fd >= 0 ? take_http(s, wish->gateway, fd, err) : cannot(err, quoted.p, errno);
}

static enum kh_err open_all_http(struct kh_sockets *s, const struct kh_sockets_wish *wish, struct kh_arena *arena,
				 struct kh_error *err)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < wish->listens; i++)
		e = open_http(s, wish, kh_view_str(wish->listen[i]), arena, err);
	for (size_t i = 0; e == KH_OK && wish->listens == 0 && i < wish->gateway->listen.n; i++)
		e = open_http(s, wish, wish->gateway->listen.at[i], arena, err);
	return e;
}

/* --- the relays' socket ------------------------------------------------------------------------------------------- */

enum kh_err kh_sockets_path(const struct kh_folder *folder, struct kh_arena *arena, struct kh_view named,
			    char ret_path[KH_SOCKETS_PATH], struct kh_error *err)
{
	struct kh_view name = kh_arena_printf(arena, "%.*s", KH_FMT(named)), path = name;

	if (name.n > 0 && name.p[0] != '/')
		path = kh_folder_file(folder, arena, name.p);
	if (path.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (path.n == 0 || path.n >= KH_SOCKETS_PATH)
		return kh_error_set(
			err, KH_EINPUT, "address_unusable",
			"the path of the relays' socket has %zu bytes, and the kernel takes %d: name a shorter one "
			"as socket in section gateway of " KH_FOLDER_CONFIG ", or with --socket",
			path.n, KH_SOCKETS_PATH - 1);
	memcpy(ret_path, path.p, path.n + 1);
	return KH_OK;
}

int kh_sockets_connect(const char *path)
{
	union address at = {.local = {.sun_family = AF_UNIX}};
	size_t n = strlen(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || n >= sizeof(at.local.sun_path)) {
		kh_file_close(fd);
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(at.local.sun_path, path, n + 1);
	if (connect(fd, &at.any, sizeof(at.local)) == 0)
		return fd;
	kh_file_close(fd);
	return -1;
}

/* Removes the file at PATH if it is a socket that nobody listens on.  Returns false if somebody does, or it is not a
 * socket. */
static bool remove_stale(const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	int fd = kh_sockets_connect(path);
	kh_file_close(fd);
	return fd < 0 && errno == ECONNREFUSED && unlink(path) == 0;
}

/* A socket in the home folder is for its owner alone.  A socket elsewhere is there for others to reach; their tokens
 * decide what they may do. */
static int listen_at(const char *path, bool is_own)
{
	union address at = {.local = {.sun_family = AF_UNIX}};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t before = umask(is_own ? 0177 : 0111);

	memcpy(at.local.sun_path, path, strlen(path) + 1);
	bool bound = fd >= 0 && bind(fd, &at.any, sizeof(at.local)) == 0;
	if (!bound && fd >= 0 && errno == EADDRINUSE) {
		bound = remove_stale(path) && bind(fd, &at.any, sizeof(at.local)) == 0;
		if (!bound)
			errno = EADDRINUSE;
	}
	int why = errno;
	umask(before);
	if (bound && listen(fd, BACKLOG) == 0)
		return fd;
	if (bound) {
		why = errno;
		unlink(path);
	}
	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

static enum kh_err open_relay(struct kh_sockets *s, const struct kh_sockets_wish *wish, struct kh_arena *arena,
			      struct kh_error *err)
{
	struct kh_view named = wish->socket != NULL ? kh_view_str(wish->socket) : wish->gateway->socket;
	struct stat st;
	enum kh_err e = kh_sockets_path(wish->folder, arena, named, s->path, err);

	if (e != KH_OK)
		return e;
	/* Locked, because two gateways may start at once: one of them removes the stale file, the other finds it in
	 * use. */
	(void)flock(wish->folder->fd, LOCK_EX);
	s->relay = listen_at(s->path, named.p[0] != '/');
	int why = errno;
	(void)flock(wish->folder->fd, LOCK_UN);
	struct kh_view quoted = kh_arena_quote(arena, kh_view_str(s->path));
	if (s->relay < 0) {
		s->path[0] = '\0';
		if (why == EADDRINUSE)
			return kh_error_set(
				err, KH_EREFUSED, "address_in_use",
				"%.*s: a gateway listens there already, or it is no socket: another one on the "
				"same home needs --socket and --listen of its own",
				KH_FMT(quoted));
		return kh_error_set(err, KH_EINPUT, "address_unusable", "%.*s: %s", KH_FMT(quoted), strerror(why));
	}
	if (stat(s->path, &st) == 0) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
	}
	return KH_OK;
}

/* --- sockets that were passed ------------------------------------------------------------------------------------- */

static int count_passed(void)
{
	const char *pid = secure_getenv("LISTEN_PID"), *fds = secure_getenv("LISTEN_FDS");
	long n = pid != NULL && fds != NULL && strtol(pid, NULL, 10) == (long)getpid() ? strtol(fds, NULL, 10) : 0;

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return n > 0 && n <= KH_SOCKETS_HTTP + 1 ? (int)n : 0;
}

static enum kh_err take_passed(struct kh_sockets *s, const struct kh_sockets_wish *wish, int fd, struct kh_error *err)
{
	union address at = {.any.sa_family = AF_UNSPEC};
	socklen_t n = sizeof(at);
	int listens = 0, type = 0;
	socklen_t size = sizeof(int);

	bool good = fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
		    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 &&
		    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && getsockname(fd, &at.any, &n) == 0;
	if (!good || listens == 0 || type != SOCK_STREAM)
		return kh_error_set(err, KH_EINPUT, "address_unusable",
				    "descriptor %d of LISTEN_FDS is not a stream socket that listens", fd);
	if (at.any.sa_family != AF_UNIX)
		return take_http(s, wish->gateway, fd, err);
	if (s->relay >= 0)
		return kh_error_set(err, KH_EINPUT, "address_unusable", "LISTEN_FDS has two Unix sockets");
	s->relay = fd;
	s->was_passed = true;
	if (n > offsetof(struct sockaddr_un, sun_path) && at.local.sun_path[0] == '/')
		snprintf(s->path, sizeof(s->path), "%.*s", (int)(n - offsetof(struct sockaddr_un, sun_path)),
			 at.local.sun_path);
	return KH_OK;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

enum kh_err kh_sockets_open(const struct kh_sockets_wish *wish, struct kh_arena *arena, struct kh_sockets *ret_sockets,
			    struct kh_error *err)
{
	struct kh_sockets s = {.relay = -1};
	int passed = count_passed();
	enum kh_err e = KH_OK;

	for (int i = 0; e == KH_OK && i < passed; i++)
		e = take_passed(&s, wish, FIRST + i, err);
	/* Passed sockets of a kind replace the configured ones of that kind. */
	if (e == KH_OK && s.https == 0)
		e = open_all_http(&s, wish, arena, err);
	if (e == KH_OK && s.relay < 0)
		e = open_relay(&s, wish, arena, err);
	if (e != KH_OK) {
		kh_sockets_close(&s);
		return e;
	}
	*ret_sockets = s;
	return KH_OK;
}

void kh_sockets_close(struct kh_sockets *sockets)
{
	struct stat st;

	for (size_t i = 0; i < sockets->https; i++) {
		if (sockets->http[i] >= 0)
			close(sockets->http[i]);
		sockets->http[i] = -1;
	}
	if (sockets->relay >= 0)
		close(sockets->relay);
	sockets->relay = -1;
	/* Remove only the file that this process made: another process may have replaced it meanwhile. */
	if (!sockets->was_passed && sockets->path[0] != '\0' && lstat(sockets->path, &st) == 0 &&
	    st.st_dev == sockets->device && st.st_ino == sockets->inode)
		unlink(sockets->path);
	sockets->path[0] = '\0';
}
