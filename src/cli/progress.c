/* Progress.  It has a thread of its own, because the command's thread is blocked while it waits. */
#include "cli/progress.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CLEAR "\r\033[K"

static void *tell(void *arg)
{
	const struct kh_progress *p = arg;
	struct pollfd over = {.fd = p->over, .events = POLLIN};
	unsigned seconds = 0;

	while (poll(&over, 1, 1000) == 0)
		fprintf(stderr, CLEAR "%s ... %u s", p->what, ++seconds);
	if (seconds > 0)
		fputs(CLEAR, stderr);
	return NULL;
}

void kh_progress_start(struct kh_progress *progress, const char *what)
{
	*progress = (struct kh_progress){.what = what};
	if (!isatty(STDERR_FILENO))
		return;
	progress->over = eventfd(0, EFD_CLOEXEC);
	progress->is_on = progress->over >= 0 && pthread_create(&progress->thread, NULL, tell, progress) == 0;
}

void kh_progress_stop(struct kh_progress *progress)
{
	if (!progress->is_on)
		return;
	(void)!eventfd_write(progress->over, 1);
	pthread_join(progress->thread, NULL);
	close(progress->over);
	progress->is_on = false;
}
