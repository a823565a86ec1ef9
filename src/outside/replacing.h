/*
 * An executor that is replaced when it dies: for a gateway, which lives long and can start no process itself after its
 * lockdown.  The spawner (spawner.h) starts every executor; a thread of this process watches both.
 *
 *     kh_replacing_new(program, pool, &r, &err);         before the lockdown
 *     kh_replacing_begin(r, tell, context, &err);        when there may be threads
 *     kh_replacing_open(r, packet, channel);             from any thread
 *     kh_replacing_free(r);
 *
 * When an executor dies, its open requests end as `executor_lost`, because their channels are closed with it; new ones go
 * to the next executor.  An executor that dies soon after its start is replaced after a pause that doubles, up to half a
 * minute.  When the spawner dies, the executor that runs is kept, and is not replaced.
 */
#ifndef KH_OUTSIDE_REPLACING_H
#define KH_OUTSIDE_REPLACING_H

#include "base/error.h"
#include "wire/channel.h"

struct kh_replacing;

/* What can be asked at any time, from any thread. */
struct kh_replacing_state {
	bool executor, spawner; /* it is there */
	uint64_t starts,
		ends; /* executors that were started and got ready; executors that have ended, but for the stop */
};

/* Starts the spawner, and through it an executor, and waits until that is ready.  PROGRAM is a path. */
enum kh_err kh_replacing_new(const char *program, unsigned pool, struct kh_replacing **ret_replacing,
			     struct kh_error *err) KH_CHECKED;

/* Has dead executors replaced from now on.  TELL gets a sentence about each end and each start, for the log. */
enum kh_err kh_replacing_begin(struct kh_replacing *r, void (*tell)(void *context, const char *sentence), void *context,
			       struct kh_error *err) KH_CHECKED;

/* Sends PACKET with the descriptor CHANNEL to the executor.  KH_IO_CLOSED if there is none, KH_IO_AGAIN if it takes
 * nothing for KH_CHILD_WAIT_MS. */
enum kh_io kh_replacing_open(struct kh_replacing *r, struct kh_view packet, int channel) KH_CHECKED;

struct kh_replacing_state kh_replacing_state(struct kh_replacing *r);

/* Ends the executor and the spawner, and waits for them. */
void kh_replacing_free(struct kh_replacing *r);

#endif
