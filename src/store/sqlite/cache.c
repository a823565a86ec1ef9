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

static void drop(struct kh_cache *cache, struct kh_cache_row *slot)
{
	cache->bytes -= slot->n;
	kh_alloc_free(&kh_alloc_system, slot->at, slot->n);
	*slot = (struct kh_cache_row){.at = NULL};
}

static struct kh_cache_row *find(struct kh_cache *cache, enum kh_table table, int64_t id)
{
	struct kh_cache_row *slot = &cache->rows[slot_of(table, id)];

	return slot->at != NULL && slot->id == id && slot->table == table ? slot : NULL;
}

void kh_cache_clear(struct kh_cache *cache)
{
	for (size_t i = 0; cache != NULL && i < KH_CACHE_ROWS; i++)
		drop(cache, &cache->rows[i]);
}

void kh_cache_check(struct kh_cache *cache, int64_t version)
{
	if (cache == NULL || cache->version == version)
		return;
	kh_cache_clear(cache);
	cache->version = version;
}

bool kh_cache_get(const struct kh_cache *cache, enum kh_table table, int64_t id, bool peek, struct kh_arena *arena,
		  void *ret_row)
{
	const struct kh_record *record = kh_record_of(table);
	const struct kh_cache_row *slot = cache != NULL ? &cache->rows[slot_of(table, id)] : NULL;

	if (slot == NULL || slot->at == NULL || slot->id != id || slot->table != table)
		return false;
	size_t tail = slot->n - record->size;
	char *bytes = tail > 0 ? kh_arena_alloc(arena, tail) : NULL;
	if (tail > 0 && bytes == NULL)
		return false;
	if (tail > 0)
		memcpy(bytes, (const char *)slot->at + record->size, tail);
	memcpy(ret_row, slot->at, record->size);
	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		if (!is_view(c))
			continue;
		struct kh_view v = view_of(c, ret_row);
		bool empty = v.n == 0 || (peek && c->kind == KH_COLUMN_SEALED);
		set_view(c, ret_row, empty ? KH_LIT("") : kh_view_of(bytes, v.n));
		if (v.n > 0)
			bytes += v.n;
	}
	return true;
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

void kh_cache_put(struct kh_cache *cache, enum kh_table table, const void *row)
{
	const struct kh_record *record = kh_record_of(table);
	int64_t id;

	if (cache == NULL)
		return;
	memcpy(&id, row, sizeof(id));
	struct kh_cache_row *slot = &cache->rows[slot_of(table, id)];
	size_t n = size_of(record, row);
	void *at = n <= KH_CACHE_MOST ? pack(record, row, n) : NULL;
	drop(cache, slot); /* even if the new row is not kept, because the slot may hold the row's old value */
	if (at == NULL)
		return;
	if (cache->bytes + n > KH_CACHE_BYTES)
		kh_cache_clear(cache);
	*slot = (struct kh_cache_row){.id = id, .table = table, .at = at, .n = n};
	cache->bytes += n;
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

void kh_cache_update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed)
{
	const struct kh_record *record = kh_record_of(table);
	struct kh_cache_row *slot;
	int64_t id;

	if (cache == NULL)
		return;
	memcpy(&id, row, sizeof(id));
	slot = find(cache, table, id);
	/* The views of the unchanged columns still point into the old allocation, which put() frees last. */
	if (slot != NULL && !copy_columns(record, slot->at, row, changed))
		kh_cache_put(cache, table, slot->at);
}
