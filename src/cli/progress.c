/* Progress.  It has a thread of its own, because the command's thread is blocked while it waits. */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CLEAR "\r\033[K"

static void *tell(void *arg)
{
	struct kh_progress *p = arg;
	struct timespec at;
	unsigned seconds = 0;

	clock_gettime(CLOCK_MONOTONIC, &at);
	pthread_mutex_lock(&p->mutex);
	while (!p->is_over) {
		at.tv_sec++;
		while (!p->is_over && pthread_cond_timedwait(&p->over, &p->mutex, &at) == 0)
			continue;
		if (!p->is_over)
			fprintf(stderr, CLEAR "%s ... %u s", p->what, ++seconds);
	}
	pthread_mutex_unlock(&p->mutex);
	if (seconds > 0)
		fputs(CLEAR, stderr);
	return NULL;
}

void kh_progress_start(struct kh_progress *progress, const char *what)
{
	pthread_condattr_t clock;

	*progress = (struct kh_progress){.what = what};
	if (!isatty(STDERR_FILENO))
		return;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&progress->mutex, NULL);
	pthread_cond_init(&progress->over, &clock);
	pthread_condattr_destroy(&clock);
	progress->is_on = pthread_create(&progress->thread, NULL, tell, progress) == 0;
}

void kh_progress_stop(struct kh_progress *progress)
{
	if (!progress->is_on)
		return;
	pthread_mutex_lock(&progress->mutex);
	progress->is_over = true;
	pthread_cond_signal(&progress->over);
	pthread_mutex_unlock(&progress->mutex);
	pthread_join(progress->thread, NULL);
	pthread_cond_destroy(&progress->over);
	pthread_mutex_destroy(&progress->mutex);
	progress->is_on = false;
}
