/*
 * The taint graph of a set of blocks (K5), with edges from a block to the blocks that it influenced: as JSON, as DOT,
 * and as an SVG picture with a layered layout and the colours of requirements/blocks.md.  Labels hold ids, labels and
 * sources, never content; they are escaped for each format.  The picture is self-contained: no script, no link, nothing
 * to load.
 *
 * All blocks of the set are shown; a reference to a block that is not in it is left out.
 */
#ifndef KH_CORE_BLOCK_GRAPH_H
#define KH_CORE_BLOCK_GRAPH_H

#include "core/block/blocks.h"

#define KH_GRAPH_SVG_MAX 4096 /* blocks in a picture */

enum kh_graph_format {
	KH_GRAPH_JSON, /* {"nodes":[{"id","trust","type","taint","source"?}],"edges":[{"from":"b1","to":"b4"}]} */
	KH_GRAPH_DOT,
	KH_GRAPH_SVG,
};

/*
 * Writes the graph into the arena.  For a picture: `cycle` (KH_EREFUSED) if there is one; `too_large` past
 * KH_GRAPH_SVG_MAX blocks.
 */
enum kh_err kh_graph_write(const struct kh_blocks *set, struct kh_arena *arena, enum kh_graph_format format,
			   struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

#endif
