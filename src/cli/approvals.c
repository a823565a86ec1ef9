/* What waits for a human: listed, shown, decided.  Untrusted text is written only by page.c and terminal.c.  No editor
 * and no other program is started: an edit comes as an option, a file or standard input. */
#include "cli/approvals.h"

#include "base/timestamp.h"
#include "cli/confirm.h"
#include "cli/listing.h"
#include "cli/page.h"
#include "cli/progress.h"
#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/render_decision.h"
#include "engine/approval/show.h"
#include "engine/outbox.h"
#include "engine/query/tries.h"
#include "home/file.h"

#include <time.h>
#include <unistd.h>

#define MEMORY     ((size_t)64 << 20) /* bytes for one look */
#define PAUSE_NS   (500 * 1000000L)
#define FAR_S      1 /* seconds between two looks at a gateway */
#define EDIT_LIMIT (1U << 20)

/* --- list --------------------------------------------------------------------------------------------------------- */

int kh_approvals_list(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;
	struct kh_page call = {.all = a->all};

	return kh_listing_write(f, kh_approval_list_run, &call, "approvals",
				"ID: id; KIND: kind; STATE: state; DECIDES: decides; TASK: task; PAGES: pages; "
				"EXPIRES: expires_at; DECIDED: decided_by",
				a->all ? "There never was an approval." : "Nothing waits for a decision.");
}

/* --- watch -------------------------------------------------------------------------------------------------------- */

struct watch {
	uint64_t count; /* 0: no limit */
	char after[32]; /* the newest that was written */
	uint64_t written;
};

static int write_item(struct kh_frame *f, struct kh_arena *arena, yyjson_val *item)
{
	struct kh_buf buf;
	struct kh_view line = {NULL, 0};

	kh_buf_init(&buf, arena, MEMORY);
	if (f->options.json) {
		yyjson_mut_doc *doc = kh_json_new(arena);
		struct kh_view json;
		if (kh_json_write(arena, yyjson_val_mut_copy(doc, item), &json) == KH_OK)
			kh_buf_add(&buf, json);
		kh_buf_byte(&buf, '\n');
	} else {
		kh_buf_printf(&buf, "%.*s  %.*s, task %.*s, %.*s page(s), until %.*s\n",
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "id"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "kind"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "task"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "pages"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "expires_at"), KH_TABLE_TEXT)));
	}
	if (kh_buf_end(&buf, &line) != KH_OK || kh_arena_check(arena) != KH_OK)
		return kh_frame_fail_memory(f);
	return kh_frame_say(f, line) ? KH_FRAME_DONE : KH_FRAME_UNUSABLE;
}

/* Writes what is newer than the last; returns -1 if there is more to wait for. */
static int look(struct kh_frame *f, struct watch *w, struct kh_arena *arena)
{
	struct kh_page call = {.after = kh_view_str(w->after)};
	yyjson_arr_iter iter;
	yyjson_val *list, *item;
	int status = KH_FRAME_DONE;

	if (kh_frame_call_in(f, arena, kh_approval_list_run, &call) != KH_OK ||
	    kh_json_read(arena, call.json, &list, &f->err) != KH_OK)
		return kh_frame_fail(f);
	yyjson_arr_iter_init(list, &iter);
	while (status == KH_FRAME_DONE && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view id = kh_json_str(kh_json_get(item, "id"));
		snprintf(w->after, sizeof(w->after), "%.*s", KH_FMT(id));
		status = write_item(f, arena, item);
		if (++w->written == w->count)
			return status;
	}
	return status == KH_FRAME_DONE ? -1 : status;
}

/* True if a signal has come that ends the watch. */
static bool is_over(const struct kh_frame *f)
{
	const struct timespec near = {.tv_nsec = PAUSE_NS}, far = {.tv_sec = FAR_S};
	struct timespec pause = f->remote != NULL ? far : near;
	sigset_t signals = kh_frame_signals();

	return sigtimedwait(&signals, NULL, &pause) > 0;
}

int kh_approvals_watch(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;
	struct watch w = {.count = a->count};
	int status = -1;

	while (status < 0) {
		struct kh_arena arena;
		kh_arena_init(&arena, NULL, MEMORY);
		status = look(f, &w, &arena);
		kh_arena_done(&arena);
		if (status < 0 && is_over(f))
			status = KH_FRAME_DONE;
	}
	return status;
}

/* --- show --------------------------------------------------------------------------------------------------------- */

/* *RET_SHOWN is what was displayed. */
static int show_page(struct kh_frame *f, struct kh_view id, int64_t page, yyjson_val **ret_shown)
{
	struct kh_approval_show show = {.approval = id, .page = page};
	struct kh_buf buf = kh_frame_buf(f);

	if (kh_frame_call(f, kh_approval_show_run, &show) != KH_OK)
		return kh_frame_fail(f);
	if (kh_json_read(&f->arena, show.json, ret_shown, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, show.json);
	kh_page_write(&buf, *ret_shown, show.text, kh_terminal_columns(STDOUT_FILENO));
	return kh_frame_text(f, &buf);
}

/* Returns false if the user wants to see no more. */
static bool go_on(struct kh_frame *f, int64_t page, int64_t pages)
{
	char question[96];

	snprintf(question, sizeof(question), "Page %lld of %lld.  Return: the next page, q: no more. ", (long long)page,
		 (long long)pages);
	struct kh_view answer;
	return kh_confirm_ask(f, question, &answer) && answer.n == 0;
}

/* Shows every page; if the user can be asked, waits for them after each but the last.  *RET_ALL: false if they
 * stopped before the end.  *RET_DIGEST is that of what was displayed.  Returns the exit status. */
static int show_pages(struct kh_frame *f, struct kh_view id, bool *ret_all, struct kh_view *ret_digest)
{
	bool asks = kh_confirm_can(f);
	yyjson_val *shown = NULL;
	int64_t page = 1, pages = 1;
	int status = KH_FRAME_DONE;

	*ret_all = true;
	for (; page <= pages && status == KH_FRAME_DONE; page++) {
		status = show_page(f, id, page, &shown);
		if (status != KH_FRAME_DONE)
			return status;
		if (!kh_json_int(kh_json_get(shown, "pages"), &pages))
			return KH_FRAME_REFUSE(f, "gateway_strange",
					       "what was shown does not say how many pages it has");
		if (page < pages && asks && !go_on(f, page, pages)) {
			*ret_all = false;
			break;
		}
	}
	*ret_digest = kh_json_str(kh_json_get(shown, "digest"));
	return status;
}

int kh_approvals_show(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;
	struct kh_view id = kh_view_str(f->words[0]), digest;
	yyjson_val *shown;
	bool all;

	if (a->page > INT64_MAX)
		return KH_FRAME_REFUSE(f, "no_such_page", "there is no page of that number");
	if (a->page > 0 || f->options.json)
		return show_page(f, id, a->page > 0 ? (int64_t)a->page : 1, &shown);
	return show_pages(f, id, &all, &digest);
}

/* --- tries -------------------------------------------------------------------------------------------------------- */

int kh_approvals_tries(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;
	struct kh_tries call = {.query = kh_view_str(f->words[0]), .number = (int64_t)a->number, .page = 1};
	struct kh_buf buf = kh_frame_buf(f);
	yyjson_val *shown;

	if (a->number > KH_TRIES_MAX)
		return KH_FRAME_REFUSE(f, "no_such_try", "there is no try of that number");
	if (a->page > INT32_MAX)
		return KH_FRAME_REFUSE(f, "no_such_page", "there is no page of that number");
	if (a->page > 0 && a->number == 0)
		return KH_FRAME_REFUSE(f, "bad_option", "--page is of one try: name it with --try");
	if (a->page > 0)
		call.page = (int64_t)a->page;
	if (kh_frame_call(f, kh_tries_run, &call) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, call.json);
	if (kh_json_read(&f->arena, call.json, &shown, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_page_tries(&buf, shown, kh_terminal_columns(STDOUT_FILENO));
	return kh_frame_text(f, &buf);
}

/* --- decide ------------------------------------------------------------------------------------------------------- */

/* Returns "cli, user 1000 of HOST": where the decision was made, for the record. */
static struct kh_view place(struct kh_frame *f)
{
	char host[32] = "";

	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	for (char *p = host; *p != '\0'; p++) {
		if (!kh_ascii_is_alpha(*p) && !kh_ascii_is_digit(*p) && *p != '-' && *p != '.')
			*p = '?';
	}
	return kh_arena_printf(&f->arena, "cli, user %u of %s", (unsigned)getuid(), host);
}

/* True if the command itself has the text of an edit. */
static bool is_given(const struct kh_approvals_args *a)
{
	return a->text != NULL || a->file != NULL || a->parameters != NULL || a->values.n > 0;
}

/* Reads the new answer, or an operation's new parameters: --text, --parameters, --file, or standard input. */
static enum kh_err read_edit(struct kh_frame *f, struct kh_view *ret_text)
{
	const struct kh_approvals_args *a = f->args;

	if ((a->text != NULL) + (a->file != NULL) + (a->parameters != NULL) > 1)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--text, --file and --parameters: one of them is enough");
	if (a->text != NULL || a->parameters != NULL) {
		*ret_text = kh_view_str(a->text != NULL ? a->text : a->parameters);
		return KH_OK;
	}
	if (a->file == NULL && kh_confirm_can(f) &&
	    !kh_frame_say(f, KH_LIT("Write what is to stand in its place, then Control-D:\n")))
		return kh_error_set(&f->err, KH_EINPUT, "output_lost", "the terminal is gone");
	enum kh_err e = kh_frame_input(f, a->file != NULL ? a->file : "-", EDIT_LIMIT, ret_text);
	if (e == KH_OK)
		*ret_text = kh_view_trim(*ret_text);
	return e;
}

/* The values for the fields of a form, as a JSON object of texts: their types are the form's. */
static enum kh_err read_values(struct kh_frame *f, struct kh_view *ret_json)
{
	const struct kh_approvals_args *a = f->args;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	yyjson_val *read;

	for (size_t i = 0; i < a->values.n; i++) {
		const char *value = strchr(a->values.at[i], '=');
		if (value == NULL || value == a->values.at[i])
			return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--value takes NAME=VALUE");
		yyjson_mut_obj_add(obj, yyjson_mut_strn(doc, a->values.at[i], (size_t)(value - a->values.at[i])),
				   yyjson_mut_str(doc, value + 1));
	}
	enum kh_err e = kh_json_freeze(&f->arena, obj, &read, &f->err);
	return e == KH_OK ? kh_json_write(&f->arena, obj, ret_json) : e;
}

static const char *const questions[] = {
	[KH_CHOICE_APPROVE] = "Approve what was shown? [y/N] ",
	[KH_CHOICE_REJECT] = "Reject what was shown? [y/N] ",
	[KH_CHOICE_EDIT] = "Put your words in the place of what was shown? [y/N] ",
};
static const char send[] = "Send these values to the server? [y/N] ";

/* Sets the digest: the one that was given, or that of what is displayed now.  *RET_ASK: the user has to confirm.
 * Returns the exit status. */
static int take_digest(struct kh_frame *f, struct kh_approval_decide *call, bool *ret_ask)
{
	const struct kh_approvals_args *a = f->args;
	bool all = true;

	*ret_ask = false;
	if (a->shown.p != NULL) {
		call->shown = a->shown;
		return KH_FRAME_DONE;
	}
	if (!kh_confirm_can(f))
		return KH_FRAME_REFUSE(f, "shown_missing",
				       "name what was displayed: --shown DIGEST, as `keyhole approvals show` wrote it");
	*ret_ask = true;
	int status = show_pages(f, call->approval, &all, &call->shown);
	if (status == KH_FRAME_DONE && !all) {
		kh_frame_note(f, KH_LIT("Not all of it was shown: nothing was decided.\n"));
		return KH_FRAME_NOT;
	}
	return status;
}

static int confirm(struct kh_frame *f, enum kh_choice choice)
{
	const struct kh_approvals_args *a = f->args;

	if (kh_confirm_yes(f, a->values.n > 0 ? send : questions[choice]))
		return KH_FRAME_DONE;
	kh_frame_note(f, KH_LIT("Nothing was decided.\n"));
	return KH_FRAME_NOT;
}

/* Sends an approved escalation to its Reader now, if this process can ask it. */
static void ask_reader(struct kh_frame *f)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_progress progress;

	kh_progress_start(&progress, "the Reader is asked");
	enum kh_err e = kh_outbox_all(f->home.engine, &err);
	kh_progress_stop(&progress);
	if (e != KH_OK)
		fprintf(stderr, "keyhole %s: decided; but the Reader could not be asked yet: %s: %s\n",
			f->command->name, err.code != NULL ? err.code : kh_err_name(e), err.detail);
}

static int write_result(struct kh_frame *f, const struct kh_approval_decide *call)
{
	if (!f->options.json)
		return kh_frame_json(f, kh_arena_printf(&f->arena, "%.*s: %s", KH_FMT(call->approval),
							kh_render_decision_word(call)));
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = kh_render_decision_new(doc, call);
	kh_json_add(doc, obj, "shown", call->shown);
	return kh_frame_object(f, obj);
}

/* Reads --host, --uses, --until: any arguments towards that host, so often, until then (A2). */
static enum kh_err widen(struct kh_frame *f, struct kh_approval_decide *call)
{
	const struct kh_approvals_args *a = f->args;

	if (a->uses > KH_APPROVAL_DECIDE_USES)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--uses is at most %d", KH_APPROVAL_DECIDE_USES);
	if (a->until.p != NULL && !kh_timestamp_parse(a->until, &call->until))
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--until needs a time in UTC, such as 2026-03-19T14:30:00Z");
	call->host = a->host;
	call->uses = (int64_t)a->uses;
	return KH_OK;
}

static int decide(struct kh_frame *f, enum kh_choice choice)
{
	const struct kh_approvals_args *a = f->args;
	struct kh_approval_decide call = {
		.approval = kh_view_str(f->words[0]),
		.choice = choice,
		.note = a->note,
		.from = place(f),
	};
	struct kh_view edited = {NULL, 0};
	bool asks;

	if (widen(f, &call) != KH_OK)
		return kh_frame_fail(f);
	int status = take_digest(f, &call, &asks);

	if (status == KH_FRAME_DONE && choice == KH_CHOICE_EDIT &&
	    (a->values.n > 0 ? read_values(f, &edited) : read_edit(f, &edited)) != KH_OK)
		return kh_frame_fail(f);
	/* A user who has just typed the answer at the terminal has confirmed it. */
	if (status == KH_FRAME_DONE && asks && (choice != KH_CHOICE_EDIT || is_given(a)))
		status = confirm(f, choice);
	if (status != KH_FRAME_DONE)
		return status;
	call.edited = kh_tainted_wrap(edited);
	if (kh_frame_call(f, kh_approval_decide_run, &call) != KH_OK) {
		bool late = f->err.code != NULL && strcmp(f->err.code, "already_decided") == 0;
		status = kh_frame_fail(f);
		return late ? KH_FRAME_NOT : status;
	}
	status = write_result(f, &call);
	/* A gateway does this by itself. */
	if (f->remote == NULL && choice == KH_CHOICE_APPROVE && call.row->kind == KH_APPROVE_ESCALATION)
		ask_reader(f);
	return status;
}

/* With values it is an edit: they are what is put in. */
int kh_approvals_approve(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;

	return decide(f, a->values.n > 0 ? KH_CHOICE_EDIT : KH_CHOICE_APPROVE);
}

int kh_approvals_reject(struct kh_frame *f)
{
	return decide(f, KH_CHOICE_REJECT);
}

int kh_approvals_edit(struct kh_frame *f)
{
	return decide(f, KH_CHOICE_EDIT);
}
