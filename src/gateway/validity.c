/* Reads the record for revoked tokens, which are events of no task, and the clock for those that expire. */
#include "gateway/validity.h"

#include "base/alloc.h"
#include "store/txn.h"

#include <stdatomic.h>

#define SECOND INT64_C(1000000)
#define PAUSE  (SECOND / 4) /* between looks at the record */
#define EXPIRY (5 * SECOND) /* between changes of the epoch without a reason in the record: tokens expire */
#define MEMORY ((size_t)1 << 20)

struct kh_validity {
	struct kh_work work; /* first */
	struct kh_validity_settings settings;
	atomic_uint_fast64_t epoch;
	/* used by the work alone */
	int64_t seen; /* the last event that was read; -1: none yet */
	int64_t change_at;
};

struct reading {
	int64_t after;
	bool revoked, offered;
};

static bool note(const struct kh_audit_entry *entry, void *arg)
{
	struct reading *reading = arg;

	reading->after = entry->id;
	reading->revoked = reading->revoked || kh_view_eq(entry->kind, KH_LIT("token.revoked"));
	reading->offered = reading->offered || kh_view_eq(entry->kind, KH_LIT("upstream.approved")) ||
			   kh_view_eq(entry->kind, KH_LIT("store.reloaded"));
	return true;
}

static enum kh_err read_record(struct kh_txn *txn, void *arg)
{
	struct reading *reading = arg;
	int64_t next;

	if (reading->after >= 0)
		return kh_audit_read_system(txn, reading->after, note, reading);
	enum kh_err e = kh_txn_next_event(txn, &next);
	if (e == KH_OK)
		reading->after = next - 1;
	reading->offered = e == KH_OK; /* what was approved until now is not read any more */
	return e;
}

static enum kh_work_next step(struct kh_work *work)
{
	struct kh_validity *validity = (struct kh_validity *)work;
	const struct kh_validity_settings *s = &validity->settings;
	struct reading reading = {.after = validity->seen};
	struct kh_error err;

	if (kh_works_is_stopping(s->works))
		return KH_WORK_DONE;
	if (kh_store_read(kh_engine_store(s->engine), read_record, &reading, &err) == KH_OK)
		validity->seen = reading.after;
	if (reading.revoked || kh_works_now() >= validity->change_at) {
		atomic_fetch_add(&validity->epoch, 1);
		s->changed(s->ctx);
		validity->change_at = kh_works_now() + EXPIRY;
	}
	if (reading.offered && s->offered != NULL)
		s->offered(s->ctx);
	work->wake_at = kh_works_now() + PAUSE;
	return KH_WORK_WAIT;
}

enum kh_err kh_validity_new(const struct kh_validity_settings *settings, struct kh_validity **ret_validity,
			    struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(settings->engine);
	struct kh_validity *validity = kh_alloc_zero(alloc, sizeof(*validity));

	if (validity == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	validity->settings = *settings;
	validity->work.step = step;
	validity->seen = -1;
	atomic_store(&validity->epoch, 1);
	if (!kh_works_add(settings->works, &validity->work)) {
		kh_validity_free(validity);
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	}
	*ret_validity = validity;
	return KH_OK;
}

void kh_validity_free(struct kh_validity *validity)
{
	if (validity != NULL)
		kh_alloc_free(kh_engine_alloc(validity->settings.engine), validity, sizeof(*validity));
}

uint64_t kh_validity_epoch(const struct kh_validity *validity)
{
	return atomic_load(&validity->epoch);
}

struct checking {
	struct kh_token_claim token;
	struct kh_arena *arena;
	int64_t now;
};

static enum kh_err check(struct kh_txn *txn, void *arg)
{
	struct checking *checking = arg;
	struct kh_token_row *row;

	kh_txn_use_arena(txn, checking->arena);
	return kh_token_check(txn, &checking->token, checking->now, &row);
}

bool kh_validity_holds(struct kh_validity *validity, struct kh_token_claim token)
{
	struct kh_engine *engine = validity->settings.engine;
	struct checking checking = {.token = token, .now = kh_engine_now(engine)};
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, kh_engine_alloc(engine), MEMORY);
	checking.arena = &arena;
	enum kh_err e = kh_store_read(kh_engine_store(engine), check, &checking, &err);
	kh_arena_done(&arena);
	return e != KH_EREFUSED;
}
