/* Pages of content, read and screened on the caller's thread.  Trusts the content to be valid UTF-8, as it was sealed. */
#include "engine/approval/carried.h"

#include "core/screen/screen.h"
#include "engine/approval/subject.h"

#define MEMORY ((size_t)256 << 20) /* bytes for the content of one block, and what the store needs to read it */

/* --- what a request writes down ----------------------------------------------------------------------------------- */

static struct kh_digest bind(struct kh_op *op, const struct kh_block_row *block)
{
	return kh_canonical_digest(kh_arena_printf(op->arena, "%.*s %.*s", KH_FMT(kh_op_id(op, KH_ID_BLOCK, block->id)),
						   KH_FMT(kh_canonical_hex(op->arena, &block->content_hash))));
}

enum kh_err kh_carried_digest(struct kh_op *op, const int64_t *blocks, size_t count, struct kh_digest *ret_digest)
{
	struct kh_digest *hashes = KH_NEW_N(op->arena, struct kh_digest, count + 1);
	struct kh_block_row block;
	enum kh_err e = hashes != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, blocks[i], &block);
		if (e == KH_OK)
			hashes[i] = bind(op, &block);
	}
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e != KH_OK)
		return e;
	*ret_digest = count > 0 ? kh_canonical_digest(kh_view_of((const char *)hashes, count * sizeof(*hashes)))
				: (struct kh_digest){0};
	return KH_OK;
}

static bool is_among(const int64_t *blocks, size_t count, int64_t block)
{
	size_t i = 0;

	while (i < count && blocks[i] != block)
		i++;
	return i < count;
}

enum kh_err kh_carried_write(struct kh_op *op, const int64_t *blocks, size_t count, struct kh_emit *emit)
{
	struct kh_block_row block;
	enum kh_err e = KH_OK;

	if (count == 0)
		return KH_OK;
	kh_emit_key(emit, "carries");
	kh_emit_array(emit);
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		if (is_among(blocks, i, blocks[i]))
			continue;
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, blocks[i], &block);
		if (e != KH_OK)
			return e;
		kh_emit_object(emit);
		kh_emit_add(emit, "block", kh_op_id(op, KH_ID_BLOCK, block.id));
		kh_emit_add_digest(emit, "hash", &block.content_hash);
		kh_emit_add(emit, "source", block.source);
		kh_emit_add_word(emit, "taint", kh_words_name(&kh_label_taint_words, block.taint));
		kh_emit_end(emit);
	}
	kh_emit_end(emit);
	return e;
}

/* --- reading it, outside of the transaction ----------------------------------------------------------------------- */

struct reading {
	yyjson_val *carries; /* of the subject */
	int64_t n;           /* the page; 0: none */
	struct kh_carried found;
};

/* One block, loaded into memory of its own. */
struct loading {
	struct kh_view id;
	const struct kh_block_row *row;
};

static enum kh_err load(struct kh_op *op, void *call)
{
	struct loading *l = call;
	struct kh_block_row *row = NULL;
	int64_t id = 0;

	if (!kh_op_number(op, KH_ID_BLOCK, l->id, &id))
		return kh_error_set(op->err, KH_ESTORE, "store_corrupt", "an approval names a block that is none");
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, id, &row);
	l->row = row;
	return e;
}

/* I-20: what is shown is what was asked about. */
static enum kh_err check(struct kh_prepare *at, const struct kh_block_row *row, yyjson_val *item)
{
	struct kh_digest digest = kh_canonical_digest(row->content);
	struct kh_view hex = kh_canonical_hex(at->arena, &digest);

	if (hex.p == NULL)
		return KH_ENOMEM;
	if (row->purged_at != 0 || kh_view_eq(hex, kh_json_str(kh_json_get(item, "hash"))))
		return KH_OK;
	return kh_error_set(at->err, KH_ECHANGED, "changed", "the content that it carries is not what was asked about");
}

/* Takes page N of the content of ROW, and screens it. */
static enum kh_err take(struct kh_prepare *at, const struct kh_block_row *row, int64_t n, struct kh_view id,
			struct kh_carried *carried)
{
	struct kh_screen *screen = kh_beforehand_screen(at);
	struct kh_findings findings;

	carried->block = kh_arena_dup(at->arena, id);
	carried->text = kh_arena_dup(at->arena, kh_subject_page(row->content, n, &carried->start));
	carried->size = row->content.n;
	carried->purged = row->purged_at != 0;
	enum kh_err e = screen != NULL ? kh_arena_check(at->arena) : KH_ENOMEM;
	if (e == KH_OK)
		e = kh_screen_text(screen, at->arena, carried->text, KH_SCREEN_REVIEWED, &findings);
	return e == KH_OK ? kh_subject_findings(at->arena, &findings, KH_SEVERITY_MEDIUM, &carried->findings) : e;
}

static enum kh_err read_block(struct kh_prepare *at, struct reading *r, yyjson_val *item, struct kh_arena *own)
{
	struct loading l = {.id = kh_json_str(kh_json_get(item, "block"))};
	enum kh_err e = at->load(at, true, load, &l, own);

	if (e == KH_OK)
		e = check(at, l.row, item);
	if (e != KH_OK)
		return e;
	int64_t before = r->found.pages;
	r->found.pages += kh_subject_pages(l.row->content);
	return r->n > before && r->n <= r->found.pages ? take(at, l.row, r->n - before, l.id, &r->found) : KH_OK;
}

static enum kh_err read_all(struct kh_prepare *at, void *work)
{
	struct reading *r = work;
	yyjson_arr_iter iter;
	yyjson_val *item;
	enum kh_err e = KH_OK;

	yyjson_arr_iter_init(r->carries, &iter);
	while (e == KH_OK && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_arena own;
		kh_arena_init(&own, kh_engine_alloc(at->engine), MEMORY);
		e = read_block(at, r, item, &own);
		kh_arena_done(&own);
	}
	return e;
}

enum kh_err kh_carried_find(struct kh_op *op, const struct kh_approval_row *row, yyjson_val *subject, int64_t n,
			    struct kh_carried *ret_carried)
{
	yyjson_val *carries = kh_json_get(subject, "carries");
	struct kh_view id = kh_op_id(op, KH_ID_APPROVAL, row->id);
	struct kh_view key = kh_arena_printf(op->arena, "%.*s %lld", KH_FMT(id), (long long)n);

	if (yyjson_arr_size(carries) == 0 || op->caller->role == KH_ROLE_SUPERVISOR) {
		*ret_carried = (struct kh_carried){0};
		return KH_OK;
	}
	if (key.p == NULL)
		return KH_ENOMEM;
	const struct reading *done = kh_beforehand_find(op, read_all, key);
	if (done != NULL) {
		*ret_carried = done->found;
		return KH_OK;
	}
	struct reading *r = KH_NEW(op->arena, struct reading);
	if (r == NULL)
		return KH_ENOMEM;
	*r = (struct reading){.carries = carries, .n = n};
	return kh_beforehand_want(op, read_all, key, r);
}
