/*
 * What a service manager is told, and how: sd_notify(3) by hand, a datagram on the socket that $NOTIFY_SOCKET names.
 * The socket is opened before the lockdown; where there is none, everything here does nothing.
 */
#ifndef KH_HOME_NOTIFY_H
#define KH_HOME_NOTIFY_H

#include <stdint.h>

struct kh_notify {
	int fd;              /* -1: nobody wants to know */
	int64_t watchdog_us; /* how often a sign of life is wanted at least; 0: never */
};

/* Reads $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID, and takes them out of the environment. */
void kh_notify_open(struct kh_notify *notify);
void kh_notify_close(struct kh_notify *notify);

void kh_notify_ready(const struct kh_notify *notify, const char *status);
void kh_notify_reloading(const struct kh_notify *notify);
void kh_notify_stopping(const struct kh_notify *notify);
void kh_notify_alive(const struct kh_notify *notify);

#endif
