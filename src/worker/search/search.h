/*
 * The worker that makes the search index, searches it, and parses the answer of a search engine.  One job, one JSON
 * object:
 *
 *     {"job":"index","index":"/.../index","folder":"/docs","folders":["/docs","/notes"],"ms":5000,"fresh_ms":30000}
 *     {"job":"find","index":"/.../index","folders":["/docs"],"within":[],"query":"...","limit":10,"ms":3000}
 *     {"job":"web","limit":10}                       and behind it what the search engine sent
 *
 * The output is lines, each one JSON object: a report and, for `find` and `web`, the results,
 * {"results":[{"path"|"url","title","snippet","rank"}]}.
 *
 * It trusts the job's author to decide what it may see; it does not trust files, index and answers.
 */
#ifndef KH_WORKER_SEARCH_SEARCH_H
#define KH_WORKER_SEARCH_SEARCH_H

#include "worker/job.h"

/* Before the filter: loads the HTML parser. */
enum kh_err kh_worker_search_load(bool connected, struct kh_error *err) KH_CHECKED;

/* Carries JOB out: see worker/job.h.  Fails as worker/search/index.h, worker/search/find.h and worker/search/web.h say;
 * `job_refused` if it is not a valid job. */
enum kh_err kh_worker_search_run(const struct kh_worker_job *job, struct kh_error *err) KH_CHECKED;

/* The same with its output in the job's arena, and ALLOC for larger memory. */
enum kh_err kh_worker_search_do(const struct kh_worker_job *job, const struct kh_alloc *alloc,
				struct kh_view *ret_output, struct kh_error *err) KH_CHECKED;

#endif
