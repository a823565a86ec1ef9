/* Finds and joins columns.  The arguments are hostile; the work is linear in their size, and has a bound. */
#include "core/block/columns.h"

#include "base/buf.h"
#include "core/screen/fold.h"

#define FEW    4   /* items: fewer spell nothing that the texts joined as they are would not show */
#define SHORT  32  /* bytes of an item on the average; longer ones show what they say by themselves */
#define ITEM   64  /* bytes of an item that are read */
#define WINDOW 64  /* bytes from one place to the next at which items are put together; less than pieces.c reads */
#define TAIL   512 /* bytes before such a place that are given to pieces.c */

struct finding {
	struct kh_arena *arena;
	struct kh_columns *columns;
};

/* The texts of LIST, or those that its objects have under KEY. */
static void add_column(struct finding *f, struct kh_view path, yyjson_val *list, yyjson_val *key)
{
	struct kh_column_texts column = {.path = path};
	struct kh_view name = kh_json_str(key);
	size_t bytes = 0, i, max;
	yyjson_val *item;

	column.at = KH_NEW_N(f->arena, struct kh_view, yyjson_arr_size(list));
	yyjson_arr_foreach (list, i, max, item) {
		struct kh_view text = kh_json_str(key != NULL ? yyjson_obj_getn(item, name.p, name.n) : item);
		if (text.n == 0 || column.at == NULL)
			continue;
		column.at[column.n++] = kh_view_sub(text, 0, text.n < ITEM ? text.n : ITEM);
		bytes += text.n;
	}
	if (column.n < FEW || bytes > SHORT * column.n)
		return;
	struct kh_columns *columns = f->columns;
	columns->at = kh_arena_more(f->arena, columns->at, columns->n, &columns->cap, sizeof(*columns->at));
	if (columns->at != NULL)
		columns->at[columns->n++] = column;
}

/* JSON is at most 64 deep (base/json.h). */
static void find(struct finding *f, struct kh_view path, yyjson_val *val)
{
	yyjson_val *key, *item;
	size_t i, max;

	if (yyjson_is_obj(val)) {
		yyjson_obj_foreach (val, i, max, key, item) {
			if (yyjson_is_ctn(item))
				find(f, kh_arena_printf(f->arena, "%.*s.%.*s", KH_FMT(path), KH_FMT(kh_json_str(key))),
				     item);
		}
		return;
	}
	if (yyjson_arr_size(val) >= FEW) {
		yyjson_val *first = yyjson_arr_get_first(val);
		add_column(f, path, val, NULL);
		yyjson_obj_foreach (first, i, max, key, item)
			add_column(f, path, val, key);
	}
	yyjson_arr_foreach (val, i, max, item)
		find(f, path, item);
}

enum kh_err kh_columns_find(struct kh_arena *arena, yyjson_val *arguments, struct kh_columns *ret_columns)
{
	struct kh_columns columns = {.at = NULL};
	struct finding f = {arena, &columns};

	find(&f, KH_LIT(""), arguments);
	*ret_columns = columns;
	return kh_arena_check(arena);
}

/* Everything is of this call, so that a match may be anywhere in what was put together. */
static enum kh_err join_here(struct kh_arena *arena, const struct kh_buf *lines, struct kh_view present, size_t of,
			     struct kh_pieces *pieces)
{
	size_t before = pieces->n, from = lines->n > TAIL ? lines->n - TAIL : 0;
	enum kh_err e = kh_pieces_join(arena, kh_view_of(lines->p + from, lines->n - from), present, of, pieces);

	for (size_t i = before; e == KH_OK && i < pieces->n; i++) {
		pieces->at[i].from = 0;
		pieces->at[i].to = pieces->at[i].text.n;
		pieces->at[i].whole = false;
	}
	return e;
}

enum kh_err kh_columns_join(struct kh_arena *arena, const struct kh_column_texts *column, size_t of, size_t *windows,
			    struct kh_pieces *pieces)
{
	struct kh_folded folded = {0};
	struct kh_buf lines;
	size_t since = 0;
	enum kh_err e = KH_OK;

	kh_buf_init(&lines, arena, arena->limit);
	for (size_t i = 0; i < column->n && e == KH_OK && *windows > 0; i++) {
		e = kh_fold_text(arena, column->at[i], false, &folded);
		since += folded.text.n + 1;
		if (e == KH_OK && (since >= WINDOW || i + 1 == column->n)) {
			e = join_here(arena, &lines, folded.text, of, pieces);
			since = 0;
			--*windows;
		}
		kh_buf_add(&lines, folded.text);
		kh_buf_byte(&lines, '\n');
	}
	return e == KH_OK ? kh_arena_check(arena) : e;
}
