/* The fold.  It trusts none of its input: an event is parsed strictly and must be in canonical form. */
#include "store/fold.h"

#include "store/backend.h"
#include "store/invariant.h"

#include <sodium.h>

#define CHUNK   1024         /* rows that are allocated together */
#define SCRATCH (512U << 20) /* bytes for one event: the transaction that writes a body bounds its size */

/* Stored before each row's struct. */
struct meta {
	int64_t event; /* the newest event that wrote it */
	int64_t seen;  /* set by the comparison */
};

struct table {
	size_t stride, row, sums; /* bytes of an entry, and where its struct and its sums begin, if it has some */
	size_t n;
	char **chunks;
	size_t chunk_count, chunk_cap;
};

struct kh_fold {
	const struct kh_alloc *alloc;
	struct kh_arena arena, scratch;
	unsigned char key[crypto_shorthash_siphashx24_KEYBYTES];
	struct table tables[KH_TABLE_COUNT];
	/* used by the comparison */
	struct kh_verify *verify;
	enum kh_table comparing;
};

_Static_assert(sizeof(struct kh_view) == crypto_shorthash_siphashx24_BYTES, "a fingerprint takes a view's place");
_Static_assert(sizeof(struct kh_tainted) == sizeof(struct kh_view), "so it does for what is tainted");

static size_t aligned(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

enum kh_err kh_fold_new(const struct kh_alloc *alloc, struct kh_fold **ret_fold, struct kh_error *err)
{
	struct kh_fold *fold = kh_alloc_zero(alloc, sizeof(*fold));

	(void)err;
	if (fold == NULL)
		return KH_ENOMEM;
	fold->alloc = alloc;
	kh_arena_init(&fold->arena, alloc, SIZE_MAX / 2);
	kh_arena_init(&fold->scratch, alloc, SCRATCH);
	randombytes_buf(fold->key, sizeof(fold->key));
	for (enum kh_table t = 0; t < KH_TABLE_COUNT; t++) {
		bool sums = t == KH_TABLE_TASKS || t == KH_TABLE_CONTEXTS || t == KH_TABLE_READERS;
		size_t more = sums                   ? sizeof(struct kh_fold_sums)
			      : t == KH_TABLE_TOKENS ? sizeof(struct kh_fold_day)
						     : 0;
		struct table *table = &fold->tables[t];
		table->row = aligned(sizeof(struct meta));
		table->stride = table->row + aligned(kh_record_of(t)->size);
		table->sums = table->stride;
		table->stride += aligned(more);
	}
	*ret_fold = fold;
	return KH_OK;
}

void kh_fold_free(struct kh_fold *fold)
{
	if (fold == NULL)
		return;
	for (enum kh_table t = 0; t < KH_TABLE_COUNT; t++) {
		for (size_t i = 0; i < fold->tables[t].chunk_count; i++)
			kh_alloc_free(fold->alloc, fold->tables[t].chunks[i], CHUNK * fold->tables[t].stride);
	}
	kh_arena_done(&fold->scratch);
	kh_arena_done(&fold->arena);
	kh_alloc_free(fold->alloc, fold, sizeof(*fold));
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static char *entry_at(const struct table *table, size_t i)
{
	return table->chunks[i / CHUNK] + i % CHUNK * table->stride;
}

static int64_t id_at(const struct table *table, size_t i)
{
	int64_t id;

	memcpy(&id, entry_at(table, i) + table->row, sizeof(id));
	return id;
}

/* Ids ascend, mostly without a gap, so the row is at the guessed position or near it. */
static char *find(const struct table *table, int64_t id)
{
	size_t low = 0, high = table->n;

	if (id >= 1 && (uint64_t)id <= table->n && id_at(table, (size_t)id - 1) == id)
		return entry_at(table, (size_t)id - 1);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (id_at(table, middle) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->n && id_at(table, low) == id ? entry_at(table, low) : NULL;
}

static char *add(struct kh_fold *fold, struct table *table, int64_t id)
{
	if (table->n == table->chunk_count * CHUNK) {
		char **chunks = kh_arena_more(&fold->arena, table->chunks, table->chunk_count, &table->chunk_cap,
					      sizeof(*chunks));
		if (chunks == NULL)
			return NULL;
		table->chunks = chunks;
		char *chunk = kh_alloc_array(fold->alloc, CHUNK, table->stride);
		if (chunk == NULL)
			return NULL;
		table->chunks[table->chunk_count++] = chunk;
	}
	char *entry = entry_at(table, table->n++);
	memcpy(entry + table->row, &id, sizeof(id));
	return entry;
}

const void *kh_fold_row(const struct kh_fold *fold, enum kh_table table, int64_t id)
{
	const char *entry = find(&fold->tables[table], id);

	return entry != NULL ? entry + fold->tables[table].row : NULL;
}

struct kh_fold_sums *kh_fold_sums(struct kh_fold *fold, enum kh_table table, int64_t id)
{
	char *entry = find(&fold->tables[table], id);

	return entry != NULL ? (struct kh_fold_sums *)(void *)(entry + fold->tables[table].sums) : NULL;
}

struct kh_fold_day *kh_fold_day(struct kh_fold *fold, int64_t token)
{
	char *entry = find(&fold->tables[KH_TABLE_TOKENS], token);

	return entry != NULL ? (struct kh_fold_day *)(void *)(entry + fold->tables[KH_TABLE_TOKENS].sums) : NULL;
}

size_t kh_fold_count(const struct kh_fold *fold, enum kh_table table)
{
	return fold->tables[table].n;
}

const void *kh_fold_at(const struct kh_fold *fold, enum kh_table table, size_t n)
{
	return entry_at(&fold->tables[table], n) + fold->tables[table].row;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Of a text, or of the hexadecimal form of a digest.  Empty for an empty text. */
static struct kh_view fingerprint(const struct kh_fold *fold, struct kh_view text)
{
	struct kh_view print = {NULL, 0};

	if (text.n > 0)
		crypto_shorthash_siphashx24((unsigned char *)&print, (const unsigned char *)text.p, text.n, fold->key);
	return print;
}

static struct kh_view digest_print(const struct kh_fold *fold, const struct kh_digest *digest)
{
	char hex[KH_DIGEST_SIZE * 2 + 1];

	sodium_bin2hex(hex, sizeof(hex), digest->bytes, KH_DIGEST_SIZE);
	return fingerprint(fold, kh_view_of(hex, KH_DIGEST_SIZE * 2));
}

bool kh_fold_is_of(const struct kh_fold *fold, struct kh_view sealed, const struct kh_digest *digest)
{
	struct kh_view print = digest_print(fold, digest);

	return memcmp(&print, &sealed, sizeof(print)) == 0;
}

bool kh_fold_is_text(const struct kh_fold *fold, struct kh_view column, struct kh_view text)
{
	struct kh_view print = fingerprint(fold, text);

	return memcmp(&print, &column, sizeof(print)) == 0;
}

static size_t size_of(const struct kh_column *c)
{
	switch (c->kind) {
	case KH_COLUMN_INT:
		return sizeof(int64_t);
	case KH_COLUMN_WORD:
		return sizeof(unsigned);
	case KH_COLUMN_TEXT:
	case KH_COLUMN_SEALED:
		return sizeof(struct kh_view);
	case KH_COLUMN_DIGEST:
		return sizeof(struct kh_digest);
	}
	return 0;
}

static bool is_hex(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!kh_ascii_is_digit(text.p[i]) && !(text.p[i] >= 'a' && text.p[i] <= 'f'))
			return false;
	}
	return text.n == KH_DIGEST_SIZE * 2;
}

/* Reads a column's value from an event, in the form in which the fold keeps it. */
static bool read_value(const struct kh_fold *fold, const struct kh_column *c, yyjson_val *val, char *row)
{
	struct kh_view text = kh_json_str(val), print;
	struct kh_digest digest;
	int64_t number;
	unsigned word;

	if (c->kind == KH_COLUMN_INT) {
		if (!kh_json_int(val, &number))
			return false;
		memcpy(row + c->offset, &number, sizeof(number));
		return true;
	}
	if (text.p == NULL)
		return false;
	if (c->kind == KH_COLUMN_WORD) {
		if (!kh_words_parse(c->words, text, &word))
			return false;
		memcpy(row + c->offset, &word, sizeof(word));
		return true;
	}
	if (c->kind == KH_COLUMN_DIGEST) {
		if (!is_hex(text) ||
		    sodium_hex2bin(digest.bytes, KH_DIGEST_SIZE, text.p, text.n, NULL, NULL, NULL) != 0)
			return false;
		memcpy(row + c->offset, &digest, sizeof(digest));
		return true;
	}
	if (c->kind == KH_COLUMN_SEALED && text.n > 0 && !is_hex(text))
		return false;
	print = fingerprint(fold, text);
	memcpy(row + c->offset, &print, sizeof(print));
	return true;
}

/* Whether a column of the store's row equals the one in the fold. */
static bool is_same(const struct kh_fold *fold, const struct kh_column *c, const char *row, const char *folded)
{
	struct kh_view text, print;

	if (c->kind != KH_COLUMN_TEXT && c->kind != KH_COLUMN_SEALED)
		return memcmp(row + c->offset, folded + c->offset, size_of(c)) == 0;
	memcpy(&text, row + c->offset, sizeof(text));
	if (c->kind == KH_COLUMN_SEALED && text.n > 0) {
		struct kh_digest digest = kh_canonical_digest(text);
		print = digest_print(fold, &digest);
	} else {
		print = fingerprint(fold, text);
	}
	return memcmp(&print, folded + c->offset, sizeof(print)) == 0;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void bad(struct kh_verify *verify, const char *code, const struct kh_audit_entry *entry, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void bad(struct kh_verify *verify, const char *code, const struct kh_audit_entry *entry, const char *fmt, ...)
{
	va_list args;

	if (verify->code != NULL)
		return;
	verify->code = code;
	verify->event = entry != NULL ? entry->id : 0;
	verify->chain = entry != NULL ? entry->chain : 0;
	va_start(args, fmt);
	verify->detail = kh_arena_vprintf(verify->arena, fmt, args);
	va_end(args);
}

static bool find_table(struct kh_view name, enum kh_table *ret_table)
{
	for (enum kh_table t = 0; t < KH_TABLE_COUNT; t++) {
		if (kh_view_eq(kh_view_str(kh_record_of(t)->table), name)) {
			*ret_table = t;
			return true;
		}
	}
	return false;
}

static const struct kh_column *find_column(const struct kh_record *record, struct kh_view name)
{
	for (size_t i = 0; i < record->count; i++) {
		if (kh_view_eq(kh_view_str(record->columns[i].name), name))
			return &record->columns[i];
	}
	return NULL;
}

/* Writes the members of SET into a row; false if one is not a column of it. */
static bool write_columns(const struct kh_fold *fold, enum kh_table t, yyjson_val *set, char *row)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(set);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		const struct kh_column *c = find_column(kh_record_of(t), kh_json_str(key));
		if (c == NULL || c->chain || !read_value(fold, c, yyjson_obj_iter_get_val(key), row))
			return false;
	}
	return true;
}

/* In format 2 each change makes the next revision of its row: 1, 2, ... without a gap.  In format 1 there is none. */
static bool is_next(const struct kh_audit_entry *event, const char *was, const char *row)
{
	int64_t before, now;

	memcpy(&before, was + KH_RECORD_REVISION, sizeof(before));
	memcpy(&now, row + KH_RECORD_REVISION, sizeof(now));
	return now == before + (event->format == KH_AUDIT_FORMAT ? 1 : 0);
}

/*
 * ["tasks",12,{...}]: writes the row, and notes its previous value.  KH_EINPUT if ITEM does not have this form,
 * KH_ECHANGED if it does not name the next revision of the row.
 */
static enum kh_err apply(struct kh_fold *fold, const struct kh_audit_entry *event, yyjson_val *item,
			 struct kh_invariant_change *ret_change)
{
	yyjson_val *set = yyjson_arr_get(item, 2);
	enum kh_table t = KH_TABLE_SYSTEM;
	int64_t id = 0;

	if (yyjson_arr_size(item) != 3 || !find_table(kh_json_str(yyjson_arr_get(item, 0)), &t) ||
	    !kh_json_int(yyjson_arr_get(item, 1), &id) || id < 1 || !yyjson_is_obj(set))
		return KH_EINPUT;
	struct table *table = &fold->tables[t];
	size_t size = kh_record_of(t)->size;
	char *entry = find(table, id), *was = kh_arena_alloc(&fold->scratch, size);
	bool fresh = entry == NULL;
	if (fresh && table->n > 0 && id_at(table, table->n - 1) >= id)
		return KH_EINPUT; /* ids are given out in order, and only once */
	if (fresh)
		entry = add(fold, table, id);
	if (entry == NULL || was == NULL)
		return KH_ENOMEM;
	memcpy(was, entry + table->row, size);
	if (!write_columns(fold, t, set, entry + table->row))
		return KH_EINPUT;
	memcpy(entry, &(struct meta){.event = event->id}, sizeof(struct meta));
	if (!is_next(event, was, entry + table->row))
		return KH_ECHANGED;
	*ret_change = (struct kh_invariant_change){.table = t, .was = was, .row = entry + table->row, .fresh = fresh};
	return KH_OK;
}

static enum kh_err apply_all(struct kh_fold *fold, yyjson_val *set, struct kh_invariant_event *event)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(set);
	struct kh_invariant_change *changes = KH_NEW_N(&fold->scratch, struct kh_invariant_change,
						       yyjson_arr_size(set) + 1);
	enum kh_err e = changes != NULL ? KH_OK : KH_ENOMEM;
	yyjson_val *item;

	while (e == KH_OK && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		e = apply(fold, event->entry, item, &changes[event->count]);
		event->count++;
	}
	event->changes = changes;
	return e;
}

/* The event as JSON.  It must be in canonical form and have the required members. */
static enum kh_err parse(struct kh_fold *fold, const struct kh_audit_entry *entry, yyjson_val **ret_set,
			 enum kh_audit_kind *ret_kind)
{
	yyjson_val *root, *set;
	struct kh_view again;
	unsigned kind;
	enum kh_err e = kh_json_read(&fold->scratch, entry->body, &root, NULL);

	if (e == KH_OK)
		e = kh_canonical_json(&fold->scratch, root, &again, NULL);
	if (e != KH_OK)
		return e == KH_ENOMEM ? e : KH_EINPUT;
	set = kh_json_get(root, "set");
	size_t members = entry->format == KH_AUDIT_FORMAT && entry->seen != NULL ? 10 : 9;
	if (!kh_view_eq(again, entry->body) || !yyjson_is_arr(set) || yyjson_obj_size(root) != members ||
	    !yyjson_is_obj(kh_json_get(root, "what")) || !kh_words_parse(&kh_audit_kind_words, entry->kind, &kind))
		return KH_EINPUT;
	*ret_set = set;
	*ret_kind = kind;
	return KH_OK;
}

enum kh_err kh_fold_take(struct kh_fold *fold, const struct kh_audit_entry *entry, struct kh_verify *verify,
			 struct kh_error *err)
{
	struct kh_invariant_event event = {.entry = entry};
	const struct kh_invariant_change *change = NULL;
	yyjson_val *set = NULL;
	int64_t id = 0;

	(void)err;
	kh_arena_clear(&fold->scratch);
	enum kh_err e = parse(fold, entry, &set, &event.kind);
	if (e == KH_OK)
		e = apply_all(fold, set, &event);
	if (e == KH_EINPUT) {
		bad(verify, "event_malformed", entry, "event %lld is not one that Keyhole writes",
		    (long long)entry->id);
		return KH_OK;
	}
	if (e == KH_ECHANGED) {
		bad(verify, "state_revision", entry,
		    "a change of event %lld is not the one after the last change of its row: one is missing",
		    (long long)entry->id);
		return KH_OK;
	}
	if (e != KH_OK)
		return e;
	const char *broken = kh_invariant_broken(fold, &event, &change);
	if (broken != NULL) {
		memcpy(&id, change->row, sizeof(id));
		bad(verify, "state_rule", entry, "after event %lld row %lld of %s %s", (long long)entry->id,
		    (long long)id, kh_record_of(change->table)->table, broken);
	}
	return KH_OK;
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

static bool compare_row(const void *row, void *arg)
{
	struct kh_fold *fold = arg;
	const struct kh_record *record = kh_record_of(fold->comparing);
	const struct table *table = &fold->tables[fold->comparing];
	struct meta meta;
	int64_t id;

	memcpy(&id, row, sizeof(id));
	char *entry = find(table, id);
	fold->verify->rows++;
	if (entry == NULL) {
		bad(fold->verify, "state_differs", NULL, "row %lld of %s is in no event", (long long)id, record->table);
		return false;
	}
	memcpy(&meta, entry, sizeof(meta));
	meta.seen = 1;
	memcpy(entry, &meta, sizeof(meta));
	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		if (c->chain || is_same(fold, c, row, entry + table->row))
			continue;
		bad(fold->verify, "state_differs", NULL,
		    "column %s of row %lld of %s is not what the events say; event %lld wrote the row last", c->name,
		    (long long)id, record->table, (long long)meta.event);
		return false;
	}
	return true;
}

/* Rows that the events have written but the store does not have. */
static void find_missing(struct kh_fold *fold, enum kh_table t)
{
	const struct table *table = &fold->tables[t];
	struct meta meta;

	for (size_t i = 0; i < table->n; i++) {
		memcpy(&meta, entry_at(table, i), sizeof(meta));
		if (meta.seen)
			continue;
		bad(fold->verify, "state_differs", NULL, "row %lld of %s is missing; event %lld wrote it last",
		    (long long)id_at(table, i), kh_record_of(t)->table, (long long)meta.event);
		return;
	}
}

enum kh_err kh_fold_compare(struct kh_fold *fold, struct kh_txn *txn, struct kh_verify *verify, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	(void)err;
	fold->verify = verify;
	for (enum kh_table t = 0; t < KH_TABLE_COUNT && e == KH_OK && verify->code == NULL; t++) {
		fold->comparing = t;
		e = txn->backend->each(txn, t, compare_row, fold);
		if (e == KH_OK && verify->code == NULL)
			find_missing(fold, t);
	}
	return e;
}
