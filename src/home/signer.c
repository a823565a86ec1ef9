/* The thread that makes checkpoints.  A failure is printed on standard error when it begins, and when it is over. */
#include "home/signer.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#define SECOND INT64_C(1000000)
#define MEMORY ((size_t)1 << 30) /* a checkpoint names every chain that has grown */
#define AGAIN  SECOND            /* after a failure of the store */

struct kh_signer {
	struct kh_checkpoints *checkpoints;
	const _Atomic(const struct kh_config *) *config;
	struct kh_heads *heads;
	pthread_t thread;
	char failed[64]; /* the code of the last failure; empty: it works */
};

/* Prints a failure once. */
static void tell(struct kh_signer *s, enum kh_err e, const struct kh_error *err)
{
	const char *code = e == KH_OK ? "" : err->code != NULL ? err->code : kh_err_name(e);

	if (strcmp(code, s->failed) != 0 && e != KH_OK)
		fprintf(stderr, "keyhole: checkpoint: %s: %s\n", code, err->detail);
	else if (strcmp(code, s->failed) != 0)
		fprintf(stderr, "keyhole: checkpoint: works again after %s\n", s->failed);
	snprintf(s->failed, sizeof(s->failed), "%s", code);
}

static enum kh_err make(struct kh_signer *s)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_arena arena;
	struct kh_view line;

	kh_arena_init(&arena, NULL, MEMORY);
	enum kh_err e = kh_checkpoints_make(s->checkpoints, kh_clock_wall_us(), &arena, &line, &err);
	kh_arena_done(&arena);
	tell(s, e, &err);
	return e;
}

static void *run(void *arg)
{
	struct kh_signer *s = arg;
	int64_t due = kh_clock_us(); /* at once, over what an earlier process left */

	while (!kh_heads_is_stopped(s->heads)) {
		const struct kh_config_audit *audit = &atomic_load(s->config)->audit;
		int64_t open = kh_heads_wait(s->heads, (int64_t)audit->checkpoint_events, due);
		if (kh_heads_is_stopped(s->heads))
			break;
		if (open < (int64_t)audit->checkpoint_events && kh_clock_us() < due)
			continue;
		bool stored = make(s) == KH_OK || s->checkpoints->broken;
		due = kh_clock_us() + (stored ? (int64_t)audit->checkpoint_seconds * SECOND : AGAIN);
		if (!stored) /* events come in all the time, so wait for the clock alone */
			(void)kh_heads_wait(s->heads, INT64_MAX, due);
	}
	return NULL;
}

static enum kh_err start_thread(struct kh_signer *s, struct kh_error *err)
{
	sigset_t all, old;

	/* Signals belong to the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int failed = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failed == 0 ? KH_OK : kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a thread");
}

static void discard(struct kh_signer *s)
{
	struct kh_error err;

	(void)!kh_store_keep_heads(s->checkpoints->store, NULL, &err);
	s->checkpoints->heads = NULL;
	kh_heads_free(s->heads);
	kh_alloc_free(&kh_alloc_system, s, sizeof(*s));
}

enum kh_err kh_signer_start(struct kh_checkpoints *checkpoints, const _Atomic(const struct kh_config *) *config,
			    struct kh_signer **ret_signer, struct kh_error *err)
{
	struct kh_signer *s = kh_alloc_zero(&kh_alloc_system, sizeof(*s));
	enum kh_err e = s != NULL ? kh_heads_new(&kh_alloc_system, &s->heads) : KH_ENOMEM;

	if (e != KH_OK) {
		if (s != NULL)
			kh_alloc_free(&kh_alloc_system, s, sizeof(*s));
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	}
	s->checkpoints = checkpoints;
	s->config = config;
	checkpoints->heads = s->heads;
	e = kh_store_keep_heads(checkpoints->store, s->heads, err);
	if (e == KH_OK)
		e = start_thread(s, err);
	if (e != KH_OK) {
		discard(s);
		return e;
	}
	*ret_signer = s;
	return KH_OK;
}

void kh_signer_stop(struct kh_signer *s)
{
	if (s == NULL)
		return;
	kh_heads_stop(s->heads);
	pthread_join(s->thread, NULL);
	discard(s);
}
