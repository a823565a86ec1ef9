/* External operations on the command line.  The output is what a Controller may know (E12): its own parameters, how
 * the operation ended, and a block; or, if the policy allows it, the content inside its fence. */
#include "cli/comms.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/comm/operations.h"
#include "engine/comm/call.h"
#include "engine/comm/look.h"
#include "engine/comm/render_outcome.h"
#include "engine/deciding.h"
#include "engine/engine.h"
#include "engine/outbox.h"
#include "engine/waiting.h"

#include <unistd.h>

#define WAIT_DEFAULT 60000

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int write_json(struct kh_frame *f, const struct kh_comm_look *look)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = kh_render_outcome_new(doc, look);

	kh_json_add_raw(doc, obj, "fenced", look->fenced);
	return kh_frame_object(f, obj);
}

static void print_parameters(struct kh_frame *f, struct kh_buf *buf, const struct kh_comm_look *look)
{
	yyjson_val *parameters, *name, *value;
	size_t i, max;

	if (kh_json_read(&f->arena, look->parameters, &parameters, &f->err) != KH_OK)
		return;
	yyjson_obj_foreach (parameters, i, max, name, value) {
		struct kh_view json = kh_table_cell(buf->arena, value, KH_TABLE_TEXT);
		if (yyjson_is_ctn(value) &&
		    kh_json_write(buf->arena, yyjson_val_mut_copy(kh_json_new(buf->arena), value), &json) != KH_OK)
			json = KH_LIT("...");
		kh_buf_printf(buf, "  %-10.*s  %.*s\n", KH_FMT(kh_json_str(name)), KH_FMT(json));
	}
	if (look->modified)
		kh_buf_lit(buf, "A reviewer changed the parameters: these were used.\n");
}

static void print_fenced(struct kh_frame *f, struct kh_buf *buf, const struct kh_comm_look *look)
{
	yyjson_val *fence;

	if (look->fenced.n == 0 || kh_json_read(&f->arena, look->fenced, &fence, &f->err) != KH_OK)
		return;
	kh_buf_lit(buf,
		   "---- UNTRUSTED EXTERNAL CONTENT, in its fence; the context's taint is high from now on ----\n");
	kh_terminal_frame(buf, kh_tainted_wrap(kh_json_str(kh_json_get(fence, "rendered"))),
			  kh_terminal_columns(STDOUT_FILENO));
	kh_buf_lit(buf, "---- END OF UNTRUSTED EXTERNAL CONTENT ----\n");
}

/* What a rule vets is still a server's text: it is framed, so that it cannot pass for ours. */
static void print_vetted(struct kh_buf *buf, const struct kh_comm_look *look)
{
	if (look->content.p == NULL)
		return;
	kh_buf_lit(buf, "---- CONTENT THAT THE POLICY VETS ----\n");
	kh_terminal_frame(buf, kh_tainted_wrap(look->content), kh_terminal_columns(STDOUT_FILENO));
	kh_buf_lit(buf, "---- END OF CONTENT THAT THE POLICY VETS ----\n");
}

static void print_again(struct kh_buf *buf, const struct kh_comm_look *look)
{
	struct kh_view name = kh_operation_short(look->operation);

	kh_buf_printf(buf, "  keyhole comm %.*s --declaration %.*s\n", KH_FMT(name), KH_FMT(look->id));
}

static void print_next(struct kh_buf *buf, const struct kh_comm_look *look)
{
	switch (look->ended) {
	case KH_ENDED_NOT:
		if (look->approval.n > 0)
			kh_table_decide(buf, look->approval);
		print_again(buf, look);
		break;
	case KH_ENDED_OK:
		kh_buf_printf(buf,
			      "Sealed as block %.*s of task %.*s, %s, taint %s: `keyhole query` asks about "
			      "it.\n",
			      KH_FMT(look->block), KH_FMT(look->task),
			      kh_words_name(&kh_label_trust_words, look->trust),
			      kh_words_name(&kh_label_taint_words, look->taint));
		break;
	case KH_ENDED_FAILED:
	case KH_ENDED_UNKNOWN:
		if (look->block.n > 0)
			kh_buf_printf(buf, "What came back is sealed as block %.*s of task %.*s.\n",
				      KH_FMT(look->block), KH_FMT(look->task));
		kh_buf_printf(buf, "%sWhat is known of it, for humans: keyhole comm show %.*s\n",
			      look->ended == KH_ENDED_UNKNOWN
				      ? "It began and was cut off: whether it took effect is not known.\n"
				      : "",
			      KH_FMT(look->id));
		break;
	case KH_ENDED_DENIED:
	case KH_ENDED_REJECTED:
	case KH_ENDED_EXPIRED:
		break;
	}
}

static int write_look(struct kh_frame *f, const struct kh_comm_look *look)
{
	struct kh_buf buf = kh_frame_buf(f);

	if (f->options.json)
		return kh_frame_outcome(write_json(f, look), look->ended == KH_ENDED_OK);
	kh_buf_printf(&buf, "%s  %.*s  %.*s\n", kh_render_outcome_word(look), KH_FMT(look->id),
		      KH_FMT(look->operation));
	print_parameters(f, &buf, look);
	print_fenced(f, &buf, look);
	print_vetted(&buf, look);
	print_next(&buf, look);
	return kh_frame_outcome(kh_frame_text(f, &buf), look->ended == KH_ENDED_OK);
}

/* --- the declaration ---------------------------------------------------------------------------------------------- */

static enum kh_err bad(struct kh_frame *f, const char *code, const char *what)
{
	return kh_error_set(&f->err, KH_EINPUT, code, "%s", what);
}

static int count_words(const struct kh_operation *operation)
{
	int n = 0;

	for (size_t i = 0; i < operation->parameter_count; i++)
		n += operation->parameters[i].required;
	return n;
}

/* Adds a list: JSON if its option was given, else the words from FROM on, as texts. */
static enum kh_err add_list(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *name,
			    const char *json, int from)
{
	yyjson_val *values = NULL;
	yyjson_mut_val *list;

	if (json == NULL && f->count > from) {
		list = yyjson_mut_obj_add_arr(doc, obj, name);
		for (int i = from; i < f->count; i++)
			yyjson_mut_arr_add_str(doc, list, f->words[i]);
	}
	if (json == NULL)
		return KH_OK;
	if (f->count > from)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--%s and words for it are one too many", name);
	enum kh_err e = kh_json_read(&f->arena, kh_view_str(json), &values, &f->err);
	if (e == KH_OK)
		yyjson_mut_obj_add_val(doc, obj, name, yyjson_val_mut_copy(doc, values));
	return e;
}

/* Adds the words and options of the command as parameters of its operation. */
static enum kh_err add_parameters(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	const struct kh_comms_args *a = f->args;
	const struct kh_operation *operation = f->with;
	int word = 0, words = count_words(operation);
	enum kh_err e = KH_OK;

	if (f->count < words)
		return bad(f, "missing", "say what, as --help has it, or name an earlier one with --declaration");
	for (size_t i = 0; e == KH_OK && i < operation->parameter_count; i++) {
		const struct kh_parameter_spec *spec = &operation->parameters[i];
		if (spec->required)
			yyjson_mut_obj_add_str(doc, obj, spec->name, f->words[word++]);
		else if (kh_operation_is_list(spec))
			e = add_list(f, doc, obj, spec->name, a->texts[i], words);
		else if (a->texts[i] != NULL)
			yyjson_mut_obj_add_str(doc, obj, spec->name, a->texts[i]);
		else if (a->numbers[i] > 0)
			yyjson_mut_obj_add_uint(doc, obj, spec->name, a->numbers[i]);
	}
	return e;
}

static enum kh_err make_declaration(struct kh_frame *f, yyjson_val **ret_declaration)
{
	const struct kh_comms_args *a = f->args;
	const struct kh_operation *operation = f->with;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	if (a->reason == NULL)
		return bad(f, "missing", "say why with --reason, or name an earlier one with --declaration");
	yyjson_mut_obj_add_str(doc, obj, "operation", operation->name);
	yyjson_mut_obj_add_str(doc, obj, "reason", a->reason);
	enum kh_err e = add_parameters(f, doc, obj);
	return e == KH_OK ? kh_json_freeze(&f->arena, obj, ret_declaration, &f->err) : e;
}

/* Takes up an earlier declaration: it has its own parameters, and must be called by the command of its operation. */
static enum kh_err take_up(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct kh_comms_args *a = f->args;
	const struct kh_operation *operation = f->with;
	struct kh_comm_looking looking = {.declaration = a->declaration};

	bool given = f->count > 0 || a->reason != NULL;

	for (size_t i = 0; i < KH_OPERATION_PARAMETERS_MAX; i++)
		given = given || a->texts[i] != NULL || a->numbers[i] > 0;
	if (given)
		return bad(f, "bad_option", "a declaration has its parameters and its reason: leave them out");
	enum kh_err e = kh_frame_call(f, kh_comm_look_run, &looking);
	if (e == KH_OK && !kh_view_eq(looking.look.operation, kh_view_str(operation->name)))
		e = kh_error_set(&f->err, KH_EINPUT, "operation_differs",
				 "the declaration is for %.*s: use that command", KH_FMT(looking.look.operation));
	if (e == KH_OK && a->task.p != NULL && !kh_view_eq(looking.look.task, a->task))
		e = kh_error_set(&f->err, KH_EUNKNOWN, "unknown_declaration", "the task has no such declaration");
	call->declaration = looking.declaration;
	return e;
}

/* --- calling ------------------------------------------------------------------------------------------------------ */

/* Decides, and carries out what may run, in this process. */
static enum kh_err decide(struct kh_frame *f, struct kh_comm_call *call, struct kh_waiting *waiting)
{
	enum kh_err e = kh_deciding_run(f->home.engine, f->token, call, &f->arena, &f->err);

	if (e != KH_OK)
		return e;
	struct kh_entry entry = kh_outbox_of_call(f->token, call);
	e = kh_outbox_run(f->home.engine, &entry, &f->arena, &f->err);
	waiting->here = entry.call.next == KH_CALL_RUNS;
	call->look = entry.call.look;
	return e;
}

/* Waits until it has ended or the time is up; an operation that a human has approved goes on. */
static enum kh_err wait_for(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct kh_comms_args *a = f->args;
	int64_t ms = a->wait_ms < INT32_MAX ? (int64_t)a->wait_ms : WAIT_DEFAULT;
	struct kh_waiting waiting = {.until = kh_clock_us() + ms * 1000};
	enum kh_err e = decide(f, call, &waiting);

	while (e == KH_OK) {
		struct kh_comm_looking looking = {.declaration = call->look.id};
		e = kh_frame_call(f, kh_comm_look_run, &looking);
		if (e != KH_OK)
			break;
		call->look = looking.look;
		if (!kh_waiting_call(f->home.engine, &waiting, &call->look))
			break;
		if (call->look.row->state != KH_DECLARATION_DECLARED) {
			kh_waiting_rest(&waiting);
			continue;
		}
		*call = (struct kh_comm_call){.declaration = call->look.id, .fenced = a->fenced};
		e = decide(f, call, &waiting);
	}
	return e;
}

int kh_comms_run(struct kh_frame *f)
{
	const struct kh_comms_args *a = f->args;
	struct kh_comm_call call = {.task = a->task, .fenced = a->fenced};
	struct kh_progress progress;
	enum kh_err e = a->declaration.p != NULL ? take_up(f, &call) : make_declaration(f, &call.declare);

	if (e != KH_OK)
		return kh_frame_fail(f);
	kh_progress_start(&progress, "waiting for the operation");
	e = wait_for(f, &call);
	kh_progress_stop(&progress);
	return e == KH_OK ? write_look(f, &call.look) : kh_frame_fail(f);
}

/* --- the commands ------------------------------------------------------------------------------------------------- */

#define LATER                                                                                                        \
	"What comes back is sealed into the task, and the block's id is written.  If a human has to decide first,\n" \
	"call again with --declaration afterwards.\n"

#define OPTIONS 8     /* that all operations have, at most */
#define TEXT    16384 /* bytes of a command's help */

/* A command that is made from an operation's row. */
struct made {
	struct kh_arena arena;
	struct kh_option options[OPTIONS + KH_OPERATION_PARAMETERS_MAX];
	struct kh_buf usage, about;
	struct kh_frame_command command;
};

static const char *in_capitals(struct kh_arena *arena, const char *name)
{
	size_t n = strlen(name);
	char *made = kh_arena_alloc(arena, n + 1);

	for (size_t i = 0; made != NULL && i <= n; i++)
		made[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
	return made;
}

static void add_option(struct made *made, const struct kh_parameter_spec *spec, size_t i, const char *name)
{
	bool is_list = kh_operation_is_list(spec), is_number = spec->kind == KH_PARAMETER_LIMIT;
	size_t texts = offsetof(struct kh_comms_args, texts) + i * sizeof(const char *);
	size_t numbers = offsetof(struct kh_comms_args, numbers) + i * sizeof(uint64_t);

	made->options[made->command.option_count++] = (struct kh_option){
		.name = kh_arena_printf(&made->arena, "--%s", spec->name).p,
		.value = is_list     ? "JSON"
			 : is_number ? "N"
				     : name,
		.about = spec->about,
		.type = is_number ? KH_OPTION_IS_NUMBER : KH_OPTION_IS_TEXT,
		.at = is_number ? numbers : texts,
	};
}

static void add_parameter(struct made *made, const struct kh_parameter_spec *spec, size_t i)
{
	bool is_list = kh_operation_is_list(spec);
	const char *name = in_capitals(&made->arena, spec->name);

	if (spec->required || is_list) {
		kh_buf_printf(&made->usage, is_list ? "%s[%s...]" : "%s%s", made->command.most > 0 ? " " : "", name);
		kh_buf_printf(&made->about, "  %-10s %s\n", name, spec->about);
	}
	made->command.most += is_list ? (int)spec->max : spec->required;
	if (kh_operation_is_option(spec))
		add_option(made, spec, i, name);
}

/* Puts the texts of OPERATION's row into its command; returns false if there is no memory for them. */
static bool make(struct made *made, const struct kh_operation *operation)
{
	struct kh_view usage, about, name = kh_operation_short(kh_view_str(operation->name));
	struct kh_frame_command *command = &made->command;

	memcpy(made->options, command->options, command->option_count * sizeof(made->options[0]));
	command->options = made->options;
	kh_buf_init(&made->usage, &made->arena, TEXT);
	kh_buf_init(&made->about, &made->arena, TEXT);
	kh_buf_lit(&made->usage, "[OPTION...] [");
	kh_buf_printf(&made->about, "%c%s.\n\n", operation->about[0] & ~0x20, operation->about + 1);
	for (size_t i = 0; i < operation->parameter_count; i++)
		add_parameter(made, &operation->parameters[i], i);
	kh_buf_add(&made->usage, kh_view_of("]", 2)); /* each with its NUL */
	kh_buf_add(&made->about, kh_view_of("\n" LATER, sizeof("\n" LATER)));
	command->name = kh_arena_printf(&made->arena, "comm %.*s", KH_FMT(name)).p;
	if (kh_buf_end(&made->usage, &usage) != KH_OK || kh_buf_end(&made->about, &about) != KH_OK)
		return false;
	command->usage = usage.p;
	command->about = about.p;
	return kh_arena_check(&made->arena) == KH_OK;
}

const struct kh_operation *kh_comms_find(const char *word)
{
	for (size_t i = 0; i < kh_operations_own.n; i++) {
		const struct kh_operation *operation = &kh_operations_own.at[i];
		if (!operation->is_upstream &&
		    kh_view_eq(kh_operation_short(kh_view_str(operation->name)), kh_view_str(word)))
			return operation;
	}
	return NULL;
}

int kh_comms_main(const struct kh_frame_command *row, int argc, char **argv)
{
	const struct kh_operation *operation = kh_comms_find(argv[0]);
	struct made made = {.command = *row};
	int status = KH_FRAME_UNUSABLE;

	if (operation == NULL || row->option_count > OPTIONS)
		return status;
	kh_arena_init(&made.arena, &kh_alloc_system, (size_t)8 * TEXT);
	if (!make(&made, operation))
		fputs("keyhole: out of memory\n", stderr);
	else
		status = kh_frame_main(&made.command, operation, argc, argv);
	kh_arena_done(&made.arena);
	return status;
}
