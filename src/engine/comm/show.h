/* comm.show: host, reviewer, admin: everything about a declaration, including text from outside (quoted).  JSON. */
#ifndef KH_ENGINE_COMM_SHOW_H
#define KH_ENGINE_COMM_SHOW_H

#include "base/json.h"
#include "engine/state/op.h"

struct kh_comm_show {
	struct kh_view declaration;
	struct kh_view json; /* out */
};
enum kh_err kh_comm_show_run(struct kh_op *op, void *call);

/* Not an operation: a declaration as an object of a list.  A Controller is told only what comm.look would tell it. */
yyjson_mut_val *kh_comm_show_brief(struct kh_op *op, yyjson_mut_doc *doc, const struct kh_declaration_row *row);

#endif
