/* Messages to the service manager: sd_notify(3) by hand, a datagram on the socket that $NOTIFY_SOCKET names.  The
 * socket is opened before the lockdown.  If there is none, these functions do nothing. */
#ifndef KH_HOME_NOTIFY_H
#define KH_HOME_NOTIFY_H

#include <stdint.h>

struct kh_notify {
	int fd;              /* -1: no service manager listens */
	int64_t watchdog_us; /* longest time between two signs of life; 0: none wanted */
};

/* Reads $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID, and removes them from the environment. */
void kh_notify_open(struct kh_notify *notify);
void kh_notify_close(struct kh_notify *notify);

void kh_notify_ready(const struct kh_notify *notify, const char *status);
void kh_notify_reloading(const struct kh_notify *notify);
void kh_notify_stopping(const struct kh_notify *notify);
void kh_notify_alive(const struct kh_notify *notify);

#endif
