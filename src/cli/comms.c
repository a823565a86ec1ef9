/*
 * External operations on the command line.  What is written is what a Controller may know (E12): its own parameters,
 * how it ended, and a block; or, where the policy allows it, the content inside its fence.
 */
#include "cli/comms.h"

#include "base/clock.h"
#include "cli/frame.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/comm/operation.h"
#include "engine/comm/call.h"
#include "engine/comm/look.h"
#include "engine/deciding.h"
#include "engine/engine.h"
#include "engine/outbox.h"
#include "engine/waiting.h"

#include <unistd.h>

#define WAIT_DEFAULT 60000
#define WORDS        66 /* a statement's database and name, and its values */

static const char statuses[] = "0 ok; 1 not ok, or not yet, and the outcome is written; 2 not usable, refused or "
			       "failed.";

struct arguments {
	const char *operation;
	const char *task, *reason, *declaration, *scope, *params;
	uint64_t wait_ms, limit;
	bool fenced;
};

/* --- writing ------------------------------------------------------------------------------------------------------ */

static const char *outcome_of(const struct kh_comm_look *look)
{
	if (look->ended != KH_ENDED_NOT)
		return kh_words_name(&kh_rows_ended_words, look->ended);
	return look->approval.n > 0 ? "pending" : "running";
}

static void add_json(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view json)
{
	yyjson_val *value;

	if (json.n > 0 && kh_json_read(&f->arena, json, &value, &f->err) == KH_OK)
		yyjson_mut_obj_add_val(doc, obj, key, yyjson_val_mut_copy(doc, value));
}

static int write_json(struct kh_frame *f, const struct kh_comm_look *look)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "outcome", outcome_of(look));
	kh_json_add(doc, obj, "declaration", look->id);
	kh_json_add(doc, obj, "operation", look->operation);
	add_json(f, doc, obj, "parameters", look->parameters);
	if (look->modified)
		yyjson_mut_obj_add_bool(doc, obj, "modified", true);
	if (look->ended == KH_ENDED_NOT && look->approval.n > 0)
		kh_json_add(doc, obj, "approval", look->approval);
	if (look->block.n > 0)
		kh_json_add(doc, obj, "block", look->block);
	add_json(f, doc, obj, "fenced", look->fenced);
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
			kh_buf_printf(buf,
				      "A human decides:\n"
				      "  keyhole approvals show %.*s\n"
				      "  keyhole approvals approve %.*s\n"
				      "then:\n",
				      KH_FMT(look->approval), KH_FMT(look->approval));
		print_again(buf, look);
		break;
	case KH_ENDED_OK:
		kh_buf_printf(buf,
			      "Sealed as block %.*s of task %.*s, untrusted, taint high: `keyhole query` asks about "
			      "it.\n",
			      KH_FMT(look->block), KH_FMT(look->task));
		break;
	case KH_ENDED_FAILED:
	case KH_ENDED_UNKNOWN:
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
	struct kh_buf buf;
	int status;

	if (f->options.json) {
		status = write_json(f, look);
	} else {
		kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
		kh_buf_printf(&buf, "%s  %.*s  %.*s\n", outcome_of(look), KH_FMT(look->id), KH_FMT(look->operation));
		print_parameters(f, &buf, look);
		print_fenced(f, &buf, look);
		print_next(&buf, look);
		status = kh_frame_text(f, &buf);
	}
	return status == KH_FRAME_DONE && look->ended != KH_ENDED_OK ? KH_FRAME_NOT : status;
}

/* --- the declaration ---------------------------------------------------------------------------------------------- */

static enum kh_err bad(struct kh_frame *f, const char *code, const char *what)
{
	return kh_error_set(&f->err, KH_EINPUT, code, "%s", what);
}

/* The words from FROM on, as a list of texts. */
static void add_list(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, int from)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, obj, key);

	for (int i = from; i < f->count; i++)
		yyjson_mut_arr_add_str(doc, list, f->words[i]);
}

static enum kh_err add_values(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	const struct arguments *a = f->args;
	yyjson_val *values = NULL;

	if (a->params == NULL) {
		if (f->count > 2)
			add_list(f, doc, obj, "params", 2);
		return KH_OK;
	}
	if (f->count > 2)
		return bad(f, "bad_option", "--params and PARAM are one too many");
	enum kh_err e = kh_json_read(&f->arena, kh_view_str(a->params), &values, &f->err);
	if (e == KH_OK)
		yyjson_mut_obj_add_val(doc, obj, "params", yyjson_val_mut_copy(doc, values));
	return e;
}

/* The words and options of the command as parameters of its operation. */
static enum kh_err add_parameters(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	const struct arguments *a = f->args;
	struct kh_view name = kh_operation_short(kh_view_str(a->operation));

	if (kh_view_eq(name, KH_LIT("query"))) {
		if (f->count < 2)
			return bad(f, "missing",
				   "name a database and a statement, or an earlier one with --declaration");
		yyjson_mut_obj_add_str(doc, obj, "database", f->words[0]);
		yyjson_mut_obj_add_str(doc, obj, "statement", f->words[1]);
		return add_values(f, doc, obj);
	}
	if (f->count < 1)
		return bad(f, "missing", "say what, or name an earlier one with --declaration");
	if (kh_view_eq(name, KH_LIT("exec"))) {
		yyjson_mut_obj_add_str(doc, obj, "command", f->words[0]);
		if (f->count > 1)
			add_list(f, doc, obj, "args", 1);
		return KH_OK;
	}
	yyjson_mut_obj_add_str(doc, obj,
			       kh_view_eq(name, KH_LIT("fetch"))  ? "url"
			       : kh_view_eq(name, KH_LIT("read")) ? "path"
								  : "query",
			       f->words[0]);
	if (a->scope != NULL)
		yyjson_mut_obj_add_str(doc, obj, "scope", a->scope);
	if (a->limit > 0 && a->limit <= INT64_MAX)
		yyjson_mut_obj_add_uint(doc, obj, "limit", a->limit);
	return KH_OK;
}

static enum kh_err make_declaration(struct kh_frame *f, yyjson_val **ret_declaration)
{
	const struct arguments *a = f->args;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view text;

	if (a->reason == NULL)
		return bad(f, "missing", "say why with --reason, or name an earlier one with --declaration");
	yyjson_mut_obj_add_str(doc, obj, "operation", a->operation);
	yyjson_mut_obj_add_str(doc, obj, "reason", a->reason);
	enum kh_err e = add_parameters(f, doc, obj);
	if (e != KH_OK)
		return e;
	e = kh_json_write(&f->arena, obj, &text);
	if (e != KH_OK)
		return kh_error_set(&f->err, e, "bad_utf8", "an argument is not UTF-8");
	return kh_json_read(&f->arena, text, ret_declaration, &f->err);
}

/* An earlier one has its parameters, and is called by the command of its own operation. */
static enum kh_err take_up(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct arguments *a = f->args;
	struct kh_comm_looking looking = {.declaration = kh_view_str(a->declaration)};

	if (f->count > 0 || a->reason != NULL || a->scope != NULL || a->limit > 0 || a->params != NULL)
		return bad(f, "bad_option", "a declaration has its parameters and its reason: leave them out");
	enum kh_err e = kh_engine_call(f->home.engine, f->token, kh_comm_look_run, &looking, &f->arena, &f->err);
	if (e == KH_OK && !kh_view_eq(looking.look.operation, kh_view_str(a->operation)))
		e = kh_error_set(&f->err, KH_EINPUT, "operation_differs",
				 "the declaration is for %.*s: use that command", KH_FMT(looking.look.operation));
	if (e == KH_OK && a->task != NULL && !kh_view_eq(looking.look.task, kh_view_str(a->task)))
		e = kh_error_set(&f->err, KH_EUNKNOWN, "unknown_declaration", "the task has no such declaration");
	call->declaration = looking.declaration;
	return e;
}

/* --- calling ------------------------------------------------------------------------------------------------------ */

/* Decides, and carries out what may run, in this very process. */
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

/* Until it has ended or the time is up; one that a human has let through goes on where it was. */
static enum kh_err wait_for(struct kh_frame *f, struct kh_comm_call *call)
{
	const struct arguments *a = f->args;
	int64_t ms = a->wait_ms < INT32_MAX ? (int64_t)a->wait_ms : WAIT_DEFAULT;
	struct kh_waiting waiting = {.until = kh_clock_us() + ms * 1000};
	enum kh_err e = decide(f, call, &waiting);

	while (e == KH_OK) {
		struct kh_comm_looking looking = {.declaration = call->look.id};
		e = kh_engine_call(f->home.engine, f->token, kh_comm_look_run, &looking, &f->arena, &f->err);
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

static int run_call(struct kh_frame *f)
{
	const struct arguments *a = f->args;
	struct kh_comm_call call = {.task = kh_view_str(a->task != NULL ? a->task : ""), .fenced = a->fenced};
	struct kh_progress progress;
	enum kh_err e = a->declaration != NULL ? take_up(f, &call) : make_declaration(f, &call.declare);

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

#define COMMAND(word, used, text, n)                                                                         \
	{                                                                                                    \
		.name = "comm " word, .usage = (used), .about = text LATER, .status = statuses, .most = (n), \
		.use = KH_HOME_ASK, .role = KH_ROLE_CONTROLLER, .run = run_call,                             \
	}

static const struct kh_frame_command search_command = COMMAND(
	"search", "[OPTION...] [QUERY]", "Search the index of your folders, the web, or configured tables.\n", 1);
static const struct kh_frame_command fetch_command = COMMAND("fetch", "[OPTION...] [URL]",
							     "Fetch an https URL through the sandbox.\n", 1);
static const struct kh_frame_command query_command = COMMAND(
	"query", "[OPTION...] [DATABASE STATEMENT [PARAM...]]",
	"Ask a configured database by the name of a statement, or with SQL if the policy allows that.  Each PARAM is\n"
	"bound as a text.\n",
	WORDS);
static const struct kh_frame_command read_command = COMMAND("read", "[OPTION...] [PATH]",
							    "Read a file below a folder that the policy names.\n", 1);
static const struct kh_frame_command exec_command = COMMAND(
	"exec", "[OPTION...] [COMMAND [ARG...]]",
	"Run a command that the policy names, in the sandbox; each ARG is the value of a placeholder.\n", WORDS);

#define OPTIONS 5

static void describe(struct arguments *a, struct kh_option ret_options[OPTIONS + 2])
{
	ret_options[0] = (struct kh_option){"--task", "TASK", "the task, if more than one is open", .text = &a->task};
	ret_options[1] = (struct kh_option){"--reason", "TEXT", "why it is needed: specific, for the record",
					    .text = &a->reason};
	ret_options[2] = (struct kh_option){"--declaration", "ID", "call one that was declared before",
					    .text = &a->declaration};
	ret_options[3] = (struct kh_option){
		"--fenced", NULL, "also write the content, in its fence, if the policy allows it", .flag = &a->fenced};
	ret_options[4] = (struct kh_option){"--wait", "SECONDS", "how long to wait for a human (default: 60)",
					    .number = &a->wait_ms, .unit = KH_OPTION_WAIT};
}

static int run(const struct kh_frame_command *command, const char *operation, int argc, char **argv)
{
	struct arguments a = {.operation = operation, .wait_ms = WAIT_DEFAULT};
	struct kh_option own[OPTIONS + 2];
	size_t count = OPTIONS;

	describe(&a, own);
	if (command == &search_command) {
		own[count++] = (struct kh_option){"--scope", "SCOPE", "internal, web or database", .text = &a.scope};
		own[count++] = (struct kh_option){"--limit", "N", "at most so many results", .number = &a.limit};
	}
	if (command == &query_command)
		own[count++] = (struct kh_option){"--params", "JSON", "the values to bind, as an array or an object",
						  .text = &a.params};
	return kh_frame_main(command, own, count, &a, argc, argv);
}

int kh_comms_search_main(int argc, char **argv)
{
	return run(&search_command, "comm.search", argc, argv);
}

int kh_comms_fetch_main(int argc, char **argv)
{
	return run(&fetch_command, "comm.fetch", argc, argv);
}

int kh_comms_query_main(int argc, char **argv)
{
	return run(&query_command, "comm.query", argc, argv);
}

int kh_comms_read_main(int argc, char **argv)
{
	return run(&read_command, "comm.read", argc, argv);
}

int kh_comms_exec_main(int argc, char **argv)
{
	return run(&exec_command, "comm.exec", argc, argv);
}
