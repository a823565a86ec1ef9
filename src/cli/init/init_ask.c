/*
 * Asks a human.  What is typed is echoed by the terminal itself; what is written here goes through the frame, which
 * escapes it.  Nothing has been made when a question is open, so ctrl-C may just end the program.
 */
#include "cli/init/init_ask.h"

#include "core/policy/match.h"

#include <errno.h>
#include <unistd.h>

#define LINE  4096 /* bytes: what a terminal gives at once */
#define TRIES 3

bool kh_init_ask_can(const struct kh_frame *f)
{
	return !f->options.json && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* Reads a line byte by byte, so that what follows it stays for others.  *RET_LINE has no blanks at its ends. */
static enum kh_err read_line(struct kh_frame *f, struct kh_view *ret_line)
{
	char line[LINE];
	size_t n = 0;
	ssize_t got = 1;

	while (n < sizeof(line)) {
		got = read(STDIN_FILENO, line + n, 1);
		if (got == 1 && line[n] == '\n')
			break;
		if (got == 1)
			n++;
		else if (got == 0 || errno != EINTR)
			break;
	}
	if (got != 1 || n == sizeof(line)) {
		(void)kh_frame_note(f, KH_LIT("\n"));
		return kh_error_set(&f->err, KH_EINPUT, "no_answer", "%s: nothing was made",
				    got != 1 ? "no answer came" : "the answer is too long");
	}
	*ret_line = kh_arena_dup(&f->arena, kh_view_trim(kh_view_of(line, n)));
	return ret_line->p != NULL ? KH_OK : kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
}

/* Puts an answer where it belongs.  KH_EINPUT, with a sentence: it is none. */
typedef enum kh_err take_fn(struct kh_frame *f, struct kh_init_reader *reader, struct kh_view line);

static enum kh_err take_url(struct kh_frame *f, struct kh_init_reader *reader, struct kh_view line)
{
	(void)f;
	reader->url = line.n > 0 ? line : KH_LIT("none");
	return KH_OK;
}

static enum kh_err take_model(struct kh_frame *f, struct kh_init_reader *reader, struct kh_view line)
{
	reader->model = line;
	return line.n > 0 ? KH_OK
			  : kh_error_set(&f->err, KH_EINPUT, "bad_option",
					 "a model has a name at its endpoint, such as gpt-4o-mini");
}

/* The place of a key.  A pasted key is not a place: it is refused, and not repeated in the message. */
static enum kh_err take_key(struct kh_frame *f, struct kh_init_reader *reader, struct kh_view line)
{
	reader->key_file = reader->key_environment = (struct kh_view){NULL, 0};
	if (line.n == 0)
		return KH_OK;
	if (line.p[0] == '$' && kh_match_is_variable(kh_view_from(line, 1)))
		reader->key_environment = kh_view_from(line, 1);
	else if (kh_match_is_path(line) || (kh_view_ends(line, KH_LIT(".key")) && kh_match_is_key_file(line)))
		reader->key_file = line;
	else
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "not the key itself, but where it is: an absolute path, NAME.key or $VARIABLE");
	return KH_OK;
}

static enum kh_err take_internal(struct kh_frame *f, struct kh_init_reader *reader, struct kh_view line)
{
	bool is_yes = kh_view_eq_nocase(line, KH_LIT("y")) || kh_view_eq_nocase(line, KH_LIT("yes"));
	bool is_no = line.n == 0 || kh_view_eq_nocase(line, KH_LIT("n")) || kh_view_eq_nocase(line, KH_LIT("no"));

	reader->internal = is_yes ? KH_LIT("yes") : KH_LIT("no");
	return is_yes || is_no ? KH_OK : kh_error_set(&f->err, KH_EINPUT, "bad_option", "y or n");
}

/* What is known so far, as the configuration would read it; a model's name may be missing yet. */
static enum kh_err check(struct kh_frame *f, const struct kh_init_reader *reader, struct kh_init_reader_made *ret_made)
{
	struct kh_init_reader known = *reader;

	if (known.model.n == 0)
		known.model = KH_LIT("model");
	return kh_init_reader_write(&f->arena, &known, ret_made, &f->err);
}

static enum kh_err ask(struct kh_frame *f, struct kh_init_reader *reader, struct kh_view question, take_fn *take,
		       struct kh_init_reader_made *ret_made)
{
	enum kh_err e = KH_EINPUT;
	struct kh_view line;

	for (int i = 0; e == KH_EINPUT && i < TRIES; i++) {
		if (i > 0)
			(void)kh_frame_note(f, kh_arena_printf(&f->arena, "  %s\n", f->err.detail));
		if (question.p == NULL || !kh_frame_note(f, question))
			return kh_error_set(&f->err, KH_EINPUT, "no_answer", "nobody can be asked: nothing was made");
		e = read_line(f, &line);
		if (e != KH_OK)
			return e;
		e = take(f, reader, line);
		if (e == KH_OK && !kh_view_eq(reader->url, KH_LIT("none")))
			e = check(f, reader, ret_made);
	}
	return e;
}

enum kh_err kh_init_ask(struct kh_frame *f, struct kh_init_reader *reader)
{
	struct kh_init_reader_made made = {.is_here = true};
	enum kh_err e = ask(f, reader,
			    KH_LIT("A model that reads for your agents: its URL, or Enter for none (the built-in "
				   "`extract` alone).\n"
				   "Such as https://api.openai.com/v1/chat/completions: "),
			    take_url, &made);

	if (e != KH_OK || kh_view_eq(reader->url, KH_LIT("none")))
		return e;
	e = ask(f, reader, KH_LIT("The model's name there: "), take_model, &made);
	if (e == KH_OK)
		e = ask(f, reader,
			KH_LIT("Where its key is: a file (an absolute path, or NAME.key in the home folder), $VARIABLE "
			       "of the\n"
			       "environment, or Enter for none: "),
			take_key, &made);
	if (e != KH_OK || made.is_here)
		return e;
	return ask(f, reader,
		   kh_arena_printf(&f->arena,
				   "May whoever runs %.*s read what your agent writes in its questions?\n"
				   "If not, it is asked only in execution, and its questions are counted "
				   "(`reader_egress`). [y/N] ",
				   KH_FMT(made.host)),
		   take_internal, &made);
}
