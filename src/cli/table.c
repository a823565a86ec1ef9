/* Columns and lines.  Widths are counted in characters, which is right for most scripts and harmless for the others. */
#include "cli/table.h"

#include "base/canonical.h"
#include "base/timestamp.h"
#include "base/utf8.h"

#define CELL_LIMIT   (64U << 10)
#define COLUMNS_MOST 24
#define GAP          2

struct kh_view kh_table_bits(struct kh_arena *arena, uint64_t microbits)
{
	uint64_t tenths = microbits / 100000;

	return kh_arena_printf(arena, "%llu.%llu bits", (unsigned long long)(tenths / 10),
			       (unsigned long long)(tenths % 10));
}

yyjson_val *kh_table_member(yyjson_val *object, struct kh_view path)
{
	struct kh_view name;

	while (path.n > 0 && kh_view_split(&path, '.', &name))
		object = yyjson_obj_getn(object, name.p, name.n);
	return object;
}

/* Returns TEXT without characters that begin another line or move to another column. */
static struct kh_view one_line(struct kh_arena *arena, struct kh_view text)
{
	struct kh_buf buf;
	struct kh_view line = {NULL, 0};

	if (text.n == 0)
		return KH_LIT("-");
	kh_buf_init(&buf, arena, CELL_LIMIT);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '\n' || c == '\t' || c == '\r')
			kh_buf_printf(&buf, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
		else
			kh_buf_byte(&buf, c);
	}
	return kh_buf_end(&buf, &line) == KH_OK ? line : KH_LIT("?");
}

static struct kh_view time_text(struct kh_arena *arena, int64_t time)
{
	return time > 0 ? kh_timestamp_text(arena, time - time % 1000000) : KH_LIT("-");
}

/* Returns a time that is text already, without its fraction. */
static struct kh_view whole_seconds(struct kh_arena *arena, struct kh_view text)
{
	int64_t time;

	return kh_timestamp_parse(text, &time) ? time_text(arena, time) : one_line(arena, text);
}

struct kh_view kh_table_cell(struct kh_arena *arena, yyjson_val *value, enum kh_table_kind kind)
{
	int64_t n;

	if (kind == KH_TABLE_LENGTH)
		return kh_arena_printf(arena, "%zu", yyjson_arr_size(value));
	if (yyjson_is_str(value) && kind == KH_TABLE_TIME)
		return whole_seconds(arena, kh_json_str(value));
	if (yyjson_is_str(value))
		return one_line(arena, kh_json_str(value));
	if (yyjson_is_bool(value))
		return yyjson_get_bool(value) ? KH_LIT("yes") : KH_LIT("no");
	if (!kh_json_int(value, &n))
		return KH_LIT("-");
	if (kind == KH_TABLE_TIME)
		return time_text(arena, n);
	return kind == KH_TABLE_BITS ? kh_table_bits(arena, (uint64_t)n) : kh_arena_printf(arena, "%lld", (long long)n);
}

void kh_table_line(struct kh_buf *buf, yyjson_val *value)
{
	struct kh_view json;

	if (yyjson_is_str(value))
		kh_buf_add(buf, kh_json_str(value));
	else if (kh_canonical_json(buf->arena, value, &json, NULL) == KH_OK)
		kh_buf_add(buf, json);
	kh_buf_byte(buf, '\n');
}

static void pad(struct kh_buf *buf, size_t have, size_t want)
{
	for (; have < want; have++)
		kh_buf_byte(buf, ' ');
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

struct column {
	struct kh_view label, member;
	enum kh_table_kind kind;
	size_t width;
};

struct columns {
	struct column at[COLUMNS_MOST];
	size_t n;
};

static enum kh_table_kind kind_of(struct kh_view word)
{
	if (kh_view_eq(word, KH_LIT("time")))
		return KH_TABLE_TIME;
	if (kh_view_eq(word, KH_LIT("bits")))
		return KH_TABLE_BITS;
	return kh_view_eq(word, KH_LIT("length")) ? KH_TABLE_LENGTH : KH_TABLE_TEXT;
}

static struct columns read_columns(const char *text)
{
	struct kh_view rest = kh_view_str(text), one;
	struct columns all = {.n = 0};

	while (rest.n > 0 && all.n < COLUMNS_MOST && kh_view_split(&rest, ';', &one)) {
		struct column *c = &all.at[all.n++];
		kh_view_split(&one, ':', &c->label);
		while (kh_view_starts(c->label, KH_LIT(" ")))
			c->label = kh_view_from(c->label, 1);
		one = kh_view_trim(one);
		kh_view_split(&one, ' ', &c->member);
		c->kind = kind_of(one);
		c->width = c->label.n;
	}
	return all;
}

bool kh_table_has(const char *columns, struct kh_view member)
{
	struct columns all = read_columns(columns);

	for (size_t i = 0; i < all.n; i++)
		if (kh_view_eq(all.at[i].member, member))
			return true;
	return false;
}

static struct kh_view cell_of(struct kh_arena *arena, yyjson_val *row, const struct column *c)
{
	return kh_table_cell(arena, kh_table_member(row, c->member), c->kind);
}

/* Makes the columns as wide as their widest cell. */
static void measure(struct kh_arena *arena, yyjson_val *list, struct columns *all)
{
	size_t i, max;
	yyjson_val *row;

	yyjson_arr_foreach (list, i, max, row) {
		for (size_t c = 0; c < all->n; c++) {
			size_t n = kh_utf8_length(cell_of(arena, row, &all->at[c]));
			if (n > all->at[c].width)
				all->at[c].width = n;
		}
	}
}

/* Writes ROW, or the heading if it is NULL. */
static void write_row(struct kh_buf *buf, const struct columns *all, yyjson_val *row)
{
	for (size_t c = 0; c < all->n; c++) {
		struct kh_view cell = row != NULL ? cell_of(buf->arena, row, &all->at[c]) : all->at[c].label;
		kh_buf_add(buf, cell);
		if (c + 1 < all->n)
			pad(buf, kh_utf8_length(cell), all->at[c].width + GAP);
	}
	kh_buf_byte(buf, '\n');
}

void kh_table_list(struct kh_buf *buf, yyjson_val *list, const char *columns, const char *nothing)
{
	struct columns all = read_columns(columns);
	size_t i, max;
	yyjson_val *row;

	if (yyjson_arr_size(list) == 0) {
		kh_buf_printf(buf, "%s\n", nothing);
		return;
	}
	measure(buf->arena, list, &all);
	write_row(buf, &all, NULL);
	yyjson_arr_foreach (list, i, max, row)
		write_row(buf, &all, row);
}

void kh_table_commands(struct kh_buf *buf, yyjson_val *ids, const char *command)
{
	yyjson_val *id;
	size_t i, max;

	yyjson_arr_foreach (ids, i, max, id) {
		struct kh_view cell = kh_table_cell(buf->arena, id, KH_TABLE_TEXT);
		kh_buf_printf(buf, "  keyhole %s %.*s\n", command, KH_FMT(cell));
	}
}

void kh_table_decide(struct kh_buf *buf, struct kh_view approval)
{
	kh_buf_printf(buf,
		      "A human decides:\n"
		      "  keyhole approvals show %.*s\n"
		      "  keyhole approvals approve %.*s\n"
		      "then:\n",
		      KH_FMT(approval), KH_FMT(approval));
}

void kh_table_object(struct kh_buf *buf, yyjson_val *object, const char *columns)
{
	struct columns all = read_columns(columns);
	size_t width = 0;

	for (size_t c = 0; c < all.n; c++)
		width = all.at[c].width > width ? all.at[c].width : width;
	for (size_t c = 0; c < all.n; c++) {
		yyjson_val *value = kh_table_member(object, all.at[c].member);
		if (value == NULL || yyjson_is_null(value))
			continue;
		kh_buf_add(buf, all.at[c].label);
		pad(buf, all.at[c].label.n, width + GAP);
		kh_buf_add(buf, kh_table_cell(buf->arena, value, all.at[c].kind));
		kh_buf_byte(buf, '\n');
	}
}
