/*
 * The hostile worker: a program that tries to get out of a sandbox, to harm the machine or to take more than its share.
 *
 * `hostile NAME PROFILE STEP [ARGUMENT...]` makes one attack and prints one line, `ok NAME` or `FAIL NAME what came
 * through`.  It is linked statically, because a sandbox for workers has few libraries, and it refuses to run outside of
 * a sandbox: some of what it tries would succeed there.
 *
 * A server says it as a message: {"jsonrpc":"2.0","method":"ok NAME"}.
 *
 * Calls that a filter may kill are made in a child where the profile has children (run, server).  Where it has none, the calls
 * of an attack are numbered and one run makes the one call STEP; to be killed is then the refusal.  A run whose STEP is
 * past the last says `end NAME`.
 */
#ifndef KH_TESTS_HOSTILE_H
#define KH_TESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

#define KILLED  (-100000L) /* by SIGSYS */
#define BLOCKED (-100001L) /* still there after a moment, or ended by another signal: it was let through */
#define SKIPPED (-100002L) /* not the step that this run makes */

struct hostile {
	bool has_children;
	bool is_server;   /* it speaks in messages, and has TCP to itself */
	long step, steps; /* without children: the call to make, and how many there were so far */
	int argc;
	char **argv; /* what the runner tells about the host */
};

/* Says a line, or the message that a server says in its place. */
void say(const struct hostile *h, const char *word, const char *name, const char *more);

/* NULL where all was refused; else what came through. */
typedef const char *attack_fn(struct hostile *h);

struct attack {
	const char *name; /* NULL ends a list */
	attack_fn *fn;
};

/* The end of an attack that succeeded; formats into a static buffer. */
const char *came_through(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What a call answers: its result, -errno, or one of the words above. */
long try_call(struct hostile *h, long number, const long a[6]);

/* The same, made here and now; a vfork'ed child ends before it can spoil the stack. */
long raw_call(long number, const long a[6]);

/* True where the call was killed, answered an error, or is not for this run. */
bool is_refused(long answer);

extern const struct attack kernel_attacks[], socket_attacks[], file_attacks[], process_attacks[], limit_attacks[];

#endif
