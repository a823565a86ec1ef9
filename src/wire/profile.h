/*
 * The kinds of worker, and what each is given: system calls (filter.h), the folders of its root, limits.
 */
#ifndef KH_WIRE_PROFILE_H
#define KH_WIRE_PROFILE_H

#include "base/view.h"

enum kh_profile {
	KH_PROFILE_RUN = 0,  /* any program: Reader commands, comm.exec */
	KH_PROFILE_RESOLVE,  /* our own: one DNS exchange over one connected socket */
	KH_PROFILE_HTTP,     /* our own: one HTTP exchange over one connected socket */
	KH_PROFILE_READ,     /* our own, takes a job (worker/job.h): reads a file */
	KH_PROFILE_TEXT,     /* takes a job: makes text of bytes */
	KH_PROFILE_QUERY,    /* takes a job: queries a database */
	KH_PROFILE_SEARCH,   /* takes a job: keeps an index and searches it */
	KH_PROFILE_MCP,      /* takes a job: reads what an MCP server sends, and writes it anew */
	KH_PROFILE_SNI,      /* our own: reads the first bytes of one connection */
	KH_PROFILE_SERVER,   /* any program that lives long and speaks in messages: upstream MCP servers */
	KH_PROFILE_UPSTREAM, /* our own: speaks HTTP with one upstream server, as long as that is called */
	KH_PROFILES
};

struct kh_limits {
	uint64_t wall_ms;   /* wall clock, from request to end */
	uint64_t cpu_s;     /* processor seconds of one process; 0 for what lives long: no limit, but a rate */
	uint64_t memory;    /* bytes: of all processes together if there is a cgroup, else of one */
	uint64_t processes; /* processes and threads at once */
	uint64_t files;     /* open descriptors of one process */
	uint64_t disk;      /* bytes of the private /tmp, and of one file */
	uint64_t output;    /* bytes of output: standard output and error together, or the decoded body; 0 as above */
};

/* What a server has in place of limits for its whole life. */
struct kh_rates {
	uint64_t idle_ms; /* how long no byte goes either way before it is ended */
	uint64_t output;  /* bytes of output a second, and as many of errors, over ten seconds: it waits for the rest */
	uint64_t processor; /* thousandths of one processor, for all processes together; only if there is a cgroup */
	uint64_t longest;   /* bytes of one message that it puts out */
	uint64_t messages;  /* messages a second: it waits for the rest */
};

/* "run", "resolve", "http", "read", ...; and the reverse. */
const char *kh_profile_name(enum kh_profile profile);
bool kh_profile_read(struct kh_view name, enum kh_profile *ret_profile);

/* The limits of a request that names none, and the largest that it can ask for. */
const struct kh_limits *kh_profile_limits(enum kh_profile profile);
extern const struct kh_limits kh_profile_most;
#define KH_PROFILE_SERVER_WALL (30ULL * 24 * 3600 * 1000) /* in place of the wall_ms of all others */

/* The rates of a server that names none, and the largest that it can ask for. */
extern const struct kh_rates kh_profile_rates, kh_profile_rates_most;

/* Host paths in the root of PROFILE, read-only and at their own place, ended by NULL; paths that the host does not have
 * are left out.  "/usr" for programs, only the libraries for our own workers. */
const char *const *kh_profile_paths(enum kh_profile profile);

/* True if the root of PROFILE has /proc. */
bool kh_profile_has_proc(enum kh_profile profile);

/*
 * How a worker of PROFILE begins.  Programs, and workers that are ready before the job comes, are executed, so they
 * have nothing of the executor's memory.  A worker whose folders are part of the job cannot be ready before it, and
 * executing our own program takes several milliseconds.  So such a worker continues in the process that the sandbox was
 * made in, which is a copy of the executor without any of its requests.
 */
enum kh_profile_start {
	KH_PROFILE_EXECUTED, /* when the job comes */
	KH_PROFILE_AHEAD,    /* before the job comes: it waits for it */
	KH_PROFILE_IN_PLACE, /* when the job comes, without an execve */
};
enum kh_profile_start kh_profile_start(enum kh_profile profile);

/* True for any program, which is not one of ours: RUN and SERVER. */
bool kh_profile_is_program(enum kh_profile profile);

/* True for our own workers that take a job on their standard input: a request names no program for them. */
bool kh_profile_takes_job(enum kh_profile profile);

#endif
