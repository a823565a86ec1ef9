/*
 * A connected socket for a library that insists on connecting by itself.
 *
 * libpq cannot be given a socket.  So this program defines its own socket() and connect(), which every library that it
 * loads finds before the C library's.  They make the system calls, with one exception: after kh_handed_arm() the next
 * socket() returns a copy of the socket that was handed in, and connect() on that copy reports that it is connected,
 * which is true.  The kernel is not asked to make a socket or to connect one, and the worker's filter allows neither.
 * The alternatives were worse: a server of our own on a Unix socket in between (libpq does not speak TLS over one), a
 * patched libpq, or a second implementation of PostgreSQL's protocol.
 */
#ifndef KH_WORKER_SQL_HANDED_H
#define KH_WORKER_SQL_HANDED_H

/* Makes the next socket() of this process return a copy of FD, a connected socket. */
void kh_handed_arm(int fd);

/* Disarms it: if no socket() was called since kh_handed_arm(), the copy is never made. */
void kh_handed_disarm(void);

/* As those of the system; see socket(2), connect(2). */
struct sockaddr;
__attribute__((visibility("default"))) int socket(int domain, int type, int protocol);
__attribute__((visibility("default"))) int connect(int fd, const struct sockaddr *address, unsigned length);

#endif
