/* Transactions over the rows that transports keep.  A row of another token is like one that is not there. */
#include "gateway/keeping.h"

#include "store/txn.h"

#define READ ((size_t)16 << 20) /* events of a stream have much less */

/* One transaction. */
struct work {
	const struct kh_keeping *of;
	struct kh_arena *arena;
	int64_t now, until, stream, after;
	struct kh_view value;
	const struct kh_keeping_event *events;
	size_t count;
	/* found */
	struct kh_kept found;
	struct kh_keeping_event *list;
	size_t listed, room;
	bool there, failed;
};

static struct kh_store *store_of(const struct kh_gateway *gateway)
{
	return kh_engine_store(kh_gateway_engine(gateway));
}

static int64_t now_of(const struct kh_gateway *gateway)
{
	return kh_engine_now(kh_gateway_engine(gateway));
}

struct kh_keeping kh_keeping_of(struct kh_gateway *gateway, struct kh_view id, int64_t token)
{
	return (struct kh_keeping){.gateway = gateway, .key = kh_canonical_digest(id), .token = token};
}

static enum kh_err run(struct work *w, kh_store_fn *fn, struct kh_error *err)
{
	if (w->of->gateway == NULL)
		return KH_EUNKNOWN;
	w->now = now_of(w->of->gateway);
	return kh_store_run(store_of(w->of->gateway), fn, w, err);
}

static enum kh_err look(struct work *w, kh_store_fn *fn, struct kh_error *err)
{
	if (w->of->gateway == NULL)
		return KH_EUNKNOWN;
	w->now = now_of(w->of->gateway);
	return kh_store_read(store_of(w->of->gateway), fn, w, err);
}

static struct kh_kept row_of(const struct work *w, enum kh_kept_kind kind)
{
	return (struct kh_kept){.kind = kind, .key = w->of->key, .token = w->of->token, .stream = w->stream};
}

static bool take_row(const struct kh_kept *row, void *arg)
{
	struct work *w = arg;

	if (row->token != w->of->token || row->until <= w->now)
		return false;
	w->found = *row;
	w->found.value = w->arena != NULL ? kh_arena_dup(w->arena, row->value) : KH_LIT("");
	w->failed = w->found.value.p == NULL;
	w->there = true;
	return false;
}

/* Finds the one row of KIND; KH_EUNKNOWN if there is none. */
static enum kh_err find(struct kh_txn *txn, struct work *w, enum kh_kept_kind kind)
{
	struct kh_kept of = row_of(w, kind);

	w->there = w->failed = false;
	if (kind == KH_KEPT_SESSION)
		of.stream = 0;
	enum kh_err e = kh_kept_each(txn, &of, -1, take_row, w);
	if (e == KH_OK && w->failed)
		e = KH_ENOMEM;
	return e == KH_OK && !w->there ? KH_EUNKNOWN : e;
}

/* --- sessions ----------------------------------------------------------------------------------------------------- */

/* Makes room: of the token's own sessions the one that was idle longest goes. */
static enum kh_err make_room(struct kh_txn *txn, struct work *w)
{
	struct kh_kept goes = {.until = w->now};
	struct kh_digest any;
	int64_t own = 0, all = 0;
	enum kh_err e = kh_kept_remove(txn, KH_KEPT_UNTIL, &goes);

	if (e == KH_OK)
		e = kh_kept_count(txn, KH_KEPT_SESSION, 0, &all, &any);
	if (e == KH_OK)
		e = kh_kept_count(txn, KH_KEPT_SESSION, w->of->token, &own, &goes.key);
	if (e != KH_OK || (own < KH_KEEPING_TOKEN && all < KH_KEEPING_SESSIONS))
		return e;
	if (own == 0)
		return KH_ELIMIT;
	return kh_kept_remove(txn, KH_KEPT_OF_KEY, &goes);
}

static enum kh_err begin(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_kept row = row_of(w, KH_KEPT_SESSION);
	enum kh_err e = make_room(txn, w);

	row.until = w->until;
	row.value = w->value;
	return e == KH_OK ? kh_kept_put(txn, &row) : e;
}

enum kh_err kh_keeping_begin(const struct kh_keeping *of, int64_t until, struct kh_view value, struct kh_error *err)
{
	struct work w = {.of = of, .until = until, .value = value};
	enum kh_err e = run(&w, begin, err);

	if (e == KH_ELIMIT)
		return kh_error_set(err, e, "too_many_sessions",
				    "there are as many sessions as there may be; end one (DELETE), or try later");
	return e;
}

static enum kh_err find_session(struct kh_txn *txn, void *arg)
{
	return find(txn, arg, KH_KEPT_SESSION);
}

enum kh_err kh_keeping_find(const struct kh_keeping *of, struct kh_arena *arena, struct kh_view *ret_value,
			    int64_t *ret_until, struct kh_error *err)
{
	struct work w = {.of = of, .arena = arena};
	enum kh_err e = look(&w, find_session, err);

	if (e == KH_OK) {
		*ret_value = w.found.value;
		*ret_until = w.found.until;
	}
	return e;
}

static enum kh_err change(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	enum kh_err e = find(txn, w, KH_KEPT_SESSION);

	w->found.until = w->until;
	w->found.value = w->value;
	return e == KH_OK ? kh_kept_put(txn, &w->found) : e;
}

enum kh_err kh_keeping_change(const struct kh_keeping *of, int64_t until, struct kh_view value, struct kh_error *err)
{
	struct work w = {.of = of, .until = until, .value = value};

	return run(&w, change, err);
}

static enum kh_err end(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_kept of = row_of(w, KH_KEPT_SESSION);
	enum kh_err e = find(txn, w, KH_KEPT_SESSION);

	return e == KH_OK ? kh_kept_remove(txn, KH_KEPT_OF_KEY, &of) : e == KH_EUNKNOWN ? KH_OK : e;
}

enum kh_err kh_keeping_end(const struct kh_keeping *of, struct kh_error *err)
{
	struct work w = {.of = of};

	return run(&w, end, err);
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

static enum kh_err put_event(struct kh_txn *txn, struct work *w, const struct kh_keeping_event *event)
{
	struct kh_kept row = row_of(w, KH_KEPT_EVENT);

	row.part = event->number;
	row.number = event->answer;
	row.value = event->text;
	row.until = w->now + KH_KEEPING_STREAM;
	return kh_kept_put(txn, &row);
}

static enum kh_err begin_stream(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_arena *arena = w->arena;
	enum kh_err e = find(txn, w, KH_KEPT_SESSION);

	if (e != KH_OK)
		return e;
	w->stream = ++w->found.number;
	e = kh_kept_put(txn, &w->found);
	struct kh_kept row = row_of(w, KH_KEPT_STREAM);
	row.number = kh_store_holder(store_of(w->of->gateway));
	row.until = w->now + KH_KEEPING_STREAM;
	row.value = w->value;
	if (e == KH_OK)
		e = kh_kept_put(txn, &row);
	for (size_t i = 0; e == KH_OK && i < w->count; i++)
		e = put_event(txn, w, &w->events[i]);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

enum kh_err kh_keeping_stream(const struct kh_keeping *of, struct kh_view value, const struct kh_keeping_event *events,
			      size_t count, int64_t *ret_stream, struct kh_error *err)
{
	struct kh_arena arena;
	struct work w = {.of = of, .arena = &arena, .value = value, .events = events, .count = count};

	kh_arena_init(&arena, NULL, READ);
	enum kh_err e = run(&w, begin_stream, err);
	kh_arena_done(&arena);
	if (e == KH_OK)
		*ret_stream = w.stream;
	return e;
}

/* The stream may have been removed, with its session or its token: then nothing is added. */
static enum kh_err add(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_kept before = row_of(w, KH_KEPT_EVENT);
	enum kh_err e = find(txn, w, KH_KEPT_STREAM);

	if (e == KH_OK)
		e = put_event(txn, w, w->events);
	before.part = w->after;
	return e == KH_OK && w->after > 1 ? kh_kept_remove(txn, KH_KEPT_EVENTS, &before) : e;
}

enum kh_err kh_keeping_add(const struct kh_keeping *of, int64_t stream, const struct kh_keeping_event *event,
			   int64_t from, struct kh_error *err)
{
	struct work w = {.of = of, .stream = stream, .events = event, .after = from};

	return run(&w, add, err);
}

static bool take_event(const struct kh_kept *row, void *arg)
{
	struct work *w = arg;

	if (row->token != w->of->token)
		return true;
	if (w->listed == w->room) {
		size_t room = w->room > 0 ? 2 * w->room : 16;
		struct kh_keeping_event *more = KH_NEW_N(w->arena, struct kh_keeping_event, room);
		if (more == NULL) {
			w->failed = true;
			return false;
		}
		if (w->listed > 0)
			memcpy(more, w->list, w->listed * sizeof(*more));
		w->list = more;
		w->room = room;
	}
	struct kh_view text = kh_arena_dup(w->arena, row->value);
	w->list[w->listed++] = (struct kh_keeping_event){row->part, row->number != 0, text};
	w->failed = text.p == NULL;
	return !w->failed;
}

static enum kh_err read_stream(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_kept events = row_of(w, KH_KEPT_EVENT);
	enum kh_err e = find(txn, w, KH_KEPT_STREAM);

	if (e == KH_OK)
		e = kh_kept_each(txn, &events, w->after, take_event, w);
	return e == KH_OK && w->failed ? KH_ENOMEM : e;
}

enum kh_err kh_keeping_read(const struct kh_keeping *of, int64_t stream, int64_t after, struct kh_arena *arena,
			    struct kh_keeping_kept *ret_kept, struct kh_error *err)
{
	struct work w = {.of = of, .arena = arena, .stream = stream, .after = after};
	enum kh_err e = look(&w, read_stream, err);

	if (e != KH_OK)
		return e;
	struct kh_store *store = store_of(of->gateway);
	*ret_kept = (struct kh_keeping_kept){
		.value = w.found.value,
		.is_written = w.found.number != kh_store_holder(store) && kh_store_holder_alive(store, w.found.number),
		.events = w.list,
		.count = w.listed,
	};
	return KH_OK;
}

static enum kh_err forget(struct kh_txn *txn, void *arg)
{
	struct kh_kept of = row_of(arg, KH_KEPT_STREAM);

	return kh_kept_remove(txn, KH_KEPT_OF_STREAM, &of);
}

enum kh_err kh_keeping_forget(const struct kh_keeping *of, int64_t stream, struct kh_error *err)
{
	struct work w = {.of = of, .stream = stream};

	return run(&w, forget, err);
}

/* --- states, and what is past its time ---------------------------------------------------------------------------- */

static enum kh_err use(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_kept row = row_of(w, KH_KEPT_STATE), past = {.until = w->now};
	struct kh_digest any;
	int64_t used = 0;
	enum kh_err e = find(txn, w, KH_KEPT_STATE);

	if (e == KH_OK)
		return KH_EREFUSED;
	if (e == KH_EUNKNOWN)
		e = kh_kept_remove(txn, KH_KEPT_UNTIL, &past);
	if (e == KH_OK)
		e = kh_kept_count(txn, KH_KEPT_STATE, w->of->token, &used, &any);
	if (e == KH_OK && used >= KH_KEEPING_STATES)
		return KH_EREFUSED;
	row.until = w->until;
	return e == KH_OK ? kh_kept_put(txn, &row) : e;
}

enum kh_err kh_keeping_use(struct kh_gateway *gateway, int64_t token, struct kh_view nonce, int64_t until,
			   struct kh_error *err)
{
	struct kh_keeping of = kh_keeping_of(gateway, nonce, token);
	struct work w = {.of = &of, .until = until};

	return run(&w, use, err);
}

static enum kh_err remove_past(struct kh_txn *txn, void *arg)
{
	const struct work *w = arg;
	struct kh_kept past = {.until = w->now};

	return kh_kept_remove(txn, KH_KEPT_UNTIL, &past);
}

void kh_keeping_purge(struct kh_gateway *gateway)
{
	struct kh_keeping of = {.gateway = gateway};
	struct work w = {.of = &of};
	struct kh_error err;

	/* What could not be removed is past its time all the same: nobody finds it. */
	(void)!run(&w, remove_past, &err);
}
