/*
 * Two batches: one is filled while the thread hashes the other.  The caller waits if the thread is not done with the
 * previous batch; the thread waits for the next.  The caller's side allocates all memory.
 */
#include "store/hasher.h"

#include "base/alloc.h"

#include <pthread.h>

#define BYTES (512U << 10)
#define ITEMS 2048

struct item {
	int64_t id, chain;
	size_t at, n;
	struct kh_digest hash;
};

struct batch {
	struct item items[ITEMS];
	size_t count, used;
	char bytes[BYTES];
};

struct kh_hasher {
	const struct kh_alloc *alloc;
	struct batch *batches[2]; /* NULL: there is no thread */
	unsigned filling;
	int64_t bad, chain; /* under the mutex if there is a thread */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool busy; /* the thread works on the batch that is not being filled */
	bool over;
};

static bool has_hash(struct kh_view body, const struct kh_digest *hash)
{
	struct kh_digest digest = kh_canonical_digest(body);

	return memcmp(&digest, hash, sizeof(digest)) == 0;
}

/* The first bad event of a batch. */
static const struct item *find_bad(const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct item *item = &batch->items[i];
		if (!has_hash(kh_view_of(batch->bytes + item->at, item->n), &item->hash))
			return item;
	}
	return NULL;
}

static void *work(void *arg)
{
	struct kh_hasher *h = arg;

	pthread_mutex_lock(&h->mutex);
	for (;;) {
		while (!h->busy && !h->over)
			pthread_cond_wait(&h->changed, &h->mutex);
		if (!h->busy)
			break;
		const struct batch *batch = h->batches[!h->filling];
		pthread_mutex_unlock(&h->mutex);
		const struct item *item = find_bad(batch);
		pthread_mutex_lock(&h->mutex);
		if (item != NULL && h->bad == 0) {
			h->bad = item->id;
			h->chain = item->chain;
		}
		h->busy = false;
		pthread_cond_broadcast(&h->changed);
	}
	pthread_mutex_unlock(&h->mutex);
	return NULL;
}

static void free_batches(struct kh_hasher *h)
{
	for (size_t i = 0; i < 2; i++) {
		kh_alloc_free(h->alloc, h->batches[i], sizeof(struct batch));
		h->batches[i] = NULL;
	}
}

static enum kh_err start(struct kh_hasher *h)
{
	for (size_t i = 0; i < 2; i++) {
		h->batches[i] = kh_alloc_zero(h->alloc, sizeof(struct batch));
		if (h->batches[i] == NULL)
			return KH_ENOMEM;
	}
	pthread_mutex_init(&h->mutex, NULL);
	pthread_cond_init(&h->changed, NULL);
	if (pthread_create(&h->thread, NULL, work, h) == 0)
		return KH_OK;
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->mutex);
	free_batches(h);
	return KH_OK;
}

enum kh_err kh_hasher_new(const struct kh_alloc *alloc, bool thread, struct kh_hasher **ret_hasher)
{
	struct kh_hasher *h = kh_alloc_zero(alloc, sizeof(*h));
	enum kh_err e = h != NULL ? KH_OK : KH_ENOMEM;

	if (e == KH_OK) {
		h->alloc = alloc;
		e = thread ? start(h) : KH_OK;
	}
	if (e == KH_OK) {
		*ret_hasher = h;
	} else if (h != NULL) {
		free_batches(h);
		kh_alloc_free(alloc, h, sizeof(*h));
	}
	return e;
}

void kh_hasher_free(struct kh_hasher *h)
{
	if (h == NULL)
		return;
	if (h->batches[0] != NULL) {
		pthread_mutex_lock(&h->mutex);
		h->over = true;
		pthread_cond_broadcast(&h->changed);
		pthread_mutex_unlock(&h->mutex);
		pthread_join(h->thread, NULL);
		pthread_cond_destroy(&h->changed);
		pthread_mutex_destroy(&h->mutex);
		free_batches(h);
	}
	kh_alloc_free(h->alloc, h, sizeof(*h));
}

/* Hands the filled batch over, and starts filling the other.  False if an event was bad. */
static bool hand_over(struct kh_hasher *h)
{
	pthread_mutex_lock(&h->mutex);
	while (h->busy)
		pthread_cond_wait(&h->changed, &h->mutex);
	h->filling = !h->filling;
	h->busy = true;
	bool good = h->bad == 0;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->mutex);
	h->batches[h->filling]->count = h->batches[h->filling]->used = 0;
	return good;
}

static void wait_idle(struct kh_hasher *h)
{
	pthread_mutex_lock(&h->mutex);
	while (h->busy)
		pthread_cond_wait(&h->changed, &h->mutex);
	pthread_mutex_unlock(&h->mutex);
}

static bool check_now(struct kh_hasher *h, const struct kh_audit_entry *entry)
{
	if (h->bad == 0 && !has_hash(entry->body, &entry->hash)) {
		h->bad = entry->id;
		h->chain = entry->chain;
	}
	return h->bad == 0;
}

bool kh_hasher_give(struct kh_hasher *h, const struct kh_audit_entry *entry)
{
	if (h->batches[0] == NULL)
		return check_now(h, entry);
	if (entry->body.n > BYTES) { /* too large for a batch: hashed here, after all events before it */
		if (!hand_over(h))
			return false;
		wait_idle(h);
		return check_now(h, entry);
	}
	struct batch *batch = h->batches[h->filling];
	if (batch->count == ITEMS || batch->used + entry->body.n > BYTES) {
		if (!hand_over(h))
			return false;
		batch = h->batches[h->filling];
	}
	batch->items[batch->count++] = (struct item){
		.id = entry->id, .chain = entry->chain, .at = batch->used, .n = entry->body.n, .hash = entry->hash};
	if (entry->body.n > 0)
		memcpy(batch->bytes + batch->used, entry->body.p, entry->body.n);
	batch->used += entry->body.n;
	return true;
}

int64_t kh_hasher_end(struct kh_hasher *h, int64_t *ret_chain)
{
	if (h->batches[0] != NULL) {
		hand_over(h);
		wait_idle(h);
	}
	*ret_chain = h->chain;
	return h->bad;
}
