/*
 * Transactions: the rows that an operation has loaded, and the event that writes what it changed.
 *
 * Only what kh_txn_event() has recorded is written.  The event is written at once.  The rows are written before their
 * tables are searched, and at the latest when the operation ends, so that a row which several events changed is written
 * once.  kh_txn_operate() refuses to keep an operation that changed a row and recorded nothing.  This file trusts the
 * operations to change only what they mean to change; it does not trust them to have recorded it.
 */
#include "store/txn.h"

#include "base/utf8.h"
#include "store/backend.h"

#define EXACT      (INT64_C(1) << 53)
#define BODY_LIMIT (64U << 20)

struct kh_txn_row {
	struct kh_txn_row *next;
	enum kh_table table;
	bool fresh;       /* not in the database yet */
	bool closed;      /* its sealed columns were not read */
	bool recorded;    /* in an event since it was loaded or created */
	uint64_t changed; /* columns that are in the event being written */
	uint64_t dirty;   /* columns that events have recorded and that are not written to the database yet */
	void *row;        /* the struct that the operation changes */
	void *was;        /* as the last event left it */
};

/* A digest that is known before it is needed. */
struct kh_txn_known {
	struct kh_txn_known *next;
	struct kh_view bytes;
	struct kh_digest digest;
};

enum kh_err kh_txn_know(struct kh_txn *txn, struct kh_view bytes, const struct kh_digest *digest)
{
	struct kh_txn_known *known = KH_NEW(txn->arena, struct kh_txn_known);

	if (known == NULL)
		return KH_ENOMEM;
	*known = (struct kh_txn_known){.next = txn->known, .bytes = bytes, .digest = *digest};
	txn->known = known;
	return KH_OK;
}

static struct kh_digest digest_of(const struct kh_txn *txn, struct kh_view bytes)
{
	for (const struct kh_txn_known *known = txn->known; known != NULL; known = known->next) {
		if (known->bytes.p == bytes.p && known->bytes.n == bytes.n)
			return known->digest;
	}
	return kh_canonical_digest(bytes);
}

void kh_txn_use_contents(struct kh_txn *txn, struct kh_content *contents)
{
	txn->contents = contents;
	for (struct kh_content *c = contents; c != NULL; c = c->next)
		c->named = false;
}

void kh_txn_again(struct kh_txn *txn)
{
	txn->again = true;
}

void kh_txn_use_arena(struct kh_txn *txn, struct kh_arena *arena)
{
	txn->arena = arena;
}

static int64_t id_of(const void *row)
{
	int64_t id;

	memcpy(&id, row, sizeof(id));
	return id;
}

static struct kh_txn_row *keep(struct kh_txn *txn, enum kh_table table)
{
	size_t size = kh_record_of(table)->size;
	struct kh_txn_row *r = KH_NEW(txn->arena, struct kh_txn_row);
	void *row = kh_arena_alloc(txn->arena, size), *was = kh_arena_alloc(txn->arena, size);

	if (r == NULL || row == NULL || was == NULL)
		return NULL;
	*r = (struct kh_txn_row){.table = table, .row = row, .was = was};
	return r;
}

static void append(struct kh_txn *txn, struct kh_txn_row *r)
{
	if (txn->last_row != NULL)
		txn->last_row->next = r;
	else
		txn->rows = r;
	txn->last_row = r;
}

static struct kh_txn_row *loaded(const struct kh_txn *txn, enum kh_table table, int64_t id)
{
	struct kh_txn_row *r = txn->rows;

	while (r != NULL && (r->table != table || id_of(r->row) != id))
		r = r->next;
	return r;
}

/* Writes to the database what events have recorded of R. */
static enum kh_err write_row(struct kh_txn *txn, struct kh_txn_row *r)
{
	enum kh_err e = KH_OK;

	if (r->fresh && r->recorded)
		e = txn->backend->insert(txn, r->table, r->was);
	else if (r->dirty != 0)
		e = txn->backend->update(txn, r->table, r->was, r->dirty);
	if (e == KH_OK) {
		r->fresh = r->fresh && !r->recorded;
		r->dirty = 0;
	}
	return e;
}

/*
 * New rows come first, because others may refer to them.  A database that has a reference to a row which is not there yet
 * looks for such references at each row that comes in, through all rows of the tables that can have one.
 */
static enum kh_err write_rows(struct kh_txn *txn)
{
	enum kh_err e = KH_OK;

	for (struct kh_txn_row *r = txn->rows; r != NULL && e == KH_OK; r = r->next)
		e = r->fresh ? write_row(txn, r) : KH_OK;
	for (struct kh_txn_row *r = txn->rows; r != NULL && e == KH_OK; r = r->next)
		e = write_row(txn, r);
	return e;
}

static enum kh_err load_new(struct kh_txn *txn, enum kh_table table, int64_t id, bool closed, void **ret_row)
{
	struct kh_txn_row *r = keep(txn, table);

	if (r == NULL)
		return KH_ENOMEM;
	enum kh_err e = (closed ? txn->backend->peek : txn->backend->get)(txn, table, id, r->row);
	if (e != KH_OK)
		return e;
	memcpy(r->was, r->row, kh_record_of(table)->size);
	r->closed = closed;
	append(txn, r);
	*ret_row = r->row;
	return KH_OK;
}

/* Reads the sealed columns of R that were neither read nor changed yet. */
static enum kh_err open_row(struct kh_txn *txn, struct kh_txn_row *r)
{
	const struct kh_record *record = kh_record_of(r->table);
	char *whole = kh_arena_alloc(txn->arena, record->size);
	enum kh_err e = whole != NULL ? txn->backend->get(txn, r->table, id_of(r->row), whole) : KH_ENOMEM;

	for (size_t i = 0; i < record->count && e == KH_OK; i++) {
		const struct kh_column *c = &record->columns[i];
		if (c->kind != KH_COLUMN_SEALED || r->dirty >> i & 1 || !kh_record_same(c, r->row, r->was))
			continue;
		memcpy((char *)r->row + c->offset, whole + c->offset, sizeof(struct kh_view));
		memcpy((char *)r->was + c->offset, whole + c->offset, sizeof(struct kh_view));
	}
	r->closed = r->closed && e != KH_OK;
	return e;
}

enum kh_err kh_txn_load_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row)
{
	struct kh_txn_row *r = loaded(txn, table, id);

	if (r != NULL) {
		enum kh_err e = r->closed ? open_row(txn, r) : KH_OK;
		*ret_row = r->row;
		return e;
	}
	return load_new(txn, table, id, false, ret_row);
}

enum kh_err kh_txn_load_closed_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row)
{
	const struct kh_txn_row *r = loaded(txn, table, id);

	if (r == NULL)
		return load_new(txn, table, id, true, ret_row);
	*ret_row = r->row;
	return KH_OK;
}

enum kh_err kh_txn_peek_row(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row)
{
	struct kh_txn_row *r = loaded(txn, table, id);
	enum kh_err e = r != NULL ? write_row(txn, r) : KH_OK;

	return e == KH_OK ? txn->backend->peek(txn, table, id, ret_row) : e;
}

enum kh_err kh_txn_new_row(struct kh_txn *txn, enum kh_table table, void **ret_row)
{
	struct kh_txn_row *r = keep(txn, table);
	int64_t id = 0;

	if (r == NULL)
		return KH_ENOMEM;
	enum kh_err e = txn->backend->next_id(txn, table, &id);
	if (e != KH_OK)
		return e;
	memcpy(r->row, &id, sizeof(id));
	memcpy(r->was, &id, sizeof(id));
	r->fresh = true;
	append(txn, r);
	*ret_row = r->row;
	return KH_OK;
}

enum kh_err kh_txn_find(struct kh_txn *txn, enum kh_index index, int64_t key, struct kh_view text, int64_t after,
			size_t limit, int64_t **ret_ids, size_t *ret_count)
{
	int64_t *ids = KH_NEW_N(txn->arena, int64_t, limit);
	size_t count = 0;

	if (ids == NULL)
		return KH_ENOMEM;
	enum kh_err e = write_rows(txn);
	if (e == KH_OK)
		e = txn->backend->find(txn, index, key, text, after, limit, ids, &count);
	if (e == KH_OK) {
		*ret_ids = ids;
		*ret_count = count;
	}
	return e;
}

enum kh_err kh_txn_next_event(struct kh_txn *txn, int64_t *ret_id)
{
	if (txn->event < 0) {
		enum kh_err e = txn->backend->last_event(txn, &txn->event);
		if (e != KH_OK)
			return e;
	}
	*ret_id = txn->event + 1;
	return KH_OK;
}

/* Which columns of R differ from what the last event left: one bit each. */
static uint64_t changed(const struct kh_txn_row *r)
{
	const struct kh_record *record = kh_record_of(r->table);
	uint64_t bits = 0;

	/* A quick check first: every event looks at every loaded row, and most of them have not changed. */
	if (memcmp(r->row, r->was, record->size) == 0)
		return 0;
	for (size_t i = 0; i < record->count; i++) {
		if (!kh_record_same(&record->columns[i], r->row, r->was))
			bits |= UINT64_C(1) << i;
	}
	return bits;
}

_Static_assert(KH_RECORD_COLUMNS <= 64, "a bit for each column");

/* A column's value in the form that the audit uses. */
static enum kh_err emit_column(struct kh_txn *txn, struct kh_emit *emit, const struct kh_column *c, const void *row)
{
	struct kh_error *err = txn->err;
	const char *at = (const char *)row + c->offset;
	struct kh_view text;
	int64_t number;

	switch (c->kind) {
	case KH_COLUMN_INT:
		memcpy(&number, at, sizeof(number));
		if (number > EXACT || number < -EXACT)
			return kh_error_set(err, KH_ESTORE, "out_of_range", "%s does not fit", c->name);
		kh_emit_int(emit, number);
		break;
	case KH_COLUMN_WORD: {
		unsigned word;
		memcpy(&word, at, sizeof(word));
		if (word >= c->words->n || c->words->at[word] == NULL)
			return kh_error_set(err, KH_ESTORE, "out_of_range", "%s is no word of its list", c->name);
		kh_emit_text(emit, kh_view_str(c->words->at[word]));
		break;
	}
	case KH_COLUMN_TEXT:
		memcpy(&text, at, sizeof(text));
		if (kh_utf8_invalid(text) != SIZE_MAX)
			return kh_error_set(err, KH_ESTORE, "out_of_range", "%s is not UTF-8", c->name);
		kh_emit_text(emit, text);
		break;
	case KH_COLUMN_SEALED:
		memcpy(&text, at, sizeof(text));
		if (text.n == 0) {
			kh_emit_text(emit, KH_LIT(""));
		} else {
			struct kh_digest hash = digest_of(txn, text);
			kh_emit_digest(emit, &hash);
		}
		break;
	case KH_COLUMN_DIGEST: {
		struct kh_digest digest;
		memcpy(&digest, at, sizeof(digest));
		kh_emit_digest(emit, &digest);
		break;
	}
	}
	return KH_OK;
}

/* ["tasks",12,{...}] for a row that differs in BITS. */
static enum kh_err emit_row(struct kh_txn *txn, struct kh_emit *emit, const struct kh_txn_row *r, uint64_t bits)
{
	const struct kh_record *record = kh_record_of(r->table);
	enum kh_err e = KH_OK;
	bool any = false;

	kh_emit_array(emit);
	kh_emit_text(emit, kh_view_str(record->table));
	kh_emit_int(emit, id_of(r->row));
	kh_emit_object(emit);
	for (size_t i = 0; i < record->count && e == KH_OK; i++) {
		if (!(bits >> i & 1) || record->columns[i].chain)
			continue;
		if (any)
			kh_buf_byte(emit->buf, ',');
		any = true;
		kh_buf_add(emit->buf, record->columns[i].key); /* columns ascend by name, as members have to */
		e = emit_column(txn, emit, &record->columns[i], r->row);
	}
	kh_emit_end(emit);
	kh_emit_end(emit);
	return e;
}

/* In format 2 a change names the revision that it makes. */
static void count_change(struct kh_txn_row *r)
{
	const struct kh_record *record = kh_record_of(r->table);
	int64_t revision;

	memcpy(&revision, (const char *)r->was + KH_RECORD_REVISION, sizeof(revision));
	revision++;
	memcpy((char *)r->row + KH_RECORD_REVISION, &revision, sizeof(revision));
	for (size_t i = 0; i < record->count; i++) {
		if (record->columns[i].offset == KH_RECORD_REVISION)
			r->changed |= UINT64_C(1) << i;
	}
}

/* The whole event: the head, the differences, and what is in no row. */
static enum kh_err write_body(struct kh_txn *txn, const struct kh_audit *audit, const struct kh_chain *chain,
			      struct kh_audit_entry *entry)
{
	struct kh_buf buf;
	struct kh_emit emit;
	enum kh_err e = KH_OK;

	kh_buf_init(&buf, txn->arena, BODY_LIMIT);
	kh_audit_head(&buf, entry, &chain->head);
	kh_buf_lit(&buf, ",\"set\":");
	kh_emit_init(&emit, &buf);
	kh_emit_array(&emit);
	for (struct kh_txn_row *r = txn->rows; r != NULL && e == KH_OK; r = r->next) {
		r->changed = changed(r);
		if (r->changed == 0 && (!r->fresh || r->recorded))
			continue;
		if (entry->format == KH_AUDIT_FORMAT)
			count_change(r);
		e = emit_row(txn, &emit, r, r->changed);
	}
	kh_emit_end(&emit);
	if (e != KH_OK)
		return e;
	kh_buf_lit(&buf, ",\"what\":");
	kh_buf_add(&buf, audit->what.n > 0 ? audit->what : KH_LIT("{}"));
	kh_buf_byte(&buf, '}');
	e = kh_buf_end(&buf, &entry->body);
	if (e == KH_EREFUSED)
		return kh_error_set(txn->err, KH_ESTORE, "unrecorded", "an event could not be written in order");
	return e;
}

/* Notes that the event has recorded every difference of every row. */
static void note_rows(struct kh_txn *txn)
{
	for (struct kh_txn_row *r = txn->rows; r != NULL; r = r->next) {
		bool has_chain = r->table == KH_TABLE_TASKS || r->table == KH_TABLE_SYSTEM; /* it has moved on */
		uint64_t bits = has_chain ? changed(r) : r->changed;
		r->recorded = true;
		r->dirty |= bits;
		if (bits != 0)
			memcpy(r->was, r->row, kh_record_of(r->table)->size);
	}
}

/* The chain that the event belongs to, and what its head says of the format and of the system's chain. */
static enum kh_err find_chain(struct kh_txn *txn, const struct kh_audit *audit, struct kh_chain **ret_chain,
			      struct kh_audit_entry *entry)
{
	struct kh_system_row *system;
	enum kh_err e = kh_txn_load(txn, KH_TABLE_SYSTEM, 1, &system);

	if (e != KH_OK)
		return e;
	entry->format = system->format == KH_AUDIT_FORMAT ? KH_AUDIT_FORMAT : 1;
	*ret_chain = audit->task != NULL ? &audit->task->chain : &system->chain;
	if (audit->task != NULL && entry->format == KH_AUDIT_FORMAT && audit->task->audit_seen != system->chain.n)
		entry->seen = &system->chain;
	return KH_OK;
}

enum kh_err kh_txn_event(struct kh_txn *txn, struct kh_audit *audit)
{
	struct kh_chain *chain = NULL;
	int64_t id = 0;

	if (txn->reading)
		return kh_error_set(txn->err, KH_ESTORE, "read_only", "this transaction only reads");
	struct kh_audit_entry entry = {
		.chain = audit->task != NULL ? audit->task->id : 0,
		.at = audit->at,
		.by = audit->by,
		.kind = kh_view_str(kh_words_name(&kh_audit_kind_words, audit->kind)),
	};
	enum kh_err e = find_chain(txn, audit, &chain, &entry);
	if (e == KH_OK)
		e = kh_txn_next_event(txn, &id);
	if (e != KH_OK)
		return e;
	entry.id = id;
	entry.n = chain->n + 1;
	entry.prev = chain->last;
	e = write_body(txn, audit, chain, &entry);
	if (e != KH_OK)
		return e;
	entry.hash = kh_canonical_digest(entry.body);
	*chain = (struct kh_chain){.n = entry.n, .last = id, .head = entry.hash};
	if (entry.seen != NULL && audit->task != NULL)
		audit->task->audit_seen = entry.seen->n;
	e = txn->backend->append(txn, &entry);
	if (e != KH_OK)
		return e;
	note_rows(txn);
	txn->event = id;
	txn->events++;
	audit->id = id;
	return KH_OK;
}

static bool is_unrecorded(const struct kh_txn_row *r)
{
	return (r->fresh && !r->recorded) || changed(r) != 0;
}

bool kh_txn_has_changed(const struct kh_txn *txn)
{
	for (const struct kh_txn_row *r = txn->rows; r != NULL; r = r->next) {
		if (is_unrecorded(r))
			return true;
	}
	return false;
}

enum kh_err kh_txn_operate(struct kh_txn *txn, kh_store_fn *fn, void *arg)
{
	int64_t event = txn->event;

	txn->rows = txn->last_row = NULL;
	txn->known = NULL;
	txn->contents = NULL;
	txn->again = false;
	txn->arena = NULL;
	txn->events = 0;
	enum kh_err e = fn(txn, arg);
	if (txn->broken)
		e = txn->broken_by;
	for (const struct kh_txn_row *r = txn->rows; r != NULL && e == KH_OK; r = r->next) {
		if (is_unrecorded(r))
			e = kh_error_set(txn->err, KH_ESTORE, "unrecorded", "a change of %s was not recorded",
					 kh_record_of(r->table)->table);
	}
	if (e == KH_OK)
		e = write_rows(txn);
	if (e != KH_OK) {
		txn->event = event;
		txn->events = 0;
	}
	return e;
}
