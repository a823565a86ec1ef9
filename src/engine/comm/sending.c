/* Rows of what was sent: one for each token and parameter, and one for each token with all of them. */
#include "engine/comm/sending.h"

#define ROWS_MAX 256 /* of a token; parameters after these share the row of all */

static enum kh_err find(struct kh_op *op, int64_t token, struct kh_view name, int64_t *ret_id)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_SENT, token, name, 0, 1, &ids, &count);

	*ret_id = e == KH_OK && count > 0 ? ids[0] : 0;
	return e;
}

/* The row of a parameter; NULL: nothing was sent in it. */
static enum kh_err load(struct kh_op *op, int64_t token, struct kh_view name, struct kh_sent_row **ret_row)
{
	int64_t id = 0;
	enum kh_err e = find(op, token, name, &id);

	*ret_row = NULL;
	return e == KH_OK && id != 0 ? kh_txn_load(op->txn, KH_TABLE_SENT, id, ret_row) : e;
}

static struct kh_sent sent_of(const struct kh_sent_row *row, struct kh_view name)
{
	if (row == NULL)
		return (struct kh_sent){.name = name};
	return (struct kh_sent){
		.name = name,
		.lines = row->lines,
		.last = row->last,
		.moving = row->moving != 0,
		.prefix = (size_t)row->prefix,
		.suffix = (size_t)row->suffix,
		.start = (size_t)row->same_start,
		.end = (size_t)row->same_end,
		.calls = (uint64_t)row->calls,
		.fallen = (uint64_t)row->fallen,
	};
}

enum kh_err kh_sending_load(struct kh_op *op, int64_t token, struct kh_view operation, yyjson_val *parameters,
			    struct kh_sent **ret_sent, size_t *ret_count, int64_t *ret_calls)
{
	struct kh_sent_value *values = NULL;
	struct kh_sent_row *row = NULL;
	size_t count = 0;
	enum kh_err e = kh_sent_split(op->arena, operation, parameters, &values, &count);
	struct kh_sent *sent = e == KH_OK ? KH_NEW_N(op->arena, struct kh_sent, count + 1) : NULL;

	if (sent == NULL)
		return e == KH_OK ? KH_ENOMEM : e;
	for (size_t i = 0; i <= count && e == KH_OK; i++) {
		struct kh_view name = i < count ? values[i].name : KH_LIT("");
		e = load(op, token, name, &row);
		sent[i] = sent_of(row, name);
	}
	*ret_sent = sent;
	*ret_count = count + 1;
	*ret_calls = row != NULL ? row->calls : 0;
	return e;
}

enum kh_err kh_sending_count(struct kh_op *op, int64_t token, int64_t *ret_calls)
{
	struct kh_sent_row row = {0};
	int64_t id = 0;
	enum kh_err e = find(op, token, KH_LIT(""), &id);

	if (e == KH_OK && id != 0)
		e = kh_txn_peek(op->txn, KH_TABLE_SENT, id, &row);
	*ret_calls = row.calls;
	return e;
}

/* --- beginning ---------------------------------------------------------------------------------------------------- */

/* Makes the row of a parameter, if the token may have one more.  NULL: it has no more. */
static enum kh_err make(struct kh_op *op, int64_t token, struct kh_view name, struct kh_sent_row **ret_row)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_SENT_OF_TOKEN, token, KH_LIT(""), 0, ROWS_MAX, &ids, &count);

	*ret_row = NULL;
	if (e != KH_OK || (count == ROWS_MAX && name.n > 0))
		return e;
	e = kh_txn_new(op->txn, KH_TABLE_SENT, ret_row);
	if (e != KH_OK)
		return e;
	(*ret_row)->token = token;
	(*ret_row)->name = name;
	return KH_OK;
}

static enum kh_err add(struct kh_op *op, int64_t token, struct kh_sent *sent, struct kh_sent_row *row,
		       struct kh_view value)
{
	enum kh_err e = row == NULL ? make(op, token, sent->name, &row) : KH_OK;

	if (e != KH_OK || row == NULL)
		return e;
	e = kh_sent_add(op->arena, sent, value);
	if (e != KH_OK)
		return e;
	row->lines = sent->lines;
	row->last = sent->last;
	row->moving = sent->moving;
	row->prefix = (int64_t)sent->prefix;
	row->suffix = (int64_t)sent->suffix;
	row->same_start = (int64_t)sent->start;
	row->same_end = (int64_t)sent->end;
	row->calls = (int64_t)sent->calls;
	row->fallen = (int64_t)sent->fallen;
	row->changed_at = op->now;
	return KH_OK;
}

enum kh_err kh_sending_add(struct kh_op *op, int64_t token, struct kh_view operation, yyjson_val *parameters)
{
	struct kh_sent_value *values = NULL;
	struct kh_view line = {NULL, 0};
	size_t count = 0;
	enum kh_err e = kh_sent_split(op->arena, operation, parameters, &values, &count);
	struct kh_sent *sent = e == KH_OK ? KH_NEW_N(op->arena, struct kh_sent, count + 1) : NULL;
	struct kh_sent_row **rows = e == KH_OK ? KH_NEW_N(op->arena, struct kh_sent_row *, count + 1) : NULL;

	if (sent == NULL || rows == NULL)
		return e == KH_OK ? KH_ENOMEM : e;
	for (size_t i = 0; i <= count && e == KH_OK; i++) {
		struct kh_view name = i < count ? values[i].name : KH_LIT("");
		e = load(op, token, name, &rows[i]);
		sent[i] = sent_of(rows[i], name);
	}
	/* First the line of all, because it is made of what each parameter adds. */
	if (e == KH_OK)
		e = kh_sent_all(op->arena, sent, values, count, &line);
	for (size_t i = 0; i <= count && e == KH_OK; i++)
		e = add(op, token, &sent[i], rows[i], i < count ? values[i].value : line);
	return e;
}
