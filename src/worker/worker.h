/*
 * Keyhole's own workers, as they run inside of a sandbox: `keyhole worker resolve|http`, with their channel as
 * descriptor 3, and those that take a job on their standard input (worker/job.h).  They trust the executor and nobody
 * else; whatever the world makes of them, they have one connected socket, memory, and a channel on which the executor
 * takes only what the table of messages permits.
 *
 * They start with KH_FILTER_WORKER, load what they need (libraries, certificates), and then install their own, smaller
 * filter before they read the job: no file can be opened and no program started from there on.
 */
#ifndef KH_WORKER_WORKER_H
#define KH_WORKER_WORKER_H

#include "sandbox/filter.h"
#include "wire/channel.h"
#include "wire/fault.h"

/* What both workers share: their end of the channel, with room for a message each way. */
struct kh_worker {
	int channel;
	enum kh_message_state state;
	struct kh_message_out out;
	char in_buffer[KH_MESSAGE_MAX], out_buffer[KH_MESSAGE_MAX];
};

/* Compiles and installs the filter of KIND; false, and a line on stderr, where that is not possible. */
bool kh_worker_confine(enum kh_filter_kind kind) KH_CHECKED;

/* The next message, waiting until DEADLINE (of kh_clock_ms(); -1: for ever).  It borrows from the worker.  False
 * where none comes that is permitted: then there is nobody to tell, and the worker ends. */
bool kh_worker_receive(struct kh_worker *worker, int64_t deadline, struct kh_message *ret_message,
		       int ret_fds[KH_MESSAGE_FDS], size_t *ret_fd_count) KH_CHECKED;

/* Begins a message in worker->out; kh_worker_send() ends it and sends it, waiting for the executor to take it. */
void kh_worker_begin(struct kh_worker *worker, enum kh_message_type type);
enum kh_io kh_worker_send(struct kh_worker *worker, int64_t deadline) KH_CHECKED;

/* Sends DONE.  DETAIL is one of our own sentences.  Returns the exit status of the worker. */
int kh_worker_done(struct kh_worker *worker, enum kh_fault fault, const char *detail);

/* All that can be read of FD, at most MOST bytes, in memory that kh_worker_unread() gives back, or nobody.  False if
 * there is more, or reading fails (then errno says why). */
bool kh_worker_read(int fd, size_t most, struct kh_view *ret_bytes);
void kh_worker_unread(struct kh_view bytes);

/* The same of the file PATH; empty if it is not there. */
struct kh_view kh_worker_load(const char *path, size_t most);

/* How long until DEADLINE, for poll(2): -1 where there is none. */
int kh_worker_left(int64_t deadline);

#endif
