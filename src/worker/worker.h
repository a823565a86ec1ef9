/*
 * Keyhole's own workers, as they run inside a sandbox: `keyhole worker resolve|http`, with their channel as descriptor
 * 3, and those that take a job on their standard input (worker/job.h).  They trust only the executor.  If one is taken
 * over, it still has only one connected socket, memory, and a channel on which the executor accepts only what the table
 * of messages permits.
 *
 * They start with KH_FILTER_WORKER, load what they need (libraries, certificates), and then install their own, stricter
 * filter before they read the job: from then on no file can be opened and no program started.
 */
#ifndef KH_WORKER_WORKER_H
#define KH_WORKER_WORKER_H

#include "sandbox/filter.h"
#include "wire/channel.h"
#include "wire/fault.h"

/* What workers with a channel share: their end of it, with room for a message each way. */
struct kh_worker {
	int channel;
	enum kh_message_state state;
	struct kh_message_out out;
	char in_buffer[KH_MESSAGE_MAX], out_buffer[KH_MESSAGE_MAX];
};

/* Compiles and installs the filter of KIND; false, and a line on stderr, if that is not possible. */
bool kh_worker_confine(enum kh_filter_kind kind) KH_CHECKED;

/* The next message, waiting until DEADLINE (as kh_clock_ms(); -1: for ever).  It borrows from the worker.  False if no
 * permitted message comes: then there is nobody to report to, and the worker ends. */
bool kh_worker_receive(struct kh_worker *worker, int64_t deadline, struct kh_message *ret_message,
		       int ret_fds[KH_MESSAGE_FDS], size_t *ret_fd_count) KH_CHECKED;

/* Begins a message in worker->out; kh_worker_send() ends it and sends it, waiting for the executor to take it. */
void kh_worker_begin(struct kh_worker *worker, enum kh_message_type type);
enum kh_io kh_worker_send(struct kh_worker *worker, int64_t deadline) KH_CHECKED;

/* Sends DONE.  DETAIL is one of our own sentences.  Returns the exit status of the worker. */
int kh_worker_done(struct kh_worker *worker, enum kh_fault fault, const char *detail);

/* Reads all of FD, at most MOST bytes, into memory that kh_worker_unread() frees, or the end of the process.  False if
 * there is more, or reading fails (then errno says why). */
bool kh_worker_read(int fd, size_t most, struct kh_view *ret_bytes);
void kh_worker_unread(struct kh_view bytes);

/* The same for the file PATH; empty if it does not exist. */
struct kh_view kh_worker_load(const char *path, size_t most);

/* The time until DEADLINE, for poll(2): -1 if there is none. */
int kh_worker_left(int64_t deadline);

#endif
