/* Contexts on the command line: humans look at them and reset them, hosts fill them. */
#include "cli/contexts.h"

#include "cli/table.h"
#include "cli/tasks.h"
#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/task/reset.h"

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
	struct kh_context_add call = {.context = kh_view_str(f->words[0]), .source = a->source};

	if (!kh_words_parse(&kh_event_words, kh_view_str(f->words[1]), &call.event))
		return KH_FRAME_REFUSE(f, "bad_option",
				       "EVENT is system_prompt, user_message, goal, commitment or supervisor_message");
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
