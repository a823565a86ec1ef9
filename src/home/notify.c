/* Messages to the service manager.  Whoever started this process chose the socket.  Nothing is read from it.  A
 * datagram that cannot be sent is dropped; then the manager's timeouts decide. */
#include "home/notify.h"

#include "base/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* "/run/systemd/notify", or "@name" in the abstract space. */
static int connect_to(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t n = strlen(name);

	if ((name[0] != '/' && name[0] != '@') || n < 2 || n >= sizeof(at.sun_path))
		return -1;
	memcpy(at.sun_path, name, n);
	if (name[0] == '@')
		at.sun_path[0] = '\0';
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 &&
	    connect(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Returns $WATCHDOG_USEC if it is meant for this process. */
static int64_t watchdog(void)
{
	const char *text = secure_getenv("WATCHDOG_USEC"), *pid = secure_getenv("WATCHDOG_PID");
	char *end = NULL;

	if (text == NULL || (pid != NULL && strtol(pid, NULL, 10) != (long)getpid()))
		return 0;
	errno = 0;
	long long usec = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && usec > 0 ? usec : 0;
}

void kh_notify_open(struct kh_notify *notify)
{
	const char *name = secure_getenv("NOTIFY_SOCKET");

	notify->fd = name != NULL ? connect_to(name) : -1;
	notify->watchdog_us = notify->fd >= 0 ? watchdog() : 0;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void kh_notify_close(struct kh_notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}

static void say(const struct kh_notify *notify, const char *text)
{
	if (notify->fd >= 0)
		(void)send(notify->fd, text, strlen(text), MSG_NOSIGNAL);
}

void kh_notify_ready(const struct kh_notify *notify, const char *status)
{
	char text[512];

	snprintf(text, sizeof(text), "READY=1\nSTATUS=%s\n", status);
	say(notify, text);
}

/* Sends the time too, so that the manager can tell an old READY=1 from the one that ends this (Type=notify-reload). */
void kh_notify_reloading(const struct kh_notify *notify)
{
	char text[128];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%lld\n", (long long)kh_clock_us());
	say(notify, text);
}

void kh_notify_stopping(const struct kh_notify *notify)
{
	say(notify, "STOPPING=1\n");
}

void kh_notify_alive(const struct kh_notify *notify)
{
	say(notify, "WATCHDOG=1\n");
}
