/*
 * approval.list (struct kh_page; reviewer, admin; a supervisor gets tool calls): the approvals that wait for a decision,
 * or all there ever were.  It has ids, kinds, states, times, pages and the names of those who decided; no content and no
 * text that anybody wrote.
 */
#ifndef KH_ENGINE_APPROVAL_LIST_H
#define KH_ENGINE_APPROVAL_LIST_H

#include "engine/approval/approval.h"

#define KH_APPROVAL_LIST_STEP 200 /* entries in one call */

enum kh_err kh_approval_list_run(struct kh_op *op, void *call);

#endif
