/*
 * Starting a process of this program: an executor, or the spawner that starts executors later.
 *
 * The child gets as little as possible: its channel, standard error, and nothing that this process had open, blocked,
 * ignored or in its environment.
 */
#ifndef KH_OUTSIDE_CHILD_H
#define KH_OUTSIDE_CHILD_H

#include "base/error.h"

#define KH_CHILD_PROGRAM 4     /* the number of the program's descriptor in a spawner */
#define KH_CHILD_WAIT_MS 10000 /* for an executor to be ready, to take a request, or to end */

struct kh_child {
	const char *command; /* "executor" or "spawner" */
	const char *path;    /* the program; NULL: FILE is executed */
	int file;            /* the program, open; with PATH: the child keeps it as KH_CHILD_PROGRAM; -1: none */
	int channel;         /* the child's end of its channel; the caller closes its own copy */
	int other;           /* this process's end; -1: it is elsewhere */
};

/* Starts the child; its pid, or -1 with errno. */
int kh_child_start(const struct kh_child *child) KH_CHECKED;

/* The wait status of child PID; blocks until it has ended.  -1 if it is unknown because this process ignores SIGCHLD. */
int kh_child_wait(int pid);

/* Fills *ERR with how a child that was to become WHAT ended, by its wait STATUS; returns E, with *ERR as it is, if this
 * process killed it or the status is unknown. */
enum kh_err kh_child_explain(const char *what, int status, enum kh_err e, struct kh_error *err);

/* Begins to talk to an executor: sends HELLO.  If it is gone already, the wait for its answer reports that. */
enum kh_err kh_child_greet(int control, unsigned pool, struct kh_error *err) KH_CHECKED;

/* Waits until WHAT, an executor or a spawner, has sent READY. */
enum kh_err kh_child_hear(const char *what, int channel, int timeout_ms, struct kh_error *err) KH_CHECKED;

/* Closes CHANNEL for writing and waits until the other end is gone too.  False if it is not within KH_CHILD_WAIT_MS. */
bool kh_child_hang_up(int channel);

#endif
