/*
 * Rows kept in memory.  Table and id select a few neighbouring slots.  If they are taken, and if there are too many bytes
 * in all, rows go that nobody has asked for lately: most rows are written once and never read again, while a few (of a
 * task, its context, its token) are read by every operation.
 */
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

/* The first slot in which the row can be. */
static size_t slot_of(enum kh_table table, int64_t id)
{
	uint64_t h = ((uint64_t)id * KH_TABLE_COUNT + (uint64_t)table) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 40) & (KH_CACHE_ROWS - 1) & ~(size_t)(KH_CACHE_WAYS - 1);
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
	slot->used = false;
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

	for (size_t i = 0; i < KH_CACHE_WAYS; i++, slot++) {
		if (slot->now.at != NULL && slot->id == id && slot->table == table)
			return slot;
	}
	return NULL;
}

/* Whether a row in SLOT has to go now.  One that was asked for stays, until the next time. */
static bool is_due(struct kh_cache_row *slot)
{
	bool used = slot->used;

	slot->used = false;
	return !used;
}

/* An empty slot for the row, which has none. */
static struct kh_cache_row *new_slot(struct kh_cache *cache, enum kh_table table, int64_t id)
{
	struct kh_cache_row *slots = &cache->rows[slot_of(table, id)], *taken = NULL;

	for (size_t i = 0; i < KH_CACHE_WAYS; i++) {
		if (slots[i].now.at == NULL)
			return &slots[i];
	}
	for (size_t i = 0; i < KH_CACHE_WAYS && taken == NULL; i++)
		taken = is_due(&slots[i]) ? &slots[i] : NULL;
	if (taken == NULL)
		taken = slots;
	drop(cache, taken);
	return taken;
}

/* Drops rows until N more bytes may be kept. */
static void make_room(struct kh_cache *cache, size_t n)
{
	while (cache->bytes + n > KH_CACHE_BYTES) {
		struct kh_cache_row *slot = &cache->rows[cache->hand++ & (KH_CACHE_ROWS - 1)];
		if (slot->now.at != NULL && is_due(slot))
			drop(cache, slot);
	}
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

uint64_t kh_cache_moment(struct kh_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	uint64_t group = cache->group;
	pthread_mutex_unlock(&cache->lock);
	return group;
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
	struct kh_cache_row *slot = find(cache, table, id);
	if (slot != NULL) {
		slot->used = true;
		bool now = who == KH_CACHE_STORE || is_committed(cache, slot->group);
		const struct kh_cache_version *v = now ? &slot->now : &slot->was;
		got = v->at != NULL && (peek || !v->peeked) && unpack(kh_record_of(table), v, peek, arena, ret_row);
	}
	pthread_mutex_unlock(&cache->lock);
	return got;
}

/* The view that is kept of a column; PEEKED: of a sealed one nothing is. */
static struct kh_view kept_view(const struct kh_column *c, const void *row, bool peeked)
{
	return peeked && c->kind == KH_COLUMN_SEALED ? KH_LIT("") : view_of(c, row);
}

/* The bytes of one allocation: the struct, followed by the bytes of its views. */
static size_t size_of(const struct kh_record *record, const void *row, bool peeked)
{
	size_t n = record->size;

	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		if (is_view(c) && __builtin_add_overflow(n, kept_view(c, row, peeked).n, &n))
			return SIZE_MAX;
	}
	return n;
}

static void *pack(const struct kh_record *record, const void *row, bool peeked, size_t n)
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
		struct kh_view v = kept_view(c, row, peeked);
		if (v.n > 0)
			memcpy(end, v.p, v.n);
		set_view(c, at, kh_view_of(end, v.n));
		end += v.n;
	}
	return at;
}

/* Makes NOW what the transaction that goes on has in SLOT, and keeps what was committed. */
static void set_now(struct kh_cache *cache, struct kh_cache_row *slot, struct kh_cache_version now)
{
	if (is_committed(cache, slot->group)) {
		free_version(cache, &slot->was);
		slot->was = slot->now;
	} else {
		free_version(cache, &slot->now);
	}
	slot->now = now;
	slot->group = cache->group + 1;
	cache->bytes += now.n;
}

static void put(struct kh_cache *cache, enum kh_table table, const void *row, bool peeked)
{
	const struct kh_record *record = kh_record_of(table);
	int64_t id;

	memcpy(&id, row, sizeof(id));
	struct kh_cache_row *slot = find(cache, table, id);
	struct kh_cache_version now = {.n = size_of(record, row, peeked), .peeked = peeked};
	if (now.n > KH_CACHE_MOST && !peeked)
		now = (struct kh_cache_version){.n = size_of(record, row, true), .peeked = true};
	if (now.n <= KH_CACHE_MOST)
		now.at = pack(record, row, now.peeked, now.n);
	/* If the new row is not kept, its old value must not be either. */
	if (now.at == NULL && slot != NULL)
		drop(cache, slot);
	if (now.at == NULL)
		return;
	make_room(cache, now.n); /* this may drop the old value, which ROW may lead into; it was copied */
	if (slot == NULL)
		slot = new_slot(cache, table, id);
	slot->id = id;
	slot->table = table;
	set_now(cache, slot, now);
}

void kh_cache_put(struct kh_cache *cache, enum kh_table table, const void *row, bool peeked)
{
	if (cache == NULL)
		return;
	pthread_mutex_lock(&cache->lock);
	put(cache, table, row, peeked);
	pthread_mutex_unlock(&cache->lock);
}

/* Copies the columns whose bit is set. */
static void copy_columns(const struct kh_record *record, void *to, const void *from, uint64_t changed)
{
	for (uint64_t left = changed; left != 0; left &= left - 1) {
		size_t i = (size_t)__builtin_ctzll(left);
		if (i >= record->count)
			break;
		const struct kh_column *c = &record->columns[i];
		memcpy((char *)to + c->offset, (const char *)from + c->offset, kh_record_column_size(c));
	}
}

/* Whether one of the columns whose bit is set has bytes of its own. */
static bool has_view(const struct kh_record *record, uint64_t changed)
{
	for (size_t i = 0; i < record->count; i++) {
		if (changed >> i & 1 && is_view(&record->columns[i]))
			return true;
	}
	return false;
}

static void update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed)
{
	const struct kh_record *record = kh_record_of(table);
	_Alignas(max_align_t) char merged[KH_CACHE_MOST];
	int64_t id;

	memcpy(&id, row, sizeof(id));
	struct kh_cache_row *slot = find(cache, table, id);
	if (slot == NULL)
		return;
	if (!is_committed(cache, slot->group) && !has_view(record, changed)) {
		copy_columns(record, slot->now.at, row, changed);
		return;
	}
	/* Others may see what is committed.  Views of unchanged columns lead into it; put() copies before it frees. */
	memcpy(merged, slot->now.at, record->size);
	copy_columns(record, merged, row, changed);
	put(cache, table, merged, slot->now.peeked);
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

/* The first slot in which it can be. */
static struct kh_cache_found *found_slot(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text)
{
	uint64_t h = (uint64_t)key * KH_INDEX_COUNT + (uint64_t)index;

	for (size_t i = 0; i < text.n; i++)
		h = (h ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
	h = h * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	return &cache->found[h & (KH_CACHE_FOUND - 1) & ~(uint64_t)(KH_CACHE_WAYS - 1)];
}

/* What is known; NULL: nothing. */
static struct kh_cache_found *look(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text)
{
	struct kh_cache_found *f = found_slot(cache, index, key, text);

	for (size_t i = 0; i < KH_CACHE_WAYS; i++, f++) {
		if (f->id != 0 && f->index == index && f->key == key && kh_view_eq(kh_view_of(f->text, f->n), text))
			return f;
	}
	return NULL;
}

/* An empty slot, or the one whose turn it is. */
static struct kh_cache_found *new_found(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text)
{
	struct kh_cache_found *f = found_slot(cache, index, key, text);

	for (size_t i = 0; i < KH_CACHE_WAYS; i++) {
		if (f[i].id == 0)
			return &f[i];
	}
	return &f[cache->turn++ & (KH_CACHE_WAYS - 1)];
}

int64_t kh_cache_found(struct kh_cache *cache, enum kh_cache_who who, enum kh_index index, int64_t key,
		       struct kh_view text)
{
	int64_t id = 0;

	if (cache == NULL || text.n > KH_CACHE_TEXT)
		return 0;
	pthread_mutex_lock(&cache->lock);
	const struct kh_cache_found *f = look(cache, index, key, text);
	if (f != NULL && (who == KH_CACHE_STORE || is_committed(cache, f->group)))
		id = f->id;
	pthread_mutex_unlock(&cache->lock);
	return id;
}

void kh_cache_put_found(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text, int64_t id)
{
	if (cache == NULL || text.n > KH_CACHE_TEXT)
		return;
	pthread_mutex_lock(&cache->lock);
	struct kh_cache_found *f = look(cache, index, key, text);
	if (f == NULL)
		f = new_found(cache, index, key, text);
	*f = (struct kh_cache_found){.id = id, .group = cache->group + 1, .index = index, .key = key, .n = text.n};
	if (text.n > 0)
		memcpy(f->text, text.p, text.n);
	pthread_mutex_unlock(&cache->lock);
}
