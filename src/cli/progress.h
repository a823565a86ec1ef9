/* A line on standard error for a user who waits: nothing in the first second, then what is waited for and how long,
 * once a second; removed when the wait is over.  Only if standard error is a terminal. */
#ifndef KH_CLI_PROGRESS_H
#define KH_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

struct kh_progress {
	bool is_on;
	const char *what; /* our own text */
	pthread_t thread;
	int over; /* an eventfd: the wait is over */
};

void kh_progress_start(struct kh_progress *progress, const char *what);
void kh_progress_stop(struct kh_progress *progress);

#endif
