/* Every operation, and who may call it. */
#include "engine/operations.h"

#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/show.h"
#include "engine/audit/audittrail.h"
#include "engine/comm/call.h"
#include "engine/comm/decide.h"
#include "engine/comm/declare.h"
#include "engine/comm/end.h"
#include "engine/comm/halt.h"
#include "engine/comm/hostcall.h"
#include "engine/comm/list.h"
#include "engine/comm/look.h"
#include "engine/comm/show.h"
#include "engine/comm/standby.h"
#include "engine/comm/weigh.h"
#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/context/guarding.h"
#include "engine/context/output.h"
#include "engine/context/put.h"
#include "engine/context/taskgraph.h"
#include "engine/context/token.h"
#include "engine/context/who.h"
#include "engine/due.h"
#include "engine/query/admit.h"
#include "engine/query/ask.h"
#include "engine/query/held.h"
#include "engine/query/intake.h"
#include "engine/query/look.h"
#include "engine/query/respond.h"
#include "engine/query/tries.h"
#include "engine/recover.h"
#include "engine/task/hosttask.h"
#include "engine/task/reset.h"
#include "engine/task/revoke.h"
#include "engine/task/show.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"
#include "engine/upstream/approve.h"
#include "engine/upstream/elicit.h"
#include "engine/upstream/lease.h"
#include "engine/upstream/list.h"
#include "engine/upstream/review.h"
#include "engine/upstream/tools.h"

#define CONTROLLER KH_ROLE_BIT(KH_ROLE_CONTROLLER)
#define READER     KH_ROLE_BIT(KH_ROLE_READER)
#define SUPERVISOR KH_ROLE_BIT(KH_ROLE_SUPERVISOR)
#define HOST       KH_ROLE_BIT(KH_ROLE_HOST)
#define HOOK       KH_ROLE_BIT(KH_ROLE_HOOK)
#define REVIEWER   KH_ROLE_BIT(KH_ROLE_REVIEWER)
#define ADMIN      KH_ROLE_BIT(KH_ROLE_ADMIN)

static const struct kh_operations_entry operations[] = {
	{"task.open", kh_task_open_run, CONTROLLER, NULL, NULL},
	{"task.close", kh_task_close_run, CONTROLLER | HOST | ADMIN, NULL, NULL},
	{"task.show", kh_task_show_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL, NULL},
	{"task.list", kh_task_list_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL, NULL},
	{"task.graph", kh_taskgraph_run, HOST | REVIEWER | ADMIN, NULL, NULL},
	{"task.execute", kh_transition_run, CONTROLLER, kh_transition_prepare, NULL},
	{"content.put", kh_put_run, CONTROLLER | HOST | ADMIN, kh_put_prepare, NULL},
	{"query.admit", kh_admit_run, CONTROLLER, kh_intake_prepare, kh_intake_finish},
	{"query.look", kh_look_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL, NULL},
	{"query.tries", kh_tries_run, REVIEWER | ADMIN, NULL, NULL},
	{"query.respond", kh_respond_run, READER, kh_respond_prepare, kh_respond_finish},
	{"ask.next", kh_ask_next_run, READER, NULL, kh_ask_finish},
	{"approval.list", kh_approval_list_run, REVIEWER | ADMIN | SUPERVISOR, NULL, NULL},
	{"approval.show", kh_approval_show_run, REVIEWER | ADMIN | SUPERVISOR, NULL, NULL},
	{"approval.decide", kh_approval_decide_run, REVIEWER | ADMIN | SUPERVISOR, NULL, NULL},
	{"system.stop", kh_halt_stop_run, REVIEWER | ADMIN, NULL, NULL},
	{"system.go", kh_halt_go_run, REVIEWER | ADMIN, NULL, NULL},
	{"token.create", kh_token_create_run, HOST | ADMIN, NULL, NULL},
	{"token.revoke", kh_revoke_run, HOST | ADMIN, NULL, NULL},
	{"token.list", kh_token_list_run, HOST | ADMIN, NULL, NULL},
	{"token.who", kh_who_run, CONTROLLER | READER | SUPERVISOR | HOST | HOOK | REVIEWER | ADMIN, NULL, NULL},
	{"context.reset", kh_reset_run, REVIEWER | ADMIN, NULL, NULL},
	{"context.add", kh_context_add_run, HOST | HOOK, kh_context_add_prepare, NULL},
	{"context.output", kh_context_output_run, HOST, kh_context_output_prepare, NULL},
	{"context.guard", kh_guarding_run, HOST, NULL, NULL},
	{"context.assemble", kh_context_assemble_run, HOST, NULL, kh_context_assemble_finish},
	{"context.show", kh_context_show_run, HOST | REVIEWER | ADMIN, NULL, NULL},
	{"audit.read", kh_audittrail_run, REVIEWER | ADMIN, NULL, kh_audittrail_finish},
	{"comm.declare", kh_declare_run, CONTROLLER, kh_declare_prepare, NULL},
	{"comm.weigh", kh_weigh_run, 0, NULL, NULL},
	{"comm.call", kh_comm_call_run, CONTROLLER, kh_comm_call_prepare, NULL},
	{"comm.look", kh_comm_look_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL, NULL},
	{"comm.list", kh_comm_list_run, CONTROLLER | HOST | REVIEWER | ADMIN, NULL, NULL},
	{"host.begin", kh_hosttask_run, HOST | HOOK, NULL, NULL},
	{"host.call", kh_hostcall_run, HOST | HOOK, kh_comm_call_prepare, NULL},
	{"host.look", kh_hostcall_look_run, HOST | HOOK, NULL, NULL},
	{"host.take", kh_hostcall_take_run, HOST | HOOK, NULL, NULL},
	{"host.result", kh_hostcall_result_run, HOST | HOOK, kh_hostcall_result_prepare, NULL},
	{"comm.show", kh_comm_show_run, HOST | REVIEWER | ADMIN, NULL, NULL},
	{"upstream.seen", kh_upstream_seen_run, 0, NULL, NULL},
	{"upstream.lease", kh_lease_take_run, 0, NULL, NULL},
	{"upstream.release", kh_lease_give_run, 0, NULL, NULL},
	{"upstream.wanted", kh_lease_wanted_run, 0, NULL, NULL},
	{"upstream.list", kh_upstream_list_run, REVIEWER | ADMIN, NULL, NULL},
	{"upstream.review", kh_upstream_review_run, REVIEWER | ADMIN, NULL, kh_upstream_review_finish},
	{"upstream.approve", kh_upstream_approve_run, ADMIN, NULL, NULL},
	{"upstream.tools", kh_upstream_tools_run, CONTROLLER | HOST, NULL, kh_upstream_tools_finish},
	{"elicit.ask", kh_elicit_ask_run, 0, kh_elicit_prepare, NULL},
	{"elicit.take", kh_elicit_take_run, 0, NULL, NULL},
	{"comm.end", kh_comm_end_run, 0, kh_comm_end_prepare, NULL},
	{"comm.triaged", kh_comm_decide_triaged, 0, NULL, NULL},
	{"ask.begin", kh_ask_begin_run, 0, NULL, kh_ask_finish},
	{"query.due", kh_due_run, 0, NULL, NULL},
	{"content.purge", kh_put_purge_run, 0, NULL, NULL},
	{"recover", kh_recover_run, 0, NULL, NULL},
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

/* A decision about an approval is not one of them: it is small, and its consequence is checked when it is begun. */
static kh_engine_fn *const begins[] = {
	kh_task_open_run,   kh_transition_run,      kh_put_run,     kh_admit_run,     kh_token_create_run,
	kh_context_add_run, kh_context_output_run,  kh_declare_run, kh_comm_call_run, kh_hosttask_run,
	kh_hostcall_run,    kh_hostcall_result_run,
};

static kh_engine_fn *const reads[] = {kh_look_run, kh_who_run, kh_comm_look_run};

static bool is_in(kh_engine_fn *fn, kh_engine_fn *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i] == fn)
			return true;
	}
	return false;
}

bool kh_operations_begins(kh_engine_fn *fn)
{
	return is_in(fn, begins, sizeof(begins) / sizeof(begins[0]));
}

bool kh_operations_reads(kh_engine_fn *fn)
{
	return is_in(fn, reads, sizeof(reads) / sizeof(reads[0]));
}

static const struct kh_approval_follow *const follows[] = {
	[KH_APPROVE_ESCALATION] = &kh_held_follow,       [KH_APPROVE_SUMMARY] = &kh_held_follow,
	[KH_APPROVE_ANSWER] = &kh_held_follow,           [KH_APPROVE_DECLARATION] = &kh_comm_decide_follow,
	[KH_APPROVE_TOOL_CALL] = &kh_comm_decide_follow, [KH_APPROVE_UPSTREAM] = &kh_standby_follow,
	[KH_APPROVE_ELICITATION] = &kh_elicit_follow,
};

const struct kh_above kh_operations_above = {
	.follows = follows,
	.follow_count = sizeof(follows) / sizeof(follows[0]),
	.fail_task = kh_task_fail,
};
