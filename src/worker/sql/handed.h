/*
 * A connected socket for a library that insists on connecting by itself.
 *
 * libpq has no way to be given a socket.  So this program has socket() and connect() of its own, which every library
 * that it loads finds before the C library's: they are the system calls, but that once, after kh_handed_arm(), the
 * next socket() gives a copy of the socket that was handed in, and connect() on that copy says that it is connected,
 * as it is.  The kernel is asked neither to make a socket nor to connect one, and the worker's filter lets it do
 * neither.  The alternatives were worse: a server of our own on a Unix socket in between (libpq does not speak TLS over
 * one), a patched libpq, PostgreSQL's protocol written once more.
 */
#ifndef KH_WORKER_SQL_HANDED_H
#define KH_WORKER_SQL_HANDED_H

/* The next socket() of this process is a copy of FD, a connected socket. */
void kh_handed_arm(int fd);

/* Nothing is handed out any more: a socket() that was armed and not made stays unmade. */
void kh_handed_disarm(void);

/* Those of the system; see socket(2), connect(2). */
struct sockaddr;
__attribute__((visibility("default"))) int socket(int domain, int type, int protocol);
__attribute__((visibility("default"))) int connect(int fd, const struct sockaddr *address, unsigned length);

#endif
