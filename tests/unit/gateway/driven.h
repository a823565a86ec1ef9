/* A gateway over the engine's fixture, and a work that drives an asking: what the gateway's tests share. */
#ifndef KH_TESTS_UNIT_GATEWAY_DRIVEN_H
#define KH_TESTS_UNIT_GATEWAY_DRIVEN_H

#include "gateway/asking.h"

#include "fixture.h"

#include <time.h>

#define SECOND INT64_C(1000000)

struct driven {
	struct kh_work work;
	struct kh_gateway *gateway;
	struct kh_asking asking;
	struct kh_arena arena;
	struct kh_error err;
	atomic_bool done;
};

static inline enum kh_work_next kh_driven_step(struct kh_work *work)
{
	struct driven *d = (struct driven *)work;
	enum kh_work_next next = kh_asking_step(d->gateway, &d->asking, work, &d->arena, &d->err);

	if (next == KH_WORK_WAIT)
		kh_arena_clear(&d->arena);
	else
		atomic_store(&d->done, true);
	return next;
}

/* Begins: MEMBERS as kh_fixture_query() has them, or NULL for an asking that names what it is OF. */
static inline void kh_driven_begin(struct driven *d, struct kh_gateway *gateway, struct kh_fixture *f,
				   struct kh_view task, const char *members)
{
	struct kh_error err;

	d->gateway = gateway;
	d->work.step = kh_driven_step;
	d->asking.token = kh_token_read(f->engine, f->controller);
	kh_arena_init(&d->arena, NULL, (size_t)64 << 20);
	if (members != NULL)
		assert_int_equal(
			kh_json_read(&f->arena,
				     kh_arena_printf(&f->arena, "{\"task\":\"%.*s\",%s}", KH_FMT(task), members),
				     &d->asking.query, &err),
			KH_OK);
	assert_true(kh_works_add(kh_gateway_works(gateway), &d->work));
}

static inline void kh_driven_rest(int64_t microseconds)
{
	nanosleep(&(struct timespec){.tv_sec = microseconds / SECOND, .tv_nsec = microseconds % SECOND * 1000}, NULL);
}

/* At most half a minute. */
static inline bool kh_driven_ends(struct driven *d)
{
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end && !atomic_load(&d->done);)
		kh_driven_rest(1000);
	return atomic_load(&d->done);
}

static inline struct kh_gateway *kh_driven_gateway(struct kh_fixture *f, int64_t wait)
{
	struct kh_gateway *gateway = NULL;
	struct kh_error err;

	assert_int_equal(
		kh_gateway_new(&(struct kh_gateway_settings){.engine = f->engine, .wait = wait}, &gateway, &err),
		KH_OK);
	return gateway;
}

static inline void kh_driven_close(struct kh_gateway *gateway)
{
	assert_true(kh_gateway_stop(gateway, 30 * SECOND));
	kh_gateway_free(gateway);
}

#endif
