/*
 * For the programs of this folder: a place of their own to do harm in, and a look at what is left afterwards.
 *
 * As root the place is a pid and a mount namespace with a /proc and a /tmp of its own, so that all that is seen there
 * was started there.  An ordinary user has no such place: there, what is looked at is this process and its descendants.
 * Either way this process takes over every orphan, so that none is lost from sight.
 */
#ifndef KH_TESTS_WORLD_H
#define KH_TESTS_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WORLD_CGROUPS 4

/* What the command line says; the programs have it in common. */
struct world {
	const char *program; /* keyhole */
	int port;            /* of the server on the loopback address */
	unsigned uid;        /* to become; 0: stay who we are */
	uint64_t seed, rounds;
	const char *only; /* one case alone; NULL: all */
	const char *cgroup[WORLD_CGROUPS];
	size_t cgroups;
	bool is_own; /* a place of our own */
};

/* How much there is of each thing. */
struct world_look {
	size_t processes, zombies, mounts, namespaces, cgroups, files, descriptors;
};

/* Reads the command line and goes to that place; ends the program where that cannot be done. */
void world_init(struct world *world, int argc, char **argv);

void world_look(const struct world *world, struct world_look *ret_look);

/* Reaps what has ended and waits, at most a few seconds, until all is as BEFORE; else says in TEXT what is not. */
bool world_settles(const struct world *world, const struct world_look *before, char *text, size_t size);

/* Folders of single sandboxes in the cgroups of all executors. */
size_t world_groups(const struct world *world);

/* The descriptors of this process. */
size_t world_descriptors(void);

/* A number of /proc/PID/status, such as VmRSS; -1 where it is not there. */
long world_status(int pid, const char *name);

/* The children of PID, at most MOST; how many. */
size_t world_children(int pid, int *ret_pids, size_t most);

/* Counts a check and, where it failed, says so with the seed and how to run it alone. */
bool world_check(bool ok, uint64_t seed, const char *name, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Prints the counts; the exit status. */
int world_finish(void);

/* Random numbers that a seed decides. */
uint64_t world_random(uint64_t *state);
uint64_t world_below(uint64_t *state, uint64_t end);

void world_sleep(uint64_t nanoseconds);
uint64_t world_now_ms(void);

#endif
