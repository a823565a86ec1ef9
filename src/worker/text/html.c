/*
 * Converts a tree of libgumbo to text.
 *
 * An attacker decides how deep the tree is, so the walk has a stack of its own, in the arena, and nothing here is
 * recursive.  The library's own destructor is, so it is never called: the tree is freed with the arena.
 */
#include "worker/text/html.h"

#include "worker/text/lines.h"

#include <setjmp.h>

#define LINK_MOST 2048 /* bytes of a link's target that are shown */

enum kind {
	INLINE = 0,
	SKIPPED,
	HEAD, /* only its title is used */
	BLOCK,
	PARAGRAPH, /* with an empty line around it */
	ITEM,
	ROW,
	CELL,
	KEPT, /* blanks and newlines are kept */
	BREAK,
	LINK,
	IMAGE,
};

static const unsigned char kinds[GUMBO_TAG_LAST] = {
	[GUMBO_TAG_SCRIPT] = SKIPPED,
	[GUMBO_TAG_STYLE] = SKIPPED,
	[GUMBO_TAG_TEMPLATE] = SKIPPED,
	[GUMBO_TAG_NOSCRIPT] = SKIPPED,
	[GUMBO_TAG_HEAD] = HEAD,
	[GUMBO_TAG_TITLE] = PARAGRAPH,
	[GUMBO_TAG_P] = PARAGRAPH,
	[GUMBO_TAG_H1] = PARAGRAPH,
	[GUMBO_TAG_H2] = PARAGRAPH,
	[GUMBO_TAG_H3] = PARAGRAPH,
	[GUMBO_TAG_H4] = PARAGRAPH,
	[GUMBO_TAG_H5] = PARAGRAPH,
	[GUMBO_TAG_H6] = PARAGRAPH,
	[GUMBO_TAG_BLOCKQUOTE] = PARAGRAPH,
	[GUMBO_TAG_TABLE] = PARAGRAPH,
	[GUMBO_TAG_UL] = PARAGRAPH,
	[GUMBO_TAG_OL] = PARAGRAPH,
	[GUMBO_TAG_DL] = PARAGRAPH,
	[GUMBO_TAG_ARTICLE] = PARAGRAPH,
	[GUMBO_TAG_SECTION] = PARAGRAPH,
	[GUMBO_TAG_BODY] = PARAGRAPH,
	[GUMBO_TAG_DIV] = BLOCK,
	[GUMBO_TAG_ADDRESS] = BLOCK,
	[GUMBO_TAG_ASIDE] = BLOCK,
	[GUMBO_TAG_CENTER] = BLOCK,
	[GUMBO_TAG_DETAILS] = BLOCK,
	[GUMBO_TAG_DD] = BLOCK,
	[GUMBO_TAG_DT] = BLOCK,
	[GUMBO_TAG_DIR] = BLOCK,
	[GUMBO_TAG_FIELDSET] = BLOCK,
	[GUMBO_TAG_FIGCAPTION] = BLOCK,
	[GUMBO_TAG_FIGURE] = BLOCK,
	[GUMBO_TAG_FOOTER] = BLOCK,
	[GUMBO_TAG_FORM] = BLOCK,
	[GUMBO_TAG_HEADER] = BLOCK,
	[GUMBO_TAG_HGROUP] = BLOCK,
	[GUMBO_TAG_HR] = BLOCK,
	[GUMBO_TAG_LEGEND] = BLOCK,
	[GUMBO_TAG_MAIN] = BLOCK,
	[GUMBO_TAG_MENU] = BLOCK,
	[GUMBO_TAG_NAV] = BLOCK,
	[GUMBO_TAG_OPTION] = BLOCK,
	[GUMBO_TAG_SELECT] = BLOCK,
	[GUMBO_TAG_SUMMARY] = BLOCK,
	[GUMBO_TAG_CAPTION] = BLOCK,
	[GUMBO_TAG_LI] = ITEM,
	[GUMBO_TAG_TR] = ROW,
	[GUMBO_TAG_TD] = CELL,
	[GUMBO_TAG_TH] = CELL,
	[GUMBO_TAG_PRE] = KEPT,
	[GUMBO_TAG_TEXTAREA] = KEPT,
	[GUMBO_TAG_LISTING] = KEPT,
	[GUMBO_TAG_XMP] = KEPT,
	[GUMBO_TAG_BR] = BREAK,
	[GUMBO_TAG_A] = LINK,
	[GUMBO_TAG_IMG] = IMAGE,
};

/* An open element, and its next child. */
struct frame {
	const GumboNode *node;
	unsigned next;
	unsigned cells;   /* for a row: how many have begun */
	size_t out_start; /* for a link: the offset of its text */
};

struct walk {
	const struct kh_parser *gumbo;
	struct kh_arena *arena;
	struct kh_lines lines;
	struct frame *stack;
	size_t depth, room;
	size_t kept; /* how many of the open elements are KEPT */
};

static enum kind kind_of(const GumboNode *node)
{
	if (node->type == GUMBO_NODE_TEMPLATE)
		return SKIPPED;
	if (node->type != GUMBO_NODE_ELEMENT)
		return INLINE;
	return node->v.element.tag < GUMBO_TAG_LAST ? (enum kind)kinds[node->v.element.tag] : INLINE;
}

static const GumboVector *children_of(const GumboNode *node)
{
	return node->type == GUMBO_NODE_DOCUMENT ? &node->v.document.children : &node->v.element.children;
}

static struct kh_view attribute(const struct walk *w, const GumboNode *node, const char *name)
{
	const GumboAttribute *found = w->gumbo->get_attribute(&node->v.element.attributes, name);

	return found != NULL && found->value != NULL ? kh_view_trim(kh_view_str(found->value)) : KH_LIT("");
}

static bool push(struct walk *w, const GumboNode *node)
{
	struct frame *more = kh_arena_more(w->arena, w->stack, w->depth, &w->room, sizeof(*more));

	if (more == NULL)
		return false;
	w->stack = more;
	w->stack[w->depth++] = (struct frame){.node = node};
	return true;
}

/* A cell is preceded by a tab, except for the first of its row. */
static void begin_cell(struct walk *w)
{
	struct frame *row = w->depth > 1 ? &w->stack[w->depth - 2] : NULL;

	if (row != NULL && kind_of(row->node) == ROW && row->cells++ > 0)
		kh_lines_tab(&w->lines);
}

/* Separates a block from the text before and after it. */
static void part(struct walk *w, enum kind kind)
{
	if (kind == PARAGRAPH)
		kh_lines_break(&w->lines, 2);
	else if (kind == BLOCK || kind == ROW || kind == ITEM || kind == KEPT)
		kh_lines_break(&w->lines, 1);
}

/* The element at the top of the stack begins. */
static void begin(struct walk *w)
{
	struct frame *frame = &w->stack[w->depth - 1];

	part(w, kind_of(frame->node));
	switch (kind_of(frame->node)) {
	case BREAK:
		kh_lines_break(&w->lines, 1);
		break;
	case ITEM:
		kh_lines_flow(&w->lines, KH_LIT("- "));
		break;
	case CELL:
		begin_cell(w);
		break;
	case KEPT:
		w->kept++;
		break;
	case IMAGE:
		kh_lines_flow(&w->lines, attribute(w, frame->node, "alt"));
		break;
	case LINK:
		frame->out_start = w->lines.out->n;
		break;
	case PARAGRAPH:
	case BLOCK:
	case ROW:
	case INLINE:
	case SKIPPED:
	case HEAD:
		break;
	}
}

/* Adds the target of a link, unless it equals its text or stays within the page. */
static void end_link(struct walk *w, const struct frame *frame)
{
	struct kh_view target = attribute(w, frame->node, "href"), text = KH_LIT("");
	const struct kh_buf *out = w->lines.out;

	if (out->err == KH_OK && out->n > frame->out_start)
		text = kh_view_trim(kh_view_of(out->p + frame->out_start, out->n - frame->out_start));
	if (target.n == 0 || target.p[0] == '#' || kh_view_eq(text, target))
		return;
	kh_lines_flow(&w->lines, KH_LIT(" ("));
	kh_lines_flow(&w->lines, kh_view_sub(target, 0, LINK_MOST));
	kh_lines_flow(&w->lines, target.n > LINK_MOST ? KH_LIT("...)") : KH_LIT(")"));
}

/* The element at the top of the stack ends. */
static void end(struct walk *w)
{
	const struct frame *frame = &w->stack[w->depth - 1];
	enum kind kind = kind_of(frame->node);

	part(w, kind);
	if (kind == KEPT)
		w->kept--;
	else if (kind == LINK)
		end_link(w, frame);
	w->depth--;
}

static bool is_left_out(const struct walk *w, const GumboNode *node)
{
	bool in_head = kind_of(w->stack[w->depth - 1].node) == HEAD;

	return kind_of(node) == SKIPPED || (in_head && node->v.element.tag != GUMBO_TAG_TITLE);
}

/* One child of the element at the top; false for lack of memory. */
static bool take_child(struct walk *w, const GumboNode *node)
{
	switch (node->type) {
	case GUMBO_NODE_ELEMENT:
		if (is_left_out(w, node))
			return true;
		if (!push(w, node))
			return false;
		begin(w);
		return true;
	case GUMBO_NODE_TEXT:
	case GUMBO_NODE_WHITESPACE:
	case GUMBO_NODE_CDATA:
		if (kind_of(w->stack[w->depth - 1].node) == HEAD)
			return true;
		if (w->kept > 0)
			kh_lines_keep(&w->lines, kh_view_str(node->v.text.text));
		else
			kh_lines_flow(&w->lines, kh_view_str(node->v.text.text));
		return true;
	case GUMBO_NODE_DOCUMENT:
	case GUMBO_NODE_COMMENT:
	case GUMBO_NODE_TEMPLATE:
		return true;
	}
	return true;
}

static bool walk(struct walk *w, const GumboNode *root)
{
	if (!push(w, root))
		return false;
	while (w->depth > 0 && w->lines.out->err == KH_OK) {
		struct frame *frame = &w->stack[w->depth - 1];
		const GumboVector *children = children_of(frame->node);
		if (frame->next == children->length)
			end(w);
		else if (!take_child(w, children->data[frame->next++]))
			return false;
	}
	return true;
}

/* The library does not check whether an allocation failed. */
struct memory {
	struct kh_arena *arena;
	jmp_buf out;
};

static void *allocate(void *ctx, size_t n)
{
	struct memory *memory = ctx;
	void *p = kh_arena_alloc(memory->arena, n);

	if (p == NULL)
		longjmp(memory->out, 1);
	return p;
}

static void release(void *ctx, void *p)
{
	(void)ctx;
	(void)p;
}

enum kh_err kh_html_text(const struct kh_parser *gumbo, struct kh_arena *arena, struct kh_view html, struct kh_buf *out)
{
	struct walk w = {.gumbo = gumbo, .arena = arena};
	struct memory memory = {.arena = arena};
	GumboOptions options = *gumbo->defaults;

	options.allocator = allocate;
	options.deallocator = release;
	options.userdata = &memory;
	options.max_errors = 0; /* they would be a list as long as the page */
	if (setjmp(memory.out) != 0)
		return KH_ENOMEM;
	const GumboOutput *output = gumbo->parse_with_options(&options, html.n > 0 ? html.p : "", html.n);
	kh_lines_init(&w.lines, out);
	return walk(&w, output->document) ? KH_OK : KH_ENOMEM;
}
