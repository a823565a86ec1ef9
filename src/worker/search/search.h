/*
 * The worker that makes the search index, looks into it, and reads what a search engine answered.  One job, one JSON
 * object:
 *
 *     {"job":"index","index":"/.../index","folder":"/docs","folders":["/docs","/notes"],"ms":5000,"fresh_ms":30000}
 *     {"job":"find","index":"/.../index","folders":["/docs"],"within":[],"query":"...","limit":10,"ms":3000}
 *     {"job":"web","limit":10}                       and behind it what the search engine sent
 *
 * What comes out are lines, each one JSON object: what was done, and of `find` and `web` the results,
 * {"results":[{"path"|"url","title","snippet","rank"}]}.
 *
 * It trusts the job's author as to what it may see, which is all that it can; files, index and answers it does not
 * trust.
 */
#ifndef KH_WORKER_SEARCH_SEARCH_H
#define KH_WORKER_SEARCH_SEARCH_H

#include "worker/job.h"

/* Before the filter: the parser of pages. */
enum kh_err kh_worker_search_load(bool connected, struct kh_error *err) KH_CHECKED;

/* Carries JOB out: see worker/job.h.  Fails as worker/search/index.h, worker/search/find.h and worker/search/web.h say; `job_refused` if
 * it is none. */
enum kh_err kh_worker_search_run(const struct kh_worker_job *job, struct kh_error *err) KH_CHECKED;

/* The same with its output in the job's arena, and ALLOC for what is larger than that. */
enum kh_err kh_worker_search_do(const struct kh_worker_job *job, const struct kh_alloc *alloc,
				struct kh_view *ret_output, struct kh_error *err) KH_CHECKED;

#endif
