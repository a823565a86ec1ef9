/* Text of files.  Trusts no byte of them. */
#include "worker/search/text.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "worker/text/html.h"
#include "worker/text/utf16.h"

#define PIECE  65536               /* bytes that are checked to tell text from binary data */
#define TREE   ((size_t)256 << 20) /* bytes of a page's parse tree */
#define TAGS   30000               /* of a page: the parser's time may grow with the square of their number */
#define BROKEN 10 /* if one byte in so many is not UTF-8, it may be text in an older encoding; more is not text */

static bool is_text(struct kh_view bytes)
{
	struct kh_view head = kh_view_sub(bytes, 0, PIECE);
	size_t broken = 0;
	uint32_t c;

	if (memchr(bytes.p, '\0', bytes.n) != NULL)
		return false;
	for (size_t at = 0; at < head.n;) {
		size_t n = kh_utf8_decode(head, at, &c);
		if (n == 0 && head.n - at >= 4) /* nearer to the end the character may just be cut off */
			broken++;
		if (n > 0 && c < 0x20 && !kh_ascii_is_blank((char)c) && c != '\f' && c != 0x1b)
			broken++;
		at += n > 0 ? n : 1;
	}
	return broken <= head.n / BROKEN;
}

struct kh_view kh_search_text_valid(struct kh_arena *arena, struct kh_view text)
{
	struct kh_buf buf;
	struct kh_view valid = {NULL, 0};

	if (text.n == 0 || kh_utf8_invalid(text) == SIZE_MAX)
		return text;
	kh_buf_init(&buf, arena, 3 * text.n);
	kh_buf_repair(&buf, text);
	return kh_buf_end(&buf, &valid) == KH_OK ? valid : (struct kh_view){NULL, 0};
}

/* The first line with a letter or a digit in it, without the markup of a heading. */
static struct kh_view first_line(struct kh_view text)
{
	struct kh_view rest = kh_utf8_cut(text, PIECE), line;

	while (kh_view_split(&rest, '\n', &line)) {
		line = kh_view_trim(line);
		size_t from = 0;
		while (from < line.n && (unsigned char)line.p[from] < 0x80 && !kh_ascii_is_alpha(line.p[from]) &&
		       !kh_ascii_is_digit(line.p[from]))
			from++;
		if (from < line.n)
			return kh_utf8_cut(kh_view_from(line, line.p[0] == '#' ? from : 0), KH_SEARCH_TEXT_TITLE);
	}
	return (struct kh_view){"", 0};
}

static bool is_page(struct kh_view name)
{
	static const struct kh_view endings[] = {KH_LIT_INIT(".html"), KH_LIT_INIT(".htm"), KH_LIT_INIT(".xhtml")};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (name.n > endings[i].n && kh_view_eq_nocase(kh_view_from(name, name.n - endings[i].n), endings[i]))
			return true;
	return false;
}

/* A page with more tags than a person writes is indexed as it is. */
static bool is_plain(struct kh_view page)
{
	size_t tags = 0;

	for (size_t i = 0; i < page.n && tags <= TAGS; i++)
		tags += page.p[i] == '<';
	return tags <= TAGS;
}

/* The text of a page, in the arena; false if its tree is too large. */
static bool read_page(struct kh_arena *arena, const struct kh_parser *gumbo, struct kh_view page,
		      struct kh_view *ret_text)
{
	struct kh_arena tree;
	struct kh_view text;
	struct kh_buf buf;

	kh_arena_init(&tree, arena->alloc, TREE);
	kh_buf_init(&buf, &tree, KH_SEARCH_TEXT_PAGE);
	bool done = kh_html_text(gumbo, &tree, page, &buf) == KH_OK && kh_buf_end(&buf, &text) == KH_OK;
	if (done)
		*ret_text = kh_arena_dup(arena, text);
	kh_arena_done(&tree);
	return done;
}

/* Replaces text in UTF-16 by the same text in UTF-8; leaves everything else as it is. */
static enum kh_err decode(struct kh_arena *arena, struct kh_view *bytes)
{
	size_t mark;
	enum kh_utf16 order = kh_utf16_find(*bytes, &mark);
	struct kh_buf buf;

	if (order == KH_UTF16_NOT)
		return KH_OK;
	kh_buf_init(&buf, arena, 2 * bytes->n); /* two bytes become three at most */
	kh_utf16_add(order, kh_view_from(*bytes, mark), &buf);
	return kh_buf_end(&buf, bytes);
}

enum kh_err kh_search_text_make(struct kh_arena *arena, const struct kh_parser *gumbo, struct kh_view bytes,
				struct kh_view name, struct kh_search_text *ret_text, bool *ret_is_text)
{
	enum kh_err e = decode(arena, &bytes);

	if (e != KH_OK)
		return e;
	*ret_is_text = is_text(bytes);
	if (!*ret_is_text)
		return KH_OK;
	ret_text->body = kh_search_text_valid(arena, bytes);
	if (kh_arena_check(arena) == KH_OK && gumbo != NULL && is_page(name) && is_plain(ret_text->body))
		*ret_is_text = read_page(arena, gumbo, ret_text->body, &ret_text->body);
	if (kh_arena_check(arena) != KH_OK)
		return KH_ENOMEM;
	if (*ret_is_text)
		ret_text->title = first_line(ret_text->body);
	return KH_OK;
}
