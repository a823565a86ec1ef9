/*
 * The worker that makes the search index, looks into it, and reads what a search engine answered.  One job, one JSON
 * object:
 *
 *     {"job":"index","index":"/.../index","folder":"/docs","folders":["/docs","/notes"],"ms":5000,"fresh_ms":30000}
 *     {"job":"find","index":"/.../index","folders":["/docs"],"within":[],"query":"...","limit":10,"ms":3000}
 *     {"job":"web","body":"...","limit":10}
 *
 * What comes out are lines, each one JSON object: what was done, and of `find` and `web` the results,
 * {"results":[{"path"|"url","title","snippet","rank"}]}.
 *
 * It trusts the job's author as to what it may see, which is also all that it can; files, index and answers it trusts
 * in nothing.
 */
#ifndef KH_EXEC_WORKER_SEARCH_H
#define KH_EXEC_WORKER_SEARCH_H

#include "base/error.h"

/* Does JOB.  KH_EINPUT `bad_job` where it is none; else as search_index.h, search_find.h and search_web.h say. */
enum kh_err kh_worker_search_do(const struct kh_alloc *alloc, struct kh_arena *arena, struct kh_view job,
				struct kh_view *ret_output, struct kh_error *err) __attribute__((warn_unused_result));

#endif
