/* Contexts on the command line: humans look at them and reset them, hosts fill them. */
#include "cli/contexts.h"

#include "cli/frame.h"
#include "cli/table.h"
#include "cli/tasks.h"
#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/task/reset.h"

#define CONTENT_LIMIT (16U << 20)

static int write_id(struct kh_frame *f, const char *key, struct kh_view id)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	if (!f->options.json)
		return kh_frame_json(f, id);
	kh_json_add(doc, obj, key, id);
	return kh_frame_object(f, obj);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static void print_tasks(struct kh_buf *buf, yyjson_val *tasks)
{
	yyjson_val *id;
	size_t i, max;

	yyjson_arr_foreach (tasks, i, max, id) {
		kh_buf_lit(buf, "  keyhole task show ");
		kh_buf_add(buf, kh_table_cell(buf->arena, id, KH_TABLE_TEXT));
		kh_buf_byte(buf, '\n');
	}
}

static int print_context(struct kh_frame *f, yyjson_val *context)
{
	static const struct kh_table_column lines[] = {
		{"context    ", "id", KH_TABLE_TEXT},
		{"token", "token", KH_TABLE_TEXT},
		{"name", "name", KH_TABLE_TEXT},
		{"taint", "taint", KH_TABLE_TEXT},
		{"deliveries", "deliveries", KH_TABLE_TEXT},
		{"exposed to", "exposed_microbits", KH_TABLE_BITS},
		{"blocks", "blocks", KH_TABLE_TEXT},
		{"open tasks", "open_tasks", KH_TABLE_LENGTH},
		{"resets", "resets", KH_TABLE_TEXT},
		{"created", "created_at", KH_TABLE_TIME},
		{"reset", "reset_at", KH_TABLE_TIME},
	};
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_table_object(&buf, context, lines, sizeof(lines) / sizeof(lines[0]));
	kh_buf_lit(&buf, "budget       ");
	kh_buf_add(&buf, kh_tasks_budget(&f->arena, context));
	kh_buf_byte(&buf, '\n');
	print_tasks(&buf, kh_json_get(context, "open_tasks"));
	return kh_frame_text(f, &buf);
}

static int run_show(struct kh_frame *f)
{
	struct kh_context_show call = {.context = kh_view_str(f->words[0])};

	if (kh_engine_call(f->home.engine, f->token, kh_context_show_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return kh_frame_show(f, call.json, print_context);
}

static const struct kh_frame_command show = {
	.name = "context show",
	.usage = "[OPTION...] CONTEXT",
	.about = "Show the taint of a context and its budget over all tasks.  `keyhole token list` has the ids.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_show,
};

int kh_contexts_show_main(int argc, char **argv)
{
	return kh_frame_main(&show, NULL, 0, NULL, argc, argv);
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

static int run_reset(struct kh_frame *f)
{
	struct kh_reset call = {.context = kh_view_str(f->words[0]), .reason = kh_view_str(f->words[1])};

	if (kh_engine_call(f->home.engine, f->token, kh_reset_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? write_id(f, "reset", call.context) : KH_FRAME_DONE;
}

static const struct kh_frame_command reset = {
	.name = "context reset",
	.usage = "[OPTION...] CONTEXT REASON",
	.about = "Record that an agent's memory was cleared.  Its taint is low again, its budget is full again, and "
		 "its\n"
		 "tasks are closed.  Only a reviewer's or an admin's token may do this, and REASON is on the record.\n",
	.least = 2,
	.most = 2,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_reset,
};

int kh_contexts_reset_main(int argc, char **argv)
{
	return kh_frame_main(&reset, NULL, 0, NULL, argc, argv);
}

/* --- add ---------------------------------------------------------------------------------------------------------- */

struct add {
	const char *source;
};

static int run_add(struct kh_frame *f)
{
	const struct add *a = f->args;
	struct kh_context_add call = {.context = kh_view_str(f->words[0])};

	if (!kh_words_parse(&kh_event_words, kh_view_str(f->words[1]), &call.event)) {
		kh_error_set(&f->err, KH_EINPUT, "bad_option",
			     "EVENT is system_prompt, user_message, goal, commitment or supervisor_message");
		return kh_frame_fail(f);
	}
	if (kh_frame_input(f, f->words[2], CONTENT_LIMIT, &call.content) != KH_OK)
		return kh_frame_fail(f);
	call.source = kh_view_str(a->source != NULL ? a->source : "");
	if (kh_engine_call(f->home.engine, f->token, kh_context_add_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return write_id(f, "block", call.id);
}

static const struct kh_frame_command add = {
	.name = "context add",
	.usage = "[OPTION...] CONTEXT EVENT FILE",
	.about = "Put a block into a context that this host keeps.  EVENT says what the block is, and decides how far "
		 "it is\n"
		 "trusted: system_prompt, user_message, goal, commitment or supervisor_message.  FILE is its text; - "
		 "is\n"
		 "standard input.  Content from outside goes into a task instead: `keyhole task add`.\n",
	.least = 3,
	.most = 3,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_HOST,
	.run = run_add,
};

int kh_contexts_add_main(int argc, char **argv)
{
	struct add a = {0};
	const struct kh_option own[] = {{"--source", "TEXT", "where it came from, for people", .text = &a.source}};

	return kh_frame_main(&add, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- assemble ----------------------------------------------------------------------------------------------------- */

struct assemble {
	bool xml;
};

static int run_assemble(struct kh_frame *f)
{
	const struct assemble *a = f->args;
	struct kh_context_assemble call = {.context = kh_view_str(f->words[0]), .xml = a->xml && !f->options.json};

	if (kh_engine_call(f->home.engine, f->token, kh_context_assemble_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return kh_frame_json(f, call.text);
}

static const struct kh_frame_command assemble = {
	.name = "context assemble",
	.usage = "[OPTION...] CONTEXT",
	.about =
		"Write a context's blocks as an agent is to get them, the security policy first: as JSON, or as XML.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_HOST,
	.run = run_assemble,
};

int kh_contexts_assemble_main(int argc, char **argv)
{
	struct assemble a = {0};
	const struct kh_option own[] = {{"--xml", NULL, "XML", .flag = &a.xml}};

	return kh_frame_main(&assemble, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}
