/* Deciding.  Starts no editor and no other program: an edit comes as an option, a file or standard input. */
#include "cli/approvals_decide.h"

#include "base/timestamp.h"
#include "cli/approvals_show.h"
#include "cli/frame.h"
#include "cli/progress.h"
#include "engine/approval/decide.h"
#include "engine/outbox.h"

#include <unistd.h>

#define EDIT_LIMIT (1U << 20)

static const char statuses[] = "0 decided; 1 not decided: somebody else was first, it has expired, or the answer was "
			       "no; 2 not usable, refused or failed.";

struct decide {
	enum kh_choice choice;
	const char *shown, *note;
	const char *text, *file, *parameters; /* of an edit */
	const char *host, *until;             /* of a wider grant */
	uint64_t uses;
};

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
static bool is_given(const struct decide *a)
{
	return a->text != NULL || a->file != NULL || a->parameters != NULL;
}

/* Reads the new answer, or an operation's new parameters: --text, --parameters, --file, or standard input. */
static enum kh_err read_edit(struct kh_frame *f, struct kh_view *ret_text)
{
	const struct decide *a = f->args;

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

static const char *question(enum kh_choice choice)
{
	switch (choice) {
	case KH_CHOICE_APPROVE:
		return "Approve what was shown? [y/N] ";
	case KH_CHOICE_REJECT:
		return "Reject what was shown? [y/N] ";
	case KH_CHOICE_EDIT:
		break;
	}
	return "Put your words in the place of what was shown? [y/N] ";
}

/* Sets the digest: the one that was given, or that of what is displayed now.  *RET_ASK: the user has to confirm.
 * Returns the exit status. */
static int take_digest(struct kh_frame *f, struct kh_approval_decide *call, bool *ret_ask)
{
	const struct decide *a = f->args;
	bool all = true;

	*ret_ask = false;
	if (a->shown != NULL) {
		call->shown = kh_view_str(a->shown);
		return KH_FRAME_DONE;
	}
	if (!kh_approvals_show_can_ask(f)) {
		kh_error_set(&f->err, KH_EINPUT, "shown_missing",
			     "name what was displayed: --shown DIGEST, as `keyhole approvals show` wrote it");
		return kh_frame_fail(f);
	}
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

	if (kh_approvals_show_ask(f, question(choice), &answer) &&
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
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	if (!f->options.json)
		return kh_frame_json(f, kh_arena_printf(&f->arena, "%.*s: %s", KH_FMT(call->approval), state));
	kh_json_add(doc, obj, "approval", call->approval);
	yyjson_mut_obj_add_str(doc, obj, "state", state);
	kh_json_add(doc, obj, "shown", call->shown);
	return kh_frame_object(f, obj);
}

/* Reads --host, --uses, --until: any arguments towards that host, so often, until then (A2). */
static enum kh_err widen(struct kh_frame *f, struct kh_approval_decide *call)
{
	const struct decide *a = f->args;

	if (a->uses > KH_APPROVAL_DECIDE_USES)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--uses is at most %d", KH_APPROVAL_DECIDE_USES);
	if (a->until != NULL && !kh_timestamp_parse(kh_view_str(a->until), &call->until))
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--until needs a time in UTC, such as 2026-03-19T14:30:00Z");
	call->host = kh_view_str(a->host != NULL ? a->host : "");
	call->uses = (int64_t)a->uses;
	return KH_OK;
}

static int run_decide(struct kh_frame *f)
{
	const struct decide *a = f->args;
	struct kh_approval_decide call = {
		.approval = kh_view_str(f->words[0]),
		.choice = a->choice,
		.note = kh_view_str(a->note != NULL ? a->note : ""),
		.from = place(f),
	};
	struct kh_view edited = {NULL, 0};
	bool asks;

	if (widen(f, &call) != KH_OK)
		return kh_frame_fail(f);
	int status = take_digest(f, &call, &asks);

	if (status == KH_FRAME_DONE && a->choice == KH_CHOICE_EDIT && read_edit(f, &edited) != KH_OK)
		return kh_frame_fail(f);
	/* A user who has just typed the answer at the terminal has confirmed it. */
	if (status == KH_FRAME_DONE && asks && (a->choice != KH_CHOICE_EDIT || is_given(a)))
		status = confirm(f, a->choice);
	if (status != KH_FRAME_DONE)
		return status;
	call.edited = kh_tainted_wrap(edited);
	if (kh_engine_call(f->home.engine, f->token, kh_approval_decide_run, &call, &f->arena, &f->err) != KH_OK) {
		bool late = f->err.code != NULL && strcmp(f->err.code, "already_decided") == 0;
		status = kh_frame_fail(f);
		return late ? KH_FRAME_NOT : status;
	}
	status = write_result(f, &call);
	if (a->choice == KH_CHOICE_APPROVE && call.row->kind == KH_APPROVE_ESCALATION)
		ask_reader(f);
	return status;
}

/* --- the commands ------------------------------------------------------------------------------------------------- */

#define COMMON 2 /* options of all three commands */
#define MORE   3 /* the most options of one command besides */
#define A_DECISION                                                                                      \
	.usage = "[OPTION...] ID", .status = statuses, .least = 1, .most = 1, .role = KH_ROLE_REVIEWER, \
	.run = run_decide

static int decide_main(const struct kh_frame_command *command, struct decide *a, const struct kh_option *more,
		       size_t count, int argc, char **argv)
{
	struct kh_option own[COMMON + MORE] = {
		{"--shown", "DIGEST", "of what was displayed; without it, it is displayed now", .text = &a->shown},
		{"--note", "TEXT", "your own words, for the record", .text = &a->note},
	};

	for (size_t i = 0; i < count; i++)
		own[COMMON + i] = more[i];
	return kh_frame_main(command, own, COMMON + count, a, argc, argv);
}

static const struct kh_frame_command approve_command = {
	.name = "approvals approve",
	.about = "Approve what an approval shows, for exactly that, once.  An external operation can be approved for "
		 "more\n"
		 "than that, with --host, --uses and --until.\n",
	.use = KH_HOME_ASK,
	A_DECISION,
};

int kh_approvals_decide_approve_main(int argc, char **argv)
{
	struct decide a = {.choice = KH_CHOICE_APPROVE};
	const struct kh_option more[MORE] = {
		{"--host", "HOST", "of an operation: with any arguments towards this host, in its task",
		 .text = &a.host},
		{"--uses", "N", "of an operation: so often (default: 1)", .number = &a.uses},
		{"--until", "TIME", "of an operation: until then, such as 2026-03-19T14:30:00Z", .text = &a.until},
	};

	return decide_main(&approve_command, &a, more, MORE, argc, argv);
}

static const struct kh_frame_command reject_command = {
	.name = "approvals reject",
	.about = "Reject what an approval shows.  The query ends, and the Controller learns only that it was "
		 "rejected.\n",
	.use = KH_HOME_CALL,
	A_DECISION,
};

int kh_approvals_decide_reject_main(int argc, char **argv)
{
	return decide_main(&reject_command, &(struct decide){.choice = KH_CHOICE_REJECT}, NULL, 0, argc, argv);
}

static const struct kh_frame_command edit_command = {
	.name = "approvals edit",
	.about = "Replace what an approval shows.  For an answer, give another answer: the text of a summary, or else "
		 "JSON\n"
		 "in the form of the answer.  It is checked and counted like a Reader's.  For an external operation, "
		 "give\n"
		 "other parameters: they become a new declaration with an approval of its own.  Without --text,\n"
		 "--parameters and --file, the replacement is read from standard input.\n",
	.use = KH_HOME_CALL,
	A_DECISION,
};

int kh_approvals_decide_edit_main(int argc, char **argv)
{
	struct decide a = {.choice = KH_CHOICE_EDIT};
	const struct kh_option more[MORE] = {
		{"--text", "TEXT", "the answer", .text = &a.text},
		{"--parameters", "JSON", "an operation's parameters, as an object", .text = &a.parameters},
		{"--file", "FILE", "a file that holds either", .text = &a.file},
	};

	return decide_main(&edit_command, &a, more, MORE, argc, argv);
}
