/*
 * Writes the taint graph.  Sources are hostile text: in DOT and SVG they go through kh_arena_quote(), which escapes
 * invisible characters and line breaks, and then through the format's own escaping, put_dot() or put_svg(); in JSON
 * they are strings.
 *
 * The picture's layout: a block is one layer below the lowest block that influenced it; in a layer, blocks are in their
 * order in the set.
 */
#include "core/block/graph.h"

#include "base/buf.h"

static const char *colour(enum kh_trust trust)
{
	static const char *const colours[] = {
		[KH_TRUSTED] = "#90EE90", [KH_VETTED] = "#87CEEB", [KH_UNTRUSTED] = "#FFB6C1"};

	return colours[trust];
}

/*
 * Iterates over the edges into block TO: gives the next block that influenced it, from reference *REF on; false at the
 * end.
 */
static bool next_edge(const struct kh_blocks *set, size_t to, size_t *ref, size_t *ret_from)
{
	const struct kh_block *block = set->at[to];

	while (*ref < block->tainted_by_count) {
		*ret_from = kh_blocks_find(set, block->tainted_by[(*ref)++]);
		if (*ret_from != KH_BLOCKS_NONE)
			return true;
	}
	return false;
}

/* ---- JSON ---- */

static enum kh_err write_json(const struct kh_blocks *set, struct kh_arena *arena, struct kh_view *ret_text)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *out = yyjson_mut_obj(doc);
	yyjson_mut_val *nodes = yyjson_mut_obj_add_arr(doc, out, "nodes");
	yyjson_mut_val *edges = yyjson_mut_obj_add_arr(doc, out, "edges");

	for (size_t i = 0; i < set->n; i++) {
		const struct kh_block *block = set->at[i];
		yyjson_mut_val *node = yyjson_mut_arr_add_obj(doc, nodes);
		kh_json_add(doc, node, "id", block->id);
		yyjson_mut_obj_add_str(doc, node, "trust", kh_words_name(&kh_label_trust_words, block->trust));
		yyjson_mut_obj_add_str(doc, node, "type", kh_words_name(&kh_label_type_words, block->type));
		yyjson_mut_obj_add_str(doc, node, "taint", kh_words_name(&kh_label_taint_words, block->taint));
		if (block->source.n > 0)
			kh_json_add(doc, node, "source", block->source);
		for (size_t ref = 0, from; next_edge(set, i, &ref, &from);) {
			yyjson_mut_val *edge = yyjson_mut_arr_add_obj(doc, edges);
			kh_json_add(doc, edge, "from", set->at[from]->id);
			kh_json_add(doc, edge, "to", block->id);
		}
	}
	enum kh_err e = kh_arena_check(arena);
	return e == KH_OK ? kh_json_write(arena, out, ret_text) : e;
}

/* ---- DOT ---- */

/* Writes text inside a DOT string, in which only the quote and the backslash are special. */
static void put_dot(struct kh_buf *out, struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			kh_buf_byte(out, '\\');
		kh_buf_byte(out, text.p[i]);
	}
}

static void put_dot_node(struct kh_buf *out, const struct kh_block *block)
{
	kh_buf_printf(out, "  \"%.*s\" [label=\"%.*s\\n[%s] %s\\ntaint %s", KH_FMT(block->id), KH_FMT(block->id),
		      kh_words_name(&kh_label_trust_words, block->trust),
		      kh_words_name(&kh_label_type_words, block->type),
		      kh_words_name(&kh_label_taint_words, block->taint));
	if (block->source.n > 0) {
		kh_buf_lit(out, "\\n");
		put_dot(out, kh_arena_quote(out->arena, block->source));
	}
	kh_buf_printf(out, "\", fillcolor=\"%s\"];\n", colour(block->trust));
}

static enum kh_err write_dot(const struct kh_blocks *set, struct kh_arena *arena, struct kh_view *ret_text)
{
	struct kh_buf out;

	kh_buf_init(&out, arena, arena->limit);
	kh_buf_lit(&out, "digraph taint {\n  node [shape=box, style=filled, fontname=\"Helvetica\"];\n");
	for (size_t i = 0; i < set->n; i++)
		put_dot_node(&out, set->at[i]);
	for (size_t i = 0; i < set->n; i++) {
		for (size_t ref = 0, from; next_edge(set, i, &ref, &from);)
			kh_buf_printf(&out, "  \"%.*s\" -> \"%.*s\";\n", KH_FMT(set->at[from]->id),
				      KH_FMT(set->at[i]->id));
	}
	kh_buf_lit(&out, "}\n");
	enum kh_err e = kh_buf_end(&out, ret_text);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

/* ---- SVG ---- */

#define BOX_WIDTH   230
#define BOX_HEIGHT  64
#define GAP_ACROSS  30
#define GAP_DOWN    60
#define MARGIN      20
#define LABEL_BYTES 32 /* of an id or a source in a box; the tooltip has all of it */

struct place {
	size_t layer, column;
};

struct layout {
	struct place *places;
	size_t layers, columns;
};

/*
 * Longest paths by Kahn's algorithm: a node is placed after all nodes that influenced it.  READY is a queue with room
 * for all N. A node that is not placed is on a cycle or below one.
 */
static size_t place_nodes(const struct kh_blocks *set, struct place *places, size_t *waiting, size_t *ready,
			  size_t *heads, size_t *nexts, const size_t *targets)
{
	size_t done = 0, count = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (waiting[i] == 0)
			ready[count++] = i;
	}
	for (; done < count; done++) {
		size_t from = ready[done];
		for (size_t edge = heads[from]; edge != 0; edge = nexts[edge]) {
			size_t to = targets[edge];
			if (places[to].layer <= places[from].layer)
				places[to].layer = places[from].layer + 1;
			if (--waiting[to] == 0)
				ready[count++] = to;
		}
	}
	return done;
}

/* The number of edges, plus 1: edge 0 ends a list. */
static size_t count_edges(const struct kh_blocks *set)
{
	size_t n = 1;

	for (size_t i = 0; i < set->n; i++) {
		for (size_t ref = 0, from; next_edge(set, i, &ref, &from);)
			n++;
	}
	return n;
}

static enum kh_err lay_out(const struct kh_blocks *set, struct kh_arena *arena, struct layout *layout,
			   struct kh_error *err)
{
	size_t edge_count = count_edges(set), edge = 0;
	struct place *places = KH_NEW_N(arena, struct place, set->n);
	size_t *waiting = KH_NEW_N(arena, size_t, set->n), *ready = KH_NEW_N(arena, size_t, set->n);
	size_t *heads = KH_NEW_N(arena, size_t, set->n), *widths = KH_NEW_N(arena, size_t, set->n);
	size_t *nexts = KH_NEW_N(arena, size_t, edge_count), *targets = KH_NEW_N(arena, size_t, edge_count);

	if (kh_arena_check(arena) != KH_OK)
		return KH_ENOMEM;
	for (size_t i = 0; i < set->n; i++) {
		for (size_t ref = 0, from; next_edge(set, i, &ref, &from); waiting[i]++) {
			targets[++edge] = i;
			nexts[edge] = heads[from];
			heads[from] = edge;
		}
	}
	if (place_nodes(set, places, waiting, ready, heads, nexts, targets) < set->n) {
		kh_error_set(err, KH_EREFUSED, "cycle", "a block influenced itself");
		return KH_EREFUSED; /* explicit, because the analyser does not know what the line above returns */
	}
	*layout = (struct layout){.places = places};
	for (size_t i = 0; i < set->n; i++) {
		size_t layer = places[i].layer;
		places[i].column = widths[layer]++;
		layout->layers = layer + 1 > layout->layers ? layer + 1 : layout->layers;
		layout->columns = widths[layer] > layout->columns ? widths[layer] : layout->columns;
	}
	return KH_OK;
}

/* Writes text between tags or in an attribute. */
static void put_svg(struct kh_buf *out, struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		const char *name = c == '<' ? "lt" : c == '>' ? "gt" : c == '&' ? "amp" : c == '"' ? "quot" : NULL;
		if (name != NULL)
			kh_buf_printf(out, "&%s;", name);
		else
			kh_buf_byte(out, c);
	}
}

/* The same, at most LABEL_BYTES of it, not cut inside a character. */
static void put_short(struct kh_buf *out, struct kh_view text)
{
	size_t n = text.n;

	if (n > LABEL_BYTES) {
		for (n = LABEL_BYTES; n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80; n--)
			;
	}
	put_svg(out, kh_view_of(text.p, n));
	if (n < text.n)
		kh_buf_lit(out, "...");
}

static void put_line(struct kh_buf *out, size_t x, size_t y, const char *style, struct kh_view text)
{
	kh_buf_printf(out, "<text x=\"%zu\" y=\"%zu\"%s>", x + BOX_WIDTH / 2, y, style);
	put_short(out, text);
	kh_buf_lit(out, "</text>");
}

static size_t left_of(const struct place *place)
{
	return MARGIN + place->column * (BOX_WIDTH + GAP_ACROSS);
}

static size_t top_of(const struct place *place)
{
	return MARGIN + place->layer * (BOX_HEIGHT + GAP_DOWN);
}

static void put_box(struct kh_buf *out, const struct kh_block *block, const struct place *place)
{
	struct kh_view source = block->source.n > 0 ? kh_arena_quote(out->arena, block->source) : KH_LIT("");
	size_t x = left_of(place), y = top_of(place);

	kh_buf_printf(out, "<g><title>%.*s ", KH_FMT(block->id));
	put_svg(out, source);
	kh_buf_printf(
		out,
		"</title><rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"#333\" "
		"stroke-width=\"%d\"/>",
		x, y, BOX_WIDTH, BOX_HEIGHT, colour(block->trust), 1 + (int)block->taint);
	put_line(out, x, y + 18, " font-weight=\"bold\"", block->id);
	put_line(out, x, y + 36, "",
		 kh_arena_printf(out->arena, "[%s] %s, %s", kh_words_name(&kh_label_trust_words, block->trust),
				 kh_words_name(&kh_label_type_words, block->type),
				 kh_words_name(&kh_label_taint_words, block->taint)));
	put_line(out, x, y + 54, " font-size=\"11\"", source);
	kh_buf_lit(out, "</g>\n");
}

static void put_edge(struct kh_buf *out, const struct place *from, const struct place *to)
{
	size_t x1 = left_of(from) + BOX_WIDTH / 2, y1 = top_of(from) + BOX_HEIGHT;
	size_t x2 = left_of(to) + BOX_WIDTH / 2, y2 = top_of(to) - 6;

	kh_buf_printf(out, "<path d=\"M%zu %zuC%zu %zu %zu %zu %zu %zu\"/>\n", x1, y1, x1, y1 + GAP_DOWN / 2, x2,
		      y2 - GAP_DOWN / 2, x2, y2);
}

static enum kh_err write_svg(const struct kh_blocks *set, struct kh_arena *arena, struct kh_view *ret_text,
			     struct kh_error *err)
{
	struct layout layout;
	struct kh_buf out;

	if (set->n > KH_GRAPH_SVG_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_large", "a picture has at most %d blocks", KH_GRAPH_SVG_MAX);
	enum kh_err e = lay_out(set, arena, &layout, err);
	if (e != KH_OK)
		return e;
	size_t width = 2 * MARGIN + layout.columns * (BOX_WIDTH + GAP_ACROSS);
	size_t height = 2 * MARGIN + layout.layers * (BOX_HEIGHT + GAP_DOWN);
	kh_buf_init(&out, arena, arena->limit);
	kh_buf_printf(&out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" width=\"%zu\" height=\"%zu\" "
		      "role=\"img\" font-family=\"Helvetica,sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n"
		      "<title>Taint graph</title>\n"
		      "<defs><marker id=\"taint-arrow\" viewBox=\"0 0 8 8\" refX=\"2\" refY=\"4\" markerWidth=\"7\" "
		      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
		      "<g fill=\"none\" stroke=\"#555\" marker-end=\"url(#taint-arrow)\">\n",
		      width, height, width, height);
	for (size_t i = 0; i < set->n; i++) {
		for (size_t ref = 0, from; next_edge(set, i, &ref, &from);)
			put_edge(&out, &layout.places[from], &layout.places[i]);
	}
	kh_buf_lit(&out, "</g>\n");
	for (size_t i = 0; i < set->n; i++)
		put_box(&out, set->at[i], &layout.places[i]);
	kh_buf_lit(&out, "</svg>\n");
	e = kh_buf_end(&out, ret_text);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

enum kh_err kh_graph_write(const struct kh_blocks *set, struct kh_arena *arena, enum kh_graph_format format,
			   struct kh_view *ret_text, struct kh_error *err)
{
	switch (format) {
	case KH_GRAPH_DOT:
		return write_dot(set, arena, ret_text);
	case KH_GRAPH_SVG:
		return write_svg(set, arena, ret_text, err);
	case KH_GRAPH_JSON:
		break;
	}
	return write_json(set, arena, ret_text);
}
