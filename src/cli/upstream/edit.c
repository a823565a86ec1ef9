/* Edits by place: the outline of the file says where the section and its entries begin, their indentation where they end. */
#include "cli/upstream/edit.h"

#include "base/buf.h"
#include "core/policy/outline.h"

#define SECTION "upstreams"

struct section {
	const struct kh_outline *node; /* NULL: there is none */
	struct kh_view text;
};

static enum kh_err find_section(struct kh_arena *arena, struct kh_view text, struct section *ret, struct kh_error *err)
{
	struct kh_outline_source source = {.arena = arena, .file = KH_LIT("keyhole.yaml")};
	const struct kh_outline *root, *child;
	enum kh_err e = kh_outline_read(&source, text, &root, err);

	if (e != KH_OK)
		return e;
	for (child = root->first; child != NULL && !kh_view_eq(child->key, KH_LIT(SECTION)); child = child->next) {
	}
	*ret = (struct section){.node = child, .text = text};
	return KH_OK;
}

static enum kh_err refuse_flow(const struct section *s, struct kh_error *err)
{
	return kh_error_set(err, KH_EREFUSED, "upstream_flow",
			    "keyhole.yaml:%u: " SECTION
			    " is written in brackets, or in a way that this command does not "
			    "change: edit it by hand, or write one entry below the other, each after a dash",
			    s->node->key_line);
}

static size_t line_start(struct kh_view text, size_t at)
{
	while (at > 0 && text.p[at - 1] != '\n')
		at--;
	return at;
}

/* The beginning of the line after AT. */
static size_t line_end(struct kh_view text, size_t at)
{
	size_t end = kh_view_find(text, KH_LIT("\n"), at);

	return end != SIZE_MAX ? end + 1 : text.n;
}

/* Finds the dash of ITEM; false if there is none, or something else before it on its line. */
static bool find_dash(struct kh_view text, const struct kh_outline *item, size_t *ret_at)
{
	size_t at = item->offset;

	while (at > 0 && kh_ascii_is_blank(text.p[at - 1]))
		at--;
	if (at == 0 || text.p[at - 1] != '-')
		return false;
	for (size_t i = line_start(text, --at); i < at; i++) {
		if (text.p[i] != ' ')
			return false;
	}
	*ret_at = at;
	return true;
}

/* ENTRIES, each line moved to the right by INDENT. */
static void put_entries(struct kh_buf *buf, struct kh_view entries, size_t indent)
{
	while (entries.n > 0) {
		size_t end = line_end(entries, 0);
		for (size_t i = 0; i < indent; i++)
			kh_buf_byte(buf, ' ');
		kh_buf_add(buf, kh_view_sub(entries, 0, end));
		entries = kh_view_from(entries, end);
	}
}

static enum kh_err finish(const struct kh_buf *buf, struct kh_view *ret_text, struct kh_error *err)
{
	enum kh_err e = kh_buf_end(buf, ret_text);

	if (e == KH_ENOMEM)
		return kh_error_set(err, e, "out_of_memory", "no memory for keyhole.yaml");
	if (e != KH_OK)
		return kh_error_set(err, e, "policy_invalid", "keyhole.yaml would be longer than %u bytes",
				    KH_OUTLINE_SIZE);
	return KH_OK;
}

/* At the end of the file. */
static void add_section(struct kh_buf *buf, struct kh_view text, struct kh_view entries)
{
	kh_buf_add(buf, text);
	if (text.n > 0 && text.p[text.n - 1] != '\n')
		kh_buf_lit(buf, "\n");
	kh_buf_add(buf, text.n > 0 ? KH_LIT("\n" SECTION ":\n") : KH_LIT(SECTION ":\n"));
	put_entries(buf, entries, 2);
}

/* In place of the brackets of an empty list. */
static bool fill_section(struct kh_buf *buf, const struct section *s, struct kh_view entries)
{
	size_t close = kh_view_find(s->text, KH_LIT("]"), s->node->offset),
	       end = line_end(s->text, s->node->key_offset);

	if (s->text.p[s->node->offset] != '[' || close == SIZE_MAX || close >= end)
		return false;
	kh_buf_add(buf, kh_view_sub(s->text, 0, s->node->offset));
	kh_buf_add(buf, kh_view_sub(s->text, close + 1, end));
	if (s->text.p[end - 1] != '\n')
		kh_buf_lit(buf, "\n");
	put_entries(buf, entries, 2);
	kh_buf_add(buf, kh_view_from(s->text, end));
	return true;
}

enum kh_err kh_edit_add(struct kh_arena *arena, struct kh_view text, struct kh_view entries, struct kh_view *ret_text,
			struct kh_error *err)
{
	struct section s;
	struct kh_buf buf;
	size_t dash = 0;
	enum kh_err e = find_section(arena, text, &s, err);

	if (e != KH_OK)
		return e;
	kh_buf_init(&buf, arena, KH_OUTLINE_SIZE);
	if (s.node == NULL) {
		add_section(&buf, text, entries);
	} else if (s.node->kind == KH_OUTLINE_LIST && s.node->count == 0) {
		if (!fill_section(&buf, &s, entries))
			return refuse_flow(&s, err);
	} else if (s.node->kind == KH_OUTLINE_LIST && find_dash(text, s.node->first, &dash)) {
		size_t at = line_end(text, s.node->key_offset);
		kh_buf_add(&buf, kh_view_sub(text, 0, at));
		put_entries(&buf, entries, dash - line_start(text, dash));
		kh_buf_add(&buf, kh_view_from(text, at));
	} else {
		return refuse_flow(&s, err);
	}
	return finish(&buf, ret_text, err);
}

/*
 * The end of the entry whose dash is at AT: the lines below it that stand further to the right, and blank lines between
 * them.  A comment that stands as far left as the dash belongs to what comes next.
 */
static size_t entry_end(struct kh_view text, size_t at)
{
	size_t indent = at - line_start(text, at), end = line_end(text, at);

	for (size_t line = end; line < text.n; line = line_end(text, line)) {
		size_t i = line;
		while (i < text.n && text.p[i] == ' ')
			i++;
		bool is_blank = i == text.n || text.p[i] == '\n' || text.p[i] == '\r';
		if (!is_blank && i - line <= indent)
			break;
		if (!is_blank)
			end = line_end(text, line);
	}
	return end;
}

static const struct kh_outline *find_entry(const struct section *s, struct kh_view name)
{
	const struct kh_outline *item = s->node != NULL ? s->node->first : NULL, *key;

	for (; item != NULL; item = item->next) {
		for (key = item->first; key != NULL; key = key->next) {
			if (kh_view_eq(key->key, KH_LIT("name")) && kh_view_eq(key->text, name))
				return item;
		}
	}
	return NULL;
}

enum kh_err kh_edit_remove(struct kh_arena *arena, struct kh_view text, struct kh_view name, struct kh_view *ret_text,
			   struct kh_error *err)
{
	struct section s;
	struct kh_buf buf;
	size_t dash;
	enum kh_err e = find_section(arena, text, &s, err);

	if (e != KH_OK)
		return e;
	const struct kh_outline *item = find_entry(&s, name);
	if (item == NULL)
		return kh_error_set(err, KH_EUNKNOWN, "upstream_unknown", "keyhole.yaml has no upstream %.*s",
				    KH_FMT(kh_arena_quote(arena, name)));
	if (!find_dash(text, item, &dash))
		return refuse_flow(&s, err);
	size_t from = line_start(text, dash), end = entry_end(text, dash);
	size_t key = line_start(text, s.node->key_offset), after = line_end(text, s.node->key_offset);
	kh_buf_init(&buf, arena, KH_OUTLINE_SIZE);
	if (s.node->count == 1 && after <= from) {
		kh_buf_add(&buf, kh_view_sub(text, 0, key));
		kh_buf_add(&buf, kh_view_sub(text, after, from));
	} else {
		kh_buf_add(&buf, kh_view_sub(text, 0, from));
	}
	kh_buf_add(&buf, kh_view_from(text, end));
	return finish(&buf, ret_text, err);
}
