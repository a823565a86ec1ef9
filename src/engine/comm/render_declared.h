/*
 * The decision of comm.declare on a declaration, as JSON: the same for MCP, REST and the command line.  In answers to
 * calls its id is `declaration`; in records (comm.list, comm.show) it is `id`.
 */
#ifndef KH_ENGINE_COMM_RENDER_DECLARED_H
#define KH_ENGINE_COMM_RENDER_DECLARED_H

#include "engine/comm/declare.h"

/*
 * Appends {"declaration"?, "operation", "ruling", "gate"?, "code"?, "why", "approval"?} to LIST; the caller may add
 * more members.  Texts are borrowed.
 */
yyjson_mut_val *kh_render_declared_add(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct kh_declare_item *item);

#endif
