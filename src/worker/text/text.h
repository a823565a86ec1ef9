/* The worker that makes text of content (E9, E10).  See worker/job.h. */
#ifndef KH_WORKER_TEXT_TEXT_H
#define KH_WORKER_TEXT_TEXT_H

#include "worker/job.h"
#include "worker/text/parser.h"
#include "worker/text/recode.h"

/*
 * Job: {"type":"text/html; charset=utf-8","html":true,"most":8388608} and behind it the bytes.  TYPE is their declared
 * type, and only its charset is used; HTML: a page.  The result is UTF-8 without control characters except newline and
 * tab.  Faults: `job_refused`, `too_large` (more than MOST bytes of text, or a tree that does not fit).
 */
enum kh_err kh_worker_text_load(bool connected, struct kh_error *err);
enum kh_err kh_worker_text_run(const struct kh_worker_job *job, struct kh_error *err);

/* The pure part: the text of BYTES, in the arena.  GUMBO may be NULL if it is not a page.  KH_ELIMIT: more than MOST
 * bytes of text; KH_ENOMEM. */
enum kh_err kh_worker_text_of(const struct kh_parser *gumbo, const struct kh_recode *recode, struct kh_arena *arena,
			      struct kh_view type, struct kh_view bytes, size_t most,
			      struct kh_view *ret_text) KH_CHECKED;

#endif
