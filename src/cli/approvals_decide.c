/* Deciding.  Starts no editor and no other program: an edit comes as an option, a file or standard input. */
#include "cli/approvals_decide.h"

#include "base/timestamp.h"
#include "cli/approvals_show.h"
#include "cli/progress.h"
#include "engine/approval/decide.h"
#include "engine/outbox.h"

#include <unistd.h>

#define EDIT_LIMIT (1U << 20)

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

/* --- the decision ------------------------------------------------------------------------------------------------- */

/* True if the command itself has the text of an edit. */
static bool is_given(const struct kh_approvals_decide_args *a)
{
	return a->text != NULL || a->file != NULL || a->parameters != NULL;
}

/* Reads the new answer, or an operation's new parameters: --text, --parameters, --file, or standard input. */
static enum kh_err read_edit(struct kh_frame *f, struct kh_view *ret_text)
{
	const struct kh_approvals_decide_args *a = f->args;

	if ((a->text != NULL) + (a->file != NULL) + (a->parameters != NULL) > 1)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--text, --file and --parameters: one of them is enough");
	if (a->text != NULL || a->parameters != NULL) {
		*ret_text = kh_view_str(a->text != NULL ? a->text : a->parameters);
		return KH_OK;
	}
	if (a->file == NULL && kh_approvals_show_can_ask(f) &&
	    !kh_frame_say(f, KH_LIT("Write what is to stand in its place, then Control-D:\n")))
		return kh_error_set(&f->err, KH_EINPUT, "output_lost", "the terminal is gone");
	enum kh_err e = kh_frame_input(f, a->file != NULL ? a->file : "-", EDIT_LIMIT, ret_text);
	if (e == KH_OK)
		*ret_text = kh_view_trim(*ret_text);
	return e;
}

static const char *const questions[] = {
	[KH_CHOICE_APPROVE] = "Approve what was shown? [y/N] ",
	[KH_CHOICE_REJECT] = "Reject what was shown? [y/N] ",
	[KH_CHOICE_EDIT] = "Put your words in the place of what was shown? [y/N] ",
};

/* Sets the digest: the one that was given, or that of what is displayed now.  *RET_ASK: the user has to confirm.
 * Returns the exit status. */
static int take_digest(struct kh_frame *f, struct kh_approval_decide *call, bool *ret_ask)
{
	const struct kh_approvals_decide_args *a = f->args;
	bool all = true;

	*ret_ask = false;
	if (a->shown != NULL) {
		call->shown = kh_view_str(a->shown);
		return KH_FRAME_DONE;
	}
	if (!kh_approvals_show_can_ask(f))
		return KH_FRAME_REFUSE(f, "shown_missing",
				       "name what was displayed: --shown DIGEST, as `keyhole approvals show` wrote it");
	*ret_ask = true;
	int status = kh_approvals_show_pages(f, call->approval, &all, &call->shown);
	if (status == KH_FRAME_DONE && !all) {
		kh_frame_note(f, KH_LIT("Not all of it was shown: nothing was decided.\n"));
		return KH_FRAME_NOT;
	}
	return status;
}

static int confirm(struct kh_frame *f, enum kh_choice choice)
{
	struct kh_view answer = {NULL, 0};

	if (kh_approvals_show_ask(f, questions[choice], &answer) &&
	    (kh_view_eq_nocase(answer, KH_LIT("y")) || kh_view_eq_nocase(answer, KH_LIT("yes"))))
		return KH_FRAME_DONE;
	kh_frame_note(f, KH_LIT("Nothing was decided.\n"));
	return KH_FRAME_NOT;
}

/* --- after the decision ------------------------------------------------------------------------------------------- */

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
	static const enum kh_approval states[] = {[KH_CHOICE_APPROVE] = KH_APPROVAL_APPROVED,
						  [KH_CHOICE_REJECT] = KH_APPROVAL_REJECTED,
						  [KH_CHOICE_EDIT] = KH_APPROVAL_EDITED};
	const char *state = kh_words_name(&kh_grant_approval_words, states[call->choice]);

	if (!f->options.json)
		return kh_frame_json(f, kh_arena_printf(&f->arena, "%.*s: %s", KH_FMT(call->approval), state));
	return KH_FRAME_PAIRS(f, {"approval", call->approval}, {"state", kh_view_str(state)}, {"shown", call->shown});
}

/* Reads --host, --uses, --until: any arguments towards that host, so often, until then (A2). */
static enum kh_err widen(struct kh_frame *f, struct kh_approval_decide *call)
{
	const struct kh_approvals_decide_args *a = f->args;

	if (a->uses > KH_APPROVAL_DECIDE_USES)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--uses is at most %d", KH_APPROVAL_DECIDE_USES);
	if (a->until != NULL && !kh_timestamp_parse(kh_view_str(a->until), &call->until))
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--until needs a time in UTC, such as 2026-03-19T14:30:00Z");
	call->host = kh_view_str(a->host != NULL ? a->host : "");
	call->uses = (int64_t)a->uses;
	return KH_OK;
}

static int decide(struct kh_frame *f, enum kh_choice choice)
{
	const struct kh_approvals_decide_args *a = f->args;
	struct kh_approval_decide call = {
		.approval = kh_view_str(f->words[0]),
		.choice = choice,
		.note = kh_view_str(a->note != NULL ? a->note : ""),
		.from = place(f),
	};
	struct kh_view edited = {NULL, 0};
	bool asks;

	if (widen(f, &call) != KH_OK)
		return kh_frame_fail(f);
	int status = take_digest(f, &call, &asks);

	if (status == KH_FRAME_DONE && choice == KH_CHOICE_EDIT && read_edit(f, &edited) != KH_OK)
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
	if (choice == KH_CHOICE_APPROVE && call.row->kind == KH_APPROVE_ESCALATION)
		ask_reader(f);
	return status;
}

/* --- the commands ------------------------------------------------------------------------------------------------- */

int kh_approvals_decide_approve(struct kh_frame *f)
{
	return decide(f, KH_CHOICE_APPROVE);
}

int kh_approvals_decide_reject(struct kh_frame *f)
{
	return decide(f, KH_CHOICE_REJECT);
}

int kh_approvals_decide_edit(struct kh_frame *f)
{
	return decide(f, KH_CHOICE_EDIT);
}
