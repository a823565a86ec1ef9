/*
 * Errands: they carry external operations out (E7-E9).  When an errand begins, everything has been decided and the
 * beginning is recorded; it knows no task's state, no token and no store.
 *
 * One operation, one file, one row of the table (errand.c): docs/design/ADDING-AN-OPERATION.md describes how to add
 * one.  Everything to and from the outside goes through the executor: each step is a worker in a sandbox of its own.
 *
 * What comes back is untrusted: content, original and details are tainted.  `source` is made only of the parameters and
 * the configuration, so that whoever may know the parameters may know it (E12).  An errand ends once: any failure is an
 * end, with a sentence for humans, and not an error of the function, which fails only for lack of memory.
 */
#ifndef KH_ERRAND_ERRAND_H
#define KH_ERRAND_ERRAND_H

#include "core/comm/errand.h"
#include "core/policy/config.h"

struct kh_client;

/* Asks upstream servers: calls a tool, or reads a resource.  `call` is as kh_errand_fn. */
struct kh_errand_upstreams {
	void *of; /* NULL: there are none, and every call fails */
	enum kh_err (*call)(void *of, const struct kh_errand *errand, struct kh_arena *arena,
			    struct kh_errand_result *result);
};

/*
 * What errands need from this process.  One for each configuration in force; it lives as long as somebody may use it.
 */
struct kh_errand_tools {
	const struct kh_client *client; /* NULL: there is no executor, and every errand fails */
	const struct kh_config *config;
	struct kh_view home;             /* the home folder: workspace/<task>/, cache/ and index/ are in it */
	const struct kh_view *passwords; /* of config->databases, in the same order; empty: none */
	struct kh_view search_key;       /* of the web search's endpoint; empty: none */
	struct kh_errand_upstreams upstreams;
};

/* Fills in *RESULT, which is a failure until then.  Fails only for lack of memory; the caller checks the arena. */
typedef enum kh_err kh_errand_fn(const struct kh_errand_tools *tools, const struct kh_errand *errand,
				 struct kh_arena *arena, struct kh_errand_result *result);

/* The same for a scope of comm.search, with at most LIMIT results. */
typedef enum kh_err kh_search_fn(const struct kh_errand_tools *tools, const struct kh_errand *errand,
				 struct kh_view query, uint64_t limit, struct kh_arena *arena,
				 struct kh_errand_result *result);

/* A row of the table: how an operation is carried out.  core/comm has everything else about the operation. */
struct kh_errand_kind {
	const char *operation; /* the name of a row of core/comm/operations.c; each of those has one here */
	kh_errand_fn *run;
};

extern const struct kh_errand_kind kh_errand_rows[];
extern const size_t kh_errand_row_count;

/* The row of OPERATION, or NULL.  One row, "comm.mcp", is for the tools of all upstream servers. */
const struct kh_errand_kind *kh_errand_find(struct kh_view operation);

/* Carries ERRAND out and returns when it has ended.  Fails only for lack of memory; an operation without a row ends as
 * failed. */
enum kh_err kh_errand_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *ret_result) KH_CHECKED;

/* Both, for an engine. */
extern const struct kh_errands kh_errand_table;

/* One in each file: fetch.c has kh_fetch_run(). */
kh_errand_fn kh_search_run, kh_fetch_run, kh_query_run, kh_read_run, kh_exec_run, kh_tool_run;

#endif
