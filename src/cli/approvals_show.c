/* Showing an approval.  Untrusted text is written only by page.c and terminal.c. */
#include "cli/approvals_show.h"

#include "cli/page.h"
#include "engine/approval/show.h"
#include "home/file.h"

#include <unistd.h>

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
	struct kh_buf buf = kh_frame_buf(f);
	yyjson_val *shown;

	*show = (struct kh_approval_show){.approval = id, .page = page};
	if (kh_frame_call(f, kh_approval_show_run, show) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, show->json);
	if (kh_json_read(&f->arena, show->json, &shown, &f->err) != KH_OK)
		return kh_frame_fail(f);
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

int kh_approvals_show(struct kh_frame *f)
{
	const struct kh_approvals_show_args *a = f->args;
	struct kh_view id = kh_view_str(f->words[0]), digest;
	struct kh_approval_show show;
	bool all;

	if (a->page > INT64_MAX)
		return KH_FRAME_REFUSE(f, "no_such_page", "there is no page of that number");
	if (a->page > 0 || f->options.json)
		return show_page(f, id, a->page > 0 ? (int64_t)a->page : 1, &show);
	return kh_approvals_show_pages(f, id, &all, &digest);
}
