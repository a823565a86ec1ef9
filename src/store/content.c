/* Staging, removing.  What becomes of content is decided by its row in the database; the list only says what lives. */
#include "store/content.h"

#include "base/alloc.h"
#include "store/backend.h"

#include <pthread.h>
#include <semaphore.h>

struct kh_content_list {
	pthread_mutex_t lock; /* guards `first`, and the ids of what is in the list */
	sem_t room;           /* how many parts may be submitted */
	struct kh_content *first;
};

struct kh_content_list *kh_content_list_new(void)
{
	struct kh_content_list *list = kh_alloc_zero(&kh_alloc_system, sizeof(*list));

	if (list == NULL)
		return NULL;
	pthread_mutex_init(&list->lock, NULL);
	sem_init(&list->room, 0, KH_CONTENT_AHEAD);
	return list;
}

void kh_content_list_free(struct kh_content_list *list)
{
	if (list == NULL)
		return;
	sem_destroy(&list->room);
	pthread_mutex_destroy(&list->lock);
	kh_alloc_free(&kh_alloc_system, list, sizeof(*list));
}

struct kh_content *kh_content_of(struct kh_content *contents, struct kh_view bytes)
{
	while (contents != NULL && (contents->bytes.p != bytes.p || contents->bytes.n != bytes.n))
		contents = contents->next;
	return contents;
}

/* A store that is only in memory has no holders, and no other process either. */
static int64_t holder_of(const struct kh_store *store)
{
	return store->holder > 0 ? store->holder : 1;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static void enter(struct kh_content_list *list, struct kh_content *content)
{
	pthread_mutex_lock(&list->lock);
	content->next_staged = list->first;
	list->first = content;
	pthread_mutex_unlock(&list->lock);
}

static void leave(struct kh_content_list *list, const struct kh_content *content)
{
	struct kh_content **at = &list->first;

	pthread_mutex_lock(&list->lock);
	while (*at != NULL && *at != content)
		at = &(*at)->next_staged;
	if (*at != NULL)
		*at = content->next_staged;
	pthread_mutex_unlock(&list->lock);
}

static void set_id(struct kh_content_list *list, struct kh_content *content, int64_t id)
{
	pthread_mutex_lock(&list->lock);
	content->id = id;
	pthread_mutex_unlock(&list->lock);
}

static bool is_living(struct kh_content_list *list, int64_t id)
{
	pthread_mutex_lock(&list->lock);
	const struct kh_content *content = list->first;
	while (content != NULL && content->id != id)
		content = content->next_staged;
	pthread_mutex_unlock(&list->lock);
	return content != NULL;
}

/* --- staging ------------------------------------------------------------------------------------------------------ */

struct staging;

struct part {
	struct kh_store_job job; /* first */
	struct staging *staging;
	size_t from;
	int64_t number;
};

/* Everything but `free` is used by the store's thread as soon as a part is submitted. */
struct staging {
	struct kh_store *store;
	struct kh_content *content;
	struct part parts[KH_CONTENT_AHEAD];
	sem_t free; /* how many of these can be used */
	enum kh_err e;
	struct kh_error err; /* of the first part that failed */
};

static enum kh_err add_part(struct kh_txn *txn, void *arg)
{
	const struct part *part = arg;
	const struct staging *s = part->staging;
	struct kh_view bytes = s->content->bytes;
	size_t left = bytes.n - part->from, n = left < KH_CONTENT_PART ? left : KH_CONTENT_PART;
	int64_t id = s->content->id;
	enum kh_err e = s->e;

	if (e == KH_OK && part->from == 0) {
		e = txn->backend->content_new(txn, s->content->holder, (int64_t)bytes.n, &id);
		/* Before the commit, after which a sweep can find it. */
		set_id(s->store->contents, s->content, e == KH_OK ? id : 0);
	}
	return e == KH_OK ? txn->backend->content_add(txn, id, part->number, kh_view_of(bytes.p + part->from, n)) : e;
}

/* On the store's thread: the parts after one that failed are not added. */
static void part_done(struct kh_store_job *job)
{
	const struct part *part = (const struct part *)job;
	struct staging *s = part->staging;
	struct kh_content_list *list = s->store->contents;

	if (job->result != KH_OK && s->e == KH_OK) {
		s->e = job->result;
		s->err = job->err;
	}
	if (job->result != KH_OK && part->from == 0)
		set_id(list, s->content, 0);
	sem_post(&list->room);
	sem_post(&s->free); /* the staging may be gone after this */
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0) {
	}
}

/* Waits until all parts that were submitted have ended. */
static void settle(struct staging *s)
{
	for (unsigned i = 0; i < KH_CONTENT_AHEAD; i++)
		wait_for(&s->free);
	for (unsigned i = 0; i < KH_CONTENT_AHEAD; i++)
		sem_post(&s->free);
}

/* The first part makes the content, so it has to be committed before the next one is submitted. */
static void submit_parts(struct staging *s)
{
	size_t n = s->content->bytes.n;
	int64_t number = 0;

	for (size_t from = 0; from < n; from += KH_CONTENT_PART, number++) {
		if (number == 1) {
			settle(s);
			if (s->e != KH_OK)
				return;
		}
		struct part *part = &s->parts[number % KH_CONTENT_AHEAD]; /* parts end in their order */
		wait_for(&s->free);
		wait_for(&s->store->contents->room);
		*part = (struct part){.staging = s, .from = from, .number = number};
		part->job.fn = add_part;
		part->job.arg = part;
		part->job.done = part_done;
		kh_store_submit(s->store, &part->job);
	}
	settle(s);
}

enum kh_err kh_content_stage(struct kh_store *store, struct kh_view bytes, struct kh_content *content,
			     struct kh_error *err)
{
	struct staging s = {.store = store, .content = content};

	*content = (struct kh_content){.bytes = bytes, .holder = holder_of(store)};
	enter(store->contents, content);
	sem_init(&s.free, 0, KH_CONTENT_AHEAD);
	submit_parts(&s);
	sem_destroy(&s.free);
	if (s.e == KH_OK)
		return KH_OK;
	if (err != NULL)
		*err = s.err;
	kh_content_end(store, content, false);
	return s.e;
}

/* --- removing ----------------------------------------------------------------------------------------------------- */

struct removing {
	int64_t id, holder; /* the holder that it must have; -1 after the first step */
	bool more;
};

static enum kh_err remove_step(struct kh_txn *txn, void *arg)
{
	struct removing *r = arg;
	bool dropped = false;

	r->more = false;
	/* If a row names it, nobody holds it any more. */
	enum kh_err e = txn->backend->content_drop(txn, r->id, r->holder, &dropped);
	return e == KH_OK && dropped ? txn->backend->content_remove(txn, r->id, KH_CONTENT_STEP, &r->more) : e;
}

void kh_content_end(struct kh_store *store, struct kh_content *content, bool kept)
{
	struct removing r = {.id = content->id, .holder = content->holder};
	struct kh_error err;

	r.more = content->id != 0 && !(kept && content->named);
	while (r.more && kh_store_run(store, remove_step, &r, &err) == KH_OK)
		r.holder = KH_BACKEND_DROPPED;
	/* What could not be removed is left to a sweep: from now on it does not count as held. */
	leave(store->contents, content);
}

struct sweeping {
	struct kh_store *store;
	int64_t after;
	bool more;
};

static bool is_held(struct kh_store *store, int64_t id, int64_t holder)
{
	if (holder == holder_of(store))
		return is_living(store->contents, id);
	return holder > 0 && kh_store_holder_alive(store, holder);
}

static enum kh_err sweep_step(struct kh_txn *txn, void *arg)
{
	struct sweeping *s = arg;
	int64_t id = 0, holder = 0;
	bool dropped = false, more = false;
	enum kh_err e = txn->backend->content_next(txn, s->after, &id, &holder);

	s->more = e == KH_OK;
	if (e != KH_OK)
		return e == KH_EUNKNOWN ? KH_OK : e;
	if (!is_held(s->store, id, holder))
		e = txn->backend->content_drop(txn, id, holder, &dropped);
	if (e == KH_OK && dropped)
		e = txn->backend->content_remove(txn, id, KH_CONTENT_STEP, &more);
	if (!more)
		s->after = id;
	return e;
}

enum kh_err kh_content_sweep(struct kh_store *store, struct kh_error *err)
{
	struct sweeping s = {.store = store, .more = true};
	enum kh_err e = KH_OK;

	while (e == KH_OK && s.more)
		e = kh_store_run(store, sweep_step, &s, err);
	return e;
}
