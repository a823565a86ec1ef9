/* The worker that reads a file (E9: comm.read).  See worker/job.h. */
#ifndef KH_WORKER_READ_READ_H
#define KH_WORKER_READ_READ_H

#include "worker/job.h"

/*
 * Job: {"folder":"/srv/docs","path":"a/b.txt","most":1048576}; the result is the file's bytes, all of them or none.
 * FOLDER is absolute, as the sandbox sees it; PATH is below it, or empty if FOLDER is the file itself.  A symbolic link
 * is followed if it stays below the folder.  Faults: `job_refused`, `not_found`, `outside_folder`, `not_a_file`,
 * `too_large`, `not_readable`, `file_changed`.
 *
 * Job: {"folder":"/opt/server","digest":true}; the result is the digest of all that is in it (tree.h), in hexadecimal;
 * FOLDER may be a file.
 */
enum kh_err kh_worker_read_run(const struct kh_worker_job *job, struct kh_error *err);

#endif
