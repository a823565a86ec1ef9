/* Lists of threads that sleep, each on the latch of a struct on its own stack. */
#include "gateway/sleepers.h"

#include "base/latch.h"

#include <time.h>

/* On the stack of the thread that sleeps. */
struct kh_sleeper {
	struct kh_latch woken;
	struct kh_sleeper *next;
};

void kh_sleepers_init(struct kh_sleepers *s)
{
	*s = (struct kh_sleepers){.idle = 0};
	pthread_mutex_init(&s->lock, NULL); /* cannot fail on Linux */
}

void kh_sleepers_done(struct kh_sleepers *s)
{
	pthread_mutex_destroy(&s->lock);
}

void kh_sleepers_lock(struct kh_sleepers *s)
{
	pthread_mutex_lock(&s->lock);
}

static struct kh_sleeper *take_roused(struct kh_sleepers *s)
{
	struct kh_sleeper *roused = s->roused;

	s->roused = NULL;
	return roused;
}

static void wake(struct kh_sleeper *roused)
{
	struct kh_sleeper *next;

	for (struct kh_sleeper *sleeper = roused; sleeper != NULL; sleeper = next) {
		next = sleeper->next; /* it is gone when its latch is set */
		kh_latch_set(&sleeper->woken);
	}
}

/* Without the lock: a thread that is woken while the lock is held would only wait for it.  *S may be gone by then. */
void kh_sleepers_unlock(struct kh_sleepers *s)
{
	struct kh_sleeper *roused = take_roused(s);

	pthread_mutex_unlock(&s->lock);
	wake(roused);
}

void kh_sleepers_rouse(struct kh_sleepers *s)
{
	struct kh_sleeper *sleeper = s->asleep;

	if (sleeper == NULL)
		return;
	s->asleep = sleeper->next;
	sleeper->next = s->roused;
	s->roused = sleeper;
}

void kh_sleepers_rouse_all(struct kh_sleepers *s)
{
	while (s->asleep != NULL)
		kh_sleepers_rouse(s);
}

void kh_sleepers_sleep(struct kh_sleepers *s)
{
	struct kh_sleeper self = {.next = s->asleep};

	/* cppcheck-suppress autoVariables ; it is off the list before this returns */
	s->asleep = &self;
	s->idle++;
	kh_sleepers_unlock(s);
	kh_latch_wait(&self.woken);
	kh_sleepers_lock(s);
	s->idle--;
}

void kh_sleepers_wait(struct kh_sleepers *s, pthread_cond_t *cond, int64_t until)
{
	struct timespec t = {.tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000};

	wake(take_roused(s));
	if (until == 0)
		pthread_cond_wait(cond, &s->lock);
	else
		pthread_cond_timedwait(cond, &s->lock, &t);
}
