/*
 * The standard streams of a program, between its pipes and the parent's channel.  Bytes are not looked at.  One packet
 * waits for each way: what cannot be passed on is not read.
 */
#ifndef KH_EXECUTOR_STREAM_H
#define KH_EXECUTOR_STREAM_H

#include "executor/job.h"

/* As root the program is another user than the one who made its pipes, and without this it could not open them by name:
 * /dev/stdin and its like. */
void kh_stream_share(const struct kh_job *job, const int pipes[3]);

/* Sends input that waits to the program; returns how many bytes it took.  If it does not read any more, that is not an
 * error: the rest is discarded. */
size_t kh_stream_feed(struct kh_job *job);

/* Passes one piece of output, of at most MOST bytes, from *FD to the parent as TYPE, and adds it to job->used; returns
 * how many bytes.  0: there is none now.  *FD is closed at its end.  More than the limit of output ends the job. */
size_t kh_stream_relay(struct kh_job *job, int *fd, enum kh_message_type type, size_t most);

/* Reads at most SIZE bytes of *FD; 0: there is nothing now.  *FD is closed at its end. */
size_t kh_stream_read(int *fd, char *bytes, size_t size);

#endif
