/* Every operation, and who may call it. */
#include "engine/operations.h"

#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/show.h"
#include "engine/audit/audittrail.h"
#include "engine/comm/call.h"
#include "engine/context/context.h"
#include "engine/context/guarding.h"
#include "engine/context/put.h"
#include "engine/context/token.h"
#include "engine/context/who.h"
#include "engine/query/admit.h"
#include "engine/query/ask.h"
#include "engine/query/look.h"
#include "engine/query/respond.h"
#include "engine/query/settle.h"
#include "engine/recover.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"

#define CONTROLLER KH_ROLE_BIT(KH_ROLE_CONTROLLER)
#define READER     KH_ROLE_BIT(KH_ROLE_READER)
#define SUPERVISOR KH_ROLE_BIT(KH_ROLE_SUPERVISOR)
#define HOST       KH_ROLE_BIT(KH_ROLE_HOST)
#define REVIEWER   KH_ROLE_BIT(KH_ROLE_REVIEWER)
#define ADMIN      KH_ROLE_BIT(KH_ROLE_ADMIN)

static const struct kh_operations_entry operations[] = {
	{"task.open", kh_task_open_run, CONTROLLER, NULL},
	{"task.close", kh_task_close_run, CONTROLLER | HOST | ADMIN, NULL},
	{"task.show", kh_task_show_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL},
	{"task.list", kh_task_list_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL},
	{"task.execute", kh_transition_run, CONTROLLER, NULL},
	{"content.put", kh_put_run, CONTROLLER | HOST | ADMIN, NULL},
	{"query.admit", kh_admit_run, CONTROLLER, kh_admit_prepare},
	{"query.look", kh_look_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL},
	{"query.respond", kh_respond_run, READER, NULL},
	{"ask.next", kh_ask_next_run, READER, NULL},
	{"approval.list", kh_approval_list_run, REVIEWER | ADMIN | SUPERVISOR, NULL},
	{"approval.show", kh_approval_show_run, REVIEWER | ADMIN | SUPERVISOR, NULL},
	{"approval.decide", kh_approval_decide_run, REVIEWER | ADMIN | SUPERVISOR, NULL},
	{"token.create", kh_token_create_run, HOST | ADMIN, NULL},
	{"token.revoke", kh_token_revoke_run, HOST | ADMIN, NULL},
	{"token.list", kh_token_list_run, HOST | ADMIN, NULL},
	{"token.who", kh_who_run, CONTROLLER | READER | SUPERVISOR | HOST | REVIEWER | ADMIN, NULL},
	{"context.reset", kh_context_reset_run, REVIEWER | ADMIN, NULL},
	{"context.add", kh_context_add_run, HOST, NULL},
	{"context.output", kh_context_output_run, HOST, NULL},
	{"context.guard", kh_guarding_run, HOST, NULL},
	{"context.assemble", kh_context_assemble_run, HOST, NULL},
	{"context.show", kh_context_show_run, HOST | REVIEWER | ADMIN, NULL},
	{"audit.read", kh_audittrail_run, REVIEWER | ADMIN, NULL},
	{"comm.declare", kh_declare_run, CONTROLLER, NULL},
	{"comm.weigh", kh_weigh_run, CONTROLLER, NULL},
	{"comm.call", kh_act_run, CONTROLLER, NULL},
	{"comm.look", kh_act_look_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL},
	{"comm.list", kh_act_list_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL},
	{"comm.show", kh_act_show_run, HOST | REVIEWER | ADMIN, NULL},
	{"comm.end", kh_act_end_run, 0, NULL},
	{"comm.triaged", kh_act_decide_triaged, 0, NULL},
	{"ask.begin", kh_ask_begin_run, 0, NULL},
	{"query.due", kh_settle_due_run, 0, NULL},
	{"content.purge", kh_put_purge_run, 0, NULL},
	{"recover", kh_recover_run, 0, NULL},
};

const struct kh_operations_entry *kh_operations_all(size_t *ret_count)
{
	*ret_count = sizeof(operations) / sizeof(operations[0]);
	return operations;
}

const struct kh_operations_entry *kh_operations_find(kh_engine_fn *fn)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (operations[i].fn == fn)
			return &operations[i];
	}
	return NULL;
}
