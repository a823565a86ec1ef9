/* Questions on a terminal. */
#include "cli/confirm.h"

#include "home/file.h"

#include <stdio.h>
#include <unistd.h>

bool kh_confirm_can(const struct kh_frame *f)
{
	return !f->options.json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool kh_confirm_ask(struct kh_frame *f, const char *question, struct kh_view *ret_answer)
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

bool kh_confirm_yes(struct kh_frame *f, const char *question)
{
	struct kh_view answer = {NULL, 0};

	return kh_confirm_ask(f, question, &answer) &&
	       (kh_view_eq_nocase(answer, KH_LIT("y")) || kh_view_eq_nocase(answer, KH_LIT("yes")));
}
