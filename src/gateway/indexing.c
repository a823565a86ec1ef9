/* A work that runs the indexer, in a pool of its own with one thread. */
#include "gateway/indexing.h"

#include "base/alloc.h"
#include "errand/index.h"
#include "gateway/works.h"

#define SECOND  INT64_C(1000000) /* microseconds */
#define SELDOM  (5 * SECOND)     /* between looks whether folders are configured now: the configuration may change */
#define WALL_MS 60000            /* of one step */
#define MEMORY  ((size_t)16 << 20)

struct kh_indexing {
	struct kh_work work; /* first */
	struct kh_engine *engine;
	struct kh_works *works;
};

static bool is_stopped(void *ctx)
{
	struct kh_indexing *indexing = ctx;

	return kh_works_is_stopping(indexing->works);
}

/* One pass over all folders, as far as it gets; returns when the next is to begin. */
static int64_t look_through(struct kh_indexing *indexing, const struct kh_errand_tools *tools)
{
	uint64_t refresh_ms = tools->config->search.refresh_seconds * 1000;
	struct kh_index_refresh call = {
		.fresh_ms = refresh_ms / 2, /* another gateway may use the same home */
		.wall_ms = WALL_MS,
		.is_stopped = is_stopped,
		.ctx = indexing,
	};
	int64_t begun = kh_works_now();
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(indexing->engine), MEMORY);
	enum kh_err e = kh_index_refresh(tools, &arena, &call);
	bool has_failed = e != KH_OK || call.busy || call.why.n > 0;
	kh_arena_done(&arena);
	/* A pass takes time too, so the next one begins before the index is as old as it may be. */
	int64_t next = begun + (int64_t)refresh_ms * 1000 * 4 / 5;
	if (!has_failed && !call.current)
		next = 0; /* the step's time ran out before the pass was done */
	int64_t soonest = kh_works_now() + (has_failed ? SECOND : SECOND / 100);
	return next > soonest ? next : soonest;
}

static enum kh_work_next step(struct kh_work *work)
{
	struct kh_indexing *indexing = (struct kh_indexing *)work;
	const struct kh_errand_tools *tools = kh_engine_tools(indexing->engine);

	if (kh_works_is_stopping(indexing->works))
		return KH_WORK_DONE;
	if (tools != NULL && tools->client != NULL && tools->config->search.folders.n > 0)
		work->wake_at = look_through(indexing, tools);
	else
		work->wake_at = kh_works_now() + SELDOM;
	return kh_works_is_stopping(indexing->works) ? KH_WORK_DONE : KH_WORK_WAIT;
}

enum kh_err kh_indexing_new(struct kh_engine *engine, struct kh_indexing **ret_indexing, struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(engine);
	struct kh_indexing *indexing = kh_alloc_zero(alloc, sizeof(*indexing));

	if (indexing == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	indexing->engine = engine;
	indexing->work.step = step;
	enum kh_err e = kh_works_new(&(struct kh_works_settings){.alloc = alloc, .threads = 1}, &indexing->works, err);
	if (e == KH_OK && !kh_works_add(indexing->works, &indexing->work))
		e = kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (e != KH_OK) {
		kh_indexing_free(indexing);
		return e;
	}
	*ret_indexing = indexing;
	return KH_OK;
}

bool kh_indexing_stop(struct kh_indexing *indexing, int64_t timeout_us)
{
	return kh_works_stop(indexing->works, timeout_us);
}

void kh_indexing_free(struct kh_indexing *indexing)
{
	if (indexing == NULL)
		return;
	kh_works_free(indexing->works);
	kh_alloc_free(kh_engine_alloc(indexing->engine), indexing, sizeof(*indexing));
}
