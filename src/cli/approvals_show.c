/* Showing an approval.  Untrusted text is written only by page.c and terminal.c. */
#include "cli/approvals_show.h"

#include "cli/page.h"
#include "engine/approval/show.h"
#include "home/file.h"

#include <unistd.h>

struct show {
	uint64_t page; /* 0: all of them */
};

bool kh_approvals_show_can_ask(const struct kh_frame *f)
{
	return !f->options.json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool kh_approvals_show_ask(struct kh_frame *f, const char *question, struct kh_view *ret_answer)
{
	struct kh_view line = {NULL, 0};
	bool end = false;

	if (!kh_frame_say(f, kh_view_str(question)))
		return false;
	if (kh_file_line(stdin, &f->arena, &line, &end) != KH_OK || end) {
		kh_frame_say(f, KH_LIT("\n"));
		return false;
	}
	*ret_answer = kh_view_trim(line);
	return true;
}

static int show_page(struct kh_frame *f, struct kh_view id, int64_t page, struct kh_approval_show *show)
{
	yyjson_val *shown;
	struct kh_buf buf;

	*show = (struct kh_approval_show){.approval = id, .page = page};
	if (kh_engine_call(f->home.engine, f->token, kh_approval_show_run, show, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, show->json);
	if (kh_json_read(&f->arena, show->json, &shown, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_page_write(&buf, shown, show->text, kh_terminal_columns(STDOUT_FILENO));
	return kh_frame_text(f, &buf);
}

/* Returns false if the user wants to see no more. */
static bool go_on(struct kh_frame *f, int64_t page, int64_t pages)
{
	char question[96];

	snprintf(question, sizeof(question), "Page %lld of %lld.  Return: the next page, q: no more. ", (long long)page,
		 (long long)pages);
	struct kh_view answer;
	return kh_approvals_show_ask(f, question, &answer) && answer.n == 0;
}

int kh_approvals_show_pages(struct kh_frame *f, struct kh_view id, bool *ret_all, struct kh_view *ret_digest)
{
	bool asks = kh_approvals_show_can_ask(f);
	struct kh_approval_show show;
	int64_t page = 1, pages = 1;
	int status = KH_FRAME_DONE;

	*ret_all = true;
	for (; page <= pages && status == KH_FRAME_DONE; page++) {
		status = show_page(f, id, page, &show);
		if (status != KH_FRAME_DONE)
			return status;
		pages = show.row->pages;
		if (page < pages && asks && !go_on(f, page, pages)) {
			*ret_all = false;
			break;
		}
	}
	*ret_digest = kh_canonical_hex(&f->arena, &show.row->digest);
	return status;
}

static int run_show(struct kh_frame *f)
{
	const struct show *a = f->args;
	struct kh_view id = kh_view_str(f->words[0]), digest;
	struct kh_approval_show show;
	bool all;

	if (a->page > INT64_MAX) {
		kh_error_set(&f->err, KH_EINPUT, "no_such_page", "there is no page of that number");
		return kh_frame_fail(f);
	}
	if (a->page > 0 || f->options.json)
		return show_page(f, id, a->page > 0 ? (int64_t)a->page : 1, &show);
	return kh_approvals_show_pages(f, id, &all, &digest);
}

static const struct kh_frame_command show_command = {
	.name = "approvals show",
	.usage = "[OPTION...] ID",
	.about =
		"Show what is to be approved, with all that is known about it, and record that it was shown.  Text of\n"
		"others stands behind a bar at the left; invisible and control characters in it are shown as escapes.\n"
		"On a terminal it is shown page by page; with --json, one page is written.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_show,
};

int kh_approvals_show_main(int argc, char **argv)
{
	struct show a = {0};
	const struct kh_option own[] = {
		{"--page", "N", "this page alone", .number = &a.page},
	};

	return kh_frame_main(&show_command, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}
