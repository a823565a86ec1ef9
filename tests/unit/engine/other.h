/* A second process, as the store sees it: a store and an engine of its own on the same file. */
#ifndef KH_TESTS_UNIT_ENGINE_OTHER_H
#define KH_TESTS_UNIT_ENGINE_OTHER_H

#include "asking.h"

#include "errand/errand.h"
#include "store/sqlite/sqlite.h"

struct kh_other {
	struct kh_store *store;
	struct kh_engine *engine;
};

static inline int64_t kh_other_clock(void *ctx)
{
	struct kh_fixture *f = ctx;

	return atomic_load(&f->now);
}

static inline void kh_other_open(struct kh_other *other, struct kh_fixture *f, const struct kh_reader *readers,
				 size_t count)
{
	struct kh_error err = {0};

	*other = (struct kh_other){0};
	assert_int_equal(kh_store_open(&kh_sqlite_backend, f->file, KH_STORE_EXISTING, &other->store, &err), KH_OK);
	struct kh_engine_settings settings = {
		.alloc = &kh_alloc_system,
		.store = other->store,
		.policy = f->policy,
		.readers = readers,
		.reader_count = count,
		.errands = &kh_errand_table,
		.clock = kh_other_clock,
		.ctx = f,
		.version = KH_LIT("other"),
	};
	assert_int_equal(kh_engine_new(&settings, &other->engine, &err), KH_OK);
}

/* It dies: its lock goes with it. */
static inline void kh_other_close(struct kh_other *other)
{
	kh_engine_free(other->engine);
	kh_store_close(other->store);
	*other = (struct kh_other){0};
}

/* Admits by the other process, in the fixture's memory. */
static inline struct kh_view kh_other_put(struct kh_other *other, struct kh_asking *w, const char *members,
					  struct kh_ask *ret_ask)
{
	struct kh_view text = kh_arena_printf(&w->f->arena, "{\"task\":\"%.*s\",%s}", KH_FMT(w->task), members);
	struct kh_admit admit = {.query = kh_fixture_json(w->f, text)};
	struct kh_error err = {0};

	assert_int_equal(kh_engine_call(other->engine, kh_token_read(other->engine, w->f->controller), kh_admit_run,
					&admit, &w->f->arena, &err),
			 KH_OK);
	if (ret_ask != NULL)
		*ret_ask = admit.ask;
	return admit.id;
}

#endif
