/* Rows kept in memory.  Table and id select one slot; if two rows share a slot, the newest row has it. */
#include "store/sqlite/cache.h"

static bool is_view(const struct kh_column *c)
{
	return c->kind == KH_COLUMN_TEXT || c->kind == KH_COLUMN_SEALED;
}

static struct kh_view view_of(const struct kh_column *c, const void *row)
{
	struct kh_view v;

	memcpy(&v, (const char *)row + c->offset, sizeof(v));
	return v;
}

static void set_view(const struct kh_column *c, void *row, struct kh_view v)
{
	memcpy((char *)row + c->offset, &v, sizeof(v));
}

static size_t slot_of(enum kh_table table, int64_t id)
{
	uint64_t h = ((uint64_t)id * KH_TABLE_COUNT + (uint64_t)table) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 40) & (KH_CACHE_ROWS - 1);
}

void kh_cache_init(struct kh_cache *cache)
{
	pthread_mutexattr_t spins;

	/* It is held for a few hundred nanoseconds: whoever finds it taken looks again before he sleeps. */
	pthread_mutexattr_init(&spins);
	pthread_mutexattr_settype(&spins, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&cache->lock, &spins);
	pthread_mutexattr_destroy(&spins);
}

void kh_cache_done(struct kh_cache *cache)
{
	kh_cache_clear(cache);
	pthread_mutex_destroy(&cache->lock);
}

static void free_version(struct kh_cache *cache, struct kh_cache_version *v)
{
	cache->bytes -= v->n;
	kh_alloc_free(&kh_alloc_system, v->at, v->n);
	*v = (struct kh_cache_version){.at = NULL};
}

static void drop(struct kh_cache *cache, struct kh_cache_row *slot)
{
	free_version(cache, &slot->now);
	free_version(cache, &slot->was);
	slot->id = 0;
}

static void drop_all(struct kh_cache *cache)
{
	for (size_t i = 0; i < KH_CACHE_ROWS; i++) {
		if (cache->rows[i].now.at != NULL)
			drop(cache, &cache->rows[i]);
	}
	for (size_t i = 0; i < KH_CACHE_FOUND; i++) {
		if (cache->found[i].id != 0)
			cache->found[i].id = 0;
	}
}

static struct kh_cache_row *find(struct kh_cache *cache, enum kh_table table, int64_t id)
{
	struct kh_cache_row *slot = &cache->rows[slot_of(table, id)];

	return slot->now.at != NULL && slot->id == id && slot->table == table ? slot : NULL;
}

void kh_cache_clear(struct kh_cache *cache)
{
	if (cache == NULL)
		return;
	pthread_mutex_lock(&cache->lock);
	drop_all(cache);
	pthread_mutex_unlock(&cache->lock);
}

static uint32_t count_commits(const struct kh_cache *cache)
{
	return cache->commits != NULL ? __atomic_load_n(cache->commits, __ATOMIC_ACQUIRE) : 0;
}

void kh_cache_check(struct kh_cache *cache, int64_t version)
{
	if (cache == NULL)
		return;
	cache->begun = count_commits(cache);
	if (cache->version == version) /* only the store's thread changes these two */
		return;
	kh_cache_clear(cache);
	cache->version = version;
}

void kh_cache_commit(struct kh_cache *cache, bool wrote)
{
	if (cache == NULL)
		return;
	pthread_mutex_lock(&cache->lock);
	cache->group++;
	/* Not what is counted now: another process may have committed after this one. */
	cache->known = cache->begun + wrote;
	pthread_mutex_unlock(&cache->lock);
}

bool kh_cache_is_current(struct kh_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	bool current = cache->commits != NULL && count_commits(cache) == cache->known;
	pthread_mutex_unlock(&cache->lock);
	return current;
}

/* Whether the transaction GROUP is committed. */
static bool is_committed(const struct kh_cache *cache, uint64_t group)
{
	return group <= cache->group;
}

/* Copies the row V; its views lead into ARENA. */
static bool unpack(const struct kh_record *record, const struct kh_cache_version *v, bool peek, struct kh_arena *arena,
		   void *ret_row)
{
	size_t tail = v->n - record->size;
	char *bytes = tail > 0 ? kh_arena_alloc(arena, tail) : NULL;

	if (tail > 0 && bytes == NULL)
		return false;
	if (tail > 0)
		memcpy(bytes, (const char *)v->at + record->size, tail);
	memcpy(ret_row, v->at, record->size);
	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		if (!is_view(c))
			continue;
		struct kh_view view = view_of(c, ret_row);
		bool empty = view.n == 0 || (peek && c->kind == KH_COLUMN_SEALED);
		set_view(c, ret_row, empty ? KH_LIT("") : kh_view_of(bytes, view.n));
		if (view.n > 0)
			bytes += view.n;
	}
	return true;
}

bool kh_cache_get(struct kh_cache *cache, enum kh_cache_who who, enum kh_table table, int64_t id, bool peek,
		  struct kh_arena *arena, void *ret_row)
{
	bool got = false;

	if (cache == NULL)
		return false;
	pthread_mutex_lock(&cache->lock);
	const struct kh_cache_row *slot = find(cache, table, id);
	if (slot != NULL) {
		bool now = who == KH_CACHE_STORE || is_committed(cache, slot->group);
		const struct kh_cache_version *v = now ? &slot->now : &slot->was;
		got = v->at != NULL && unpack(kh_record_of(table), v, peek, arena, ret_row);
	}
	pthread_mutex_unlock(&cache->lock);
	return got;
}

/* The bytes of one allocation: the struct, followed by the bytes of its views. */
static size_t size_of(const struct kh_record *record, const void *row)
{
	size_t n = record->size;

	for (size_t i = 0; i < record->count; i++) {
		if (is_view(&record->columns[i]) && __builtin_add_overflow(n, view_of(&record->columns[i], row).n, &n))
			return SIZE_MAX;
	}
	return n;
}

static void *pack(const struct kh_record *record, const void *row, size_t n)
{
	char *at = kh_alloc_zero(&kh_alloc_system, n), *end;

	if (at == NULL)
		return NULL;
	memcpy(at, row, record->size);
	end = at + record->size;
	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		if (!is_view(c))
			continue;
		struct kh_view v = view_of(c, row);
		if (v.n > 0)
			memcpy(end, v.p, v.n);
		set_view(c, at, kh_view_of(end, v.n));
		end += v.n;
	}
	return at;
}

/* Makes AT what the transaction that goes on has in SLOT, and keeps what was committed. */
static void set_now(struct kh_cache *cache, struct kh_cache_row *slot, void *at, size_t n)
{
	if (is_committed(cache, slot->group)) {
		free_version(cache, &slot->was);
		slot->was = slot->now;
	} else {
		free_version(cache, &slot->now);
	}
	slot->now = (struct kh_cache_version){.at = at, .n = n};
	slot->group = cache->group + 1;
	cache->bytes += n;
}

static void put(struct kh_cache *cache, enum kh_table table, const void *row)
{
	const struct kh_record *record = kh_record_of(table);
	int64_t id;

	memcpy(&id, row, sizeof(id));
	struct kh_cache_row *slot = &cache->rows[slot_of(table, id)];
	size_t n = size_of(record, row);
	void *at = n <= KH_CACHE_MOST ? pack(record, row, n) : NULL;
	/* Even if the new row is not kept, because the slot may hold the row's old value. */
	if (at == NULL || slot->id != id || slot->table != table)
		drop(cache, slot);
	if (at == NULL)
		return;
	if (cache->bytes + n > KH_CACHE_BYTES)
		drop_all(cache); /* ROW, if it is one of these, was copied */
	slot->id = id;
	slot->table = table;
	set_now(cache, slot, at, n);
}

void kh_cache_put(struct kh_cache *cache, enum kh_table table, const void *row)
{
	if (cache == NULL)
		return;
	pthread_mutex_lock(&cache->lock);
	put(cache, table, row);
	pthread_mutex_unlock(&cache->lock);
}

/* Copies the columns whose bit is set; true if none of them was a view. */
static bool copy_columns(const struct kh_record *record, void *to, const void *from, uint64_t changed)
{
	bool plain = true;

	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		if (!(changed >> i & 1))
			continue;
		plain = plain && !is_view(c);
		memcpy((char *)to + c->offset, (const char *)from + c->offset, kh_record_column_size(c));
	}
	return plain;
}

static void update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed)
{
	const struct kh_record *record = kh_record_of(table);
	int64_t id;

	memcpy(&id, row, sizeof(id));
	struct kh_cache_row *slot = find(cache, table, id);
	if (slot != NULL && is_committed(cache, slot->group)) { /* others may see it as it is */
		put(cache, table, slot->now.at);
		slot = find(cache, table, id);
	}
	/* The views of the unchanged columns still point into the old allocation, which put() frees last. */
	if (slot != NULL && !copy_columns(record, slot->now.at, row, changed))
		put(cache, table, slot->now.at);
}

void kh_cache_update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed)
{
	if (cache == NULL)
		return;
	pthread_mutex_lock(&cache->lock);
	update(cache, table, row, changed);
	pthread_mutex_unlock(&cache->lock);
}

/* --- what was found ----------------------------------------------------------------------------------------------- */

static struct kh_cache_found *found_slot(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text)
{
	uint64_t h = (uint64_t)key * KH_INDEX_COUNT + (uint64_t)index;

	for (size_t i = 0; i < text.n; i++)
		h = (h ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
	return &cache->found[(size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (KH_CACHE_FOUND - 1)];
}

int64_t kh_cache_found(struct kh_cache *cache, enum kh_cache_who who, enum kh_index index, int64_t key,
		       struct kh_view text)
{
	int64_t id = 0;

	if (cache == NULL || text.n > KH_CACHE_TEXT)
		return 0;
	pthread_mutex_lock(&cache->lock);
	const struct kh_cache_found *f = found_slot(cache, index, key, text);
	if (f->index == index && f->key == key && kh_view_eq(kh_view_of(f->text, f->n), text) &&
	    (who == KH_CACHE_STORE || is_committed(cache, f->group)))
		id = f->id;
	pthread_mutex_unlock(&cache->lock);
	return id;
}

void kh_cache_put_found(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text, int64_t id)
{
	if (cache == NULL || text.n > KH_CACHE_TEXT)
		return;
	pthread_mutex_lock(&cache->lock);
	struct kh_cache_found *f = found_slot(cache, index, key, text);
	*f = (struct kh_cache_found){.id = id, .group = cache->group + 1, .index = index, .key = key, .n = text.n};
	if (text.n > 0)
		memcpy(f->text, text.p, text.n);
	pthread_mutex_unlock(&cache->lock);
}
