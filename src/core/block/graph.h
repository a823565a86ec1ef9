/*
 * The taint graph (K5), from influence to what it influenced: as JSON, as DOT, and as an SVG picture with a layered
 * layout and the colours of requirements/blocks.md.  Labels hold ids, labels and sources, never content; they are
 * escaped for each form.  The picture stands alone: no script, no link, nothing to load.
 *
 * Of a set all blocks are shown, or those of a list of indices; a reference to a block that is not shown is left out.
 */
#ifndef KH_CORE_BLOCK_GRAPH_H
#define KH_CORE_BLOCK_GRAPH_H

#include "core/block/blocks.h"

#define KH_GRAPH_SVG_MAX 4096 /* blocks in a picture */

struct kh_graph {
	const struct kh_blocks *set;
	const size_t *at; /* indices of the blocks to show, ascending */
	size_t n;
	size_t *node; /* for each block of the set its place in AT, or KH_BLOCKS_NONE */
};

/* All of SET, or, with AT, the N blocks of it at these ascending indices (a closure's). */
enum kh_err kh_graph_init(struct kh_graph *graph, struct kh_arena *arena, const struct kh_blocks *set, const size_t *at,
			  size_t n) KH_CHECKED;

/* {"nodes":[{"id","trust","type","taint","source"?}],"edges":[{"from":"b1","to":"b4"}]} */
yyjson_mut_val *kh_graph_json(const struct kh_graph *graph, yyjson_mut_doc *doc);

enum kh_err kh_graph_dot(const struct kh_graph *graph, struct kh_arena *arena, struct kh_view *ret_text) KH_CHECKED;

/* `cycle` (KH_EREFUSED) where there is one; `too_large` past KH_GRAPH_SVG_MAX blocks. */
enum kh_err kh_graph_svg(const struct kh_graph *graph, struct kh_arena *arena, struct kh_view *ret_text,
			 struct kh_error *err) KH_CHECKED;

#endif
