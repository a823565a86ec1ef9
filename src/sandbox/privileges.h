/*
 * What a process of a sandbox gives up for good, each with a look at whether it is gone.  All return 0 or an errno;
 * EPROTO if the kernel answered success and nothing has changed.
 */
#ifndef KH_SANDBOX_PRIVILEGES_H
#define KH_SANDBOX_PRIVILEGES_H

#include <keyhole/keyhole.h>

#include <stddef.h>

/* The process dies with its parent, and no execve gives it more rights. */
int kh_privileges_bind(void) KH_CHECKED;

/* Dies with its parent: to be set again after a change of ids, which clears it. */
int kh_privileges_die_with_parent(void) KH_CHECKED;

/* Becomes the user UID and group GID, in all senses of the kernel, with no other group. */
int kh_privileges_become(unsigned uid, unsigned gid) KH_CHECKED;

/* True if the process is the user UID and group GID, as it sees itself. */
bool kh_privileges_is(unsigned uid, unsigned gid);

/* Drops every capability, from all sets. */
int kh_privileges_drop_capabilities(void) KH_CHECKED;

/* A session of its own, default actions for all signals, none of them blocked. */
int kh_privileges_detach(void) KH_CHECKED;

/* Closes every descriptor except 0, 1, 2 and the COUNT in KEEP (-1: none). */
int kh_privileges_close_others(int *keep, size_t count) KH_CHECKED;

/* 0, 1 and 2 become /dev/null. */
int kh_privileges_take_null(void) KH_CHECKED;

/* The COUNT descriptors FDS become 0, 1, 2, ...; all others are closed by the next execve. */
int kh_privileges_take_descriptors(const int *fds, size_t count) KH_CHECKED;

/* Closes FD; EPROTO if it is still open. */
int kh_privileges_close(int fd) KH_CHECKED;

#endif
