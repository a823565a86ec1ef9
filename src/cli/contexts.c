/* Contexts on the command line: humans look at them and reset them, hosts fill them, and ask before
 * their agents' own tool calls (K11). */
#include "cli/contexts.h"

#include "base/clock.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/tasks.h"
#include "engine/comm/hostcall.h"
#include "engine/comm/render_outcome.h"
#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/deciding.h"
#include "engine/outbox.h"
#include "engine/task/hosttask.h"
#include "engine/task/reset.h"
#include "engine/waiting.h"

#define CONTENT_LIMIT (16U << 20)

/* --- show --------------------------------------------------------------------------------------------------------- */

static void print_context(struct kh_buf *buf, yyjson_val *context)
{
	kh_table_object(buf, context,
			"context    : id; token: token; name: name; taint: taint; deliveries: deliveries;"
			"exposed to: exposed_microbits bits; blocks: blocks; open tasks: open_tasks length;"
			"resets: resets; created: created_at time; reset: reset_at time");
	kh_tasks_budget(buf, context);
	kh_table_commands(buf, kh_json_get(context, "open_tasks"), "task show");
}

int kh_contexts_show(struct kh_frame *f)
{
	struct kh_context_show call = {.context = kh_view_str(f->words[0])};

	return kh_frame_show(f, kh_context_show_run, &call, &call.json, print_context);
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

int kh_contexts_reset(struct kh_frame *f)
{
	struct kh_reset call = {.context = kh_view_str(f->words[0]), .reason = kh_view_str(f->words[1])};

	return KH_FRAME_DO(f, kh_reset_run, &call, {"reset", call.context});
}

/* --- add ---------------------------------------------------------------------------------------------------------- */

int kh_contexts_add(struct kh_frame *f)
{
	const struct kh_contexts_args *a = f->args;
	struct kh_context_add call = {.context = kh_view_str(f->words[0]), .source = a->source, .tool = a->tool};

	if (!kh_words_parse(&kh_event_words, kh_view_str(f->words[1]), &call.event))
		return KH_FRAME_REFUSE(f, "bad_option",
				       "EVENT is system_prompt, user_message, goal, commitment, supervisor_message, "
				       "tool_result, mcp_response, file_read or web_fetch");
	if (kh_frame_input(f, f->words[2], CONTENT_LIMIT, &call.content) != KH_OK)
		return kh_frame_fail(f);
	if (kh_frame_call(f, kh_context_add_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? KH_FRAME_PAIRS(f, {"block", call.id}) : kh_frame_json(f, call.id);
}

/* --- assemble ----------------------------------------------------------------------------------------------------- */

int kh_contexts_assemble(struct kh_frame *f)
{
	const struct kh_contexts_args *a = f->args;
	struct kh_context_assemble call = {.context = kh_view_str(f->words[0]), .xml = a->xml && !f->options.json};

	if (kh_frame_call(f, kh_context_assemble_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return kh_frame_json(f, call.text);
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static enum kh_err make_call(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct kh_contexts_call_args *a = f->args;
	struct kh_hosttask task = {.context = kh_view_str(f->words[0])};
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	yyjson_val *arguments = NULL;

	if (f->count != 3)
		return kh_error_set(&f->err, KH_EINPUT, "missing", "name the tool and its arguments, or use --call");
	enum kh_err e = kh_json_read(&f->arena, kh_view_str(f->words[2]), &arguments, &f->err);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(doc, obj, "tool", f->words[1]);
	yyjson_mut_obj_add_val(doc, obj, "arguments", yyjson_val_mut_copy(doc, arguments));
	if (a->reason.n > 0)
		kh_json_add(doc, obj, "reason", a->reason);
	e = kh_json_freeze(&f->arena, obj, &call->declare, &f->err);
	if (e == KH_OK)
		e = kh_frame_call(f, kh_hosttask_run, &task);
	call->task = task.task;
	return e;
}

static enum kh_err take_up(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct kh_contexts_call_args *a = f->args;
	struct kh_comm_looking looking = {.declaration = a->call, .context = kh_view_str(f->words[0])};

	if (f->count != 1)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--call has its tool and arguments: leave them out");
	call->declaration = a->call;
	return kh_frame_call(f, kh_hostcall_look_run, &looking);
}

/* Decides; models that verify are asked in this process. */
static enum kh_err decide(struct kh_frame *f, struct kh_comm_call *call)
{
	enum kh_err e = kh_deciding_run(f->home.engine, f->token, call, &f->arena, &f->err);

	if (e != KH_OK)
		return e;
	struct kh_entry entry = kh_outbox_of_call(f->token, call);
	e = kh_outbox_run(f->home.engine, &entry, &f->arena, &f->err);
	call->look = entry.call.look;
	return e;
}

/* Waits for whoever decides, up to the time that was given. */
static enum kh_err wait_for(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct kh_contexts_call_args *a = f->args;
	struct kh_waiting waiting = {.until = kh_clock_us() + (int64_t)a->wait_ms * 1000};
	enum kh_err e = decide(f, call);

	while (e == KH_OK) {
		struct kh_comm_looking looking = {.declaration = call->look.id};
		e = kh_frame_call(f, kh_hostcall_look_run, &looking);
		if (e != KH_OK)
			break;
		call->look = looking.look;
		if (call->look.row->state == KH_DECLARATION_RUNNING ||
		    !kh_waiting_call(f->home.engine, &waiting, &call->look))
			break;
		if (call->look.row->state != KH_DECLARATION_DECLARED) {
			kh_waiting_rest(&waiting);
			continue;
		}
		*call = (struct kh_comm_call){.hosts = true, .declaration = call->look.id};
		e = decide(f, call);
	}
	return e;
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

static int write_verdict(struct kh_frame *f, const char *verdict, struct kh_view call, struct kh_view approval)
{
	struct kh_buf buf = kh_frame_buf(f);
	bool is_allowed = strcmp(verdict, "allow") == 0;

	if (f->options.json)
		return kh_frame_outcome(
			KH_FRAME_PAIRS(f, {"verdict", kh_view_str(verdict)}, {"call", call}, {"approval", approval}),
			is_allowed);
	kh_buf_printf(&buf, "%s  %.*s  %.*s\n", verdict, KH_FMT(call), KH_FMT(approval));
	return kh_frame_outcome(kh_frame_text(f, &buf), is_allowed);
}

int kh_contexts_call(struct kh_frame *f)
{
	const struct kh_contexts_call_args *a = f->args;
	struct kh_comm_call call = {.hosts = true};
	struct kh_progress progress;
	enum kh_err e = a->call.n > 0 ? take_up(f, &call) : make_call(f, &call);

	if (e != KH_OK)
		return kh_frame_fail(f);
	kh_progress_start(&progress, "waiting for the verdict");
	e = wait_for(f, &call);
	kh_progress_stop(&progress);
	if (e != KH_OK)
		return kh_frame_fail(f);
	struct kh_view id = kh_arena_dup(&f->arena, call.look.id);
	struct kh_hostcall_take take = {.call = id};
	if (call.look.ended != KH_ENDED_NOT)
		return write_verdict(f, kh_render_outcome_word(&call.look), id, KH_LIT(""));
	if (call.look.row->state != KH_DECLARATION_RUNNING)
		return write_verdict(f, "verify", id, call.look.approval);
	if (kh_frame_call(f, kh_hostcall_take_run, &take) != KH_OK)
		return kh_frame_fail(f);
	return write_verdict(f, "allow", id, KH_LIT(""));
}

/* --- the result --------------------------------------------------------------------------------------------------- */

int kh_contexts_result(struct kh_frame *f)
{
	const struct kh_contexts_call_args *a = f->args;
	struct kh_hostcall_result call = {
		.context = kh_view_str(f->words[0]), .call = kh_view_str(f->words[1]), .failed = a->failed};

	if (kh_frame_input(f, f->words[2], CONTENT_LIMIT, &call.content) != KH_OK)
		return kh_frame_fail(f);
	if (kh_frame_call(f, kh_hostcall_result_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? KH_FRAME_PAIRS(f, {"block", call.block}) : kh_frame_json(f, call.block);
}
