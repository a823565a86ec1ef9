/* The frame of commands.  Text of others is written through terminal.c, JSON included; secrets are wiped with the
 * home. */
#include "cli/frame.h"

#include "base/json.h"
#include "cli/foreground.h"
#include "home/file.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MEMORY ((size_t)1 << 30)
#define WIDTH  85 /* of a line after "Exit status: " */

#define COMMON_OPTIONS 4

/* What to do about an error, if the code that found it could not know. */
static const struct {
	const char *code, *hint;
} hints[] = {
	{"unauthorised", "is the token of this home, and neither expired nor revoked? `keyhole token list` says"},
	{"forbidden", "call with a token of another role: --token-file FILE"},
	{"unknown_task", "`keyhole task list` has the tasks that this token may see"},
	{"unknown_context", "`keyhole token list` has the contexts of tokens"},
	{"bad_source", "say with --source TEXT where it came from"},
	{"task_closed", "`keyhole task open` opens another"},
	{"task_failed", "`keyhole task open` opens another; `keyhole audit tail` says what happened"},
	{"blocks_needed", "`keyhole task add` puts content in; a query names blocks with `blocks`"},
	{"unknown_token", "`keyhole token list` has the tokens"},
	{"unknown_reader", "`extract` is built in; others are named under `readers` of keyhole.yaml"},
	{"store_full", "make room on the disk and try again: nothing was done"},
	{"store_busy", "another process holds the store: try again"},
	{"store_corrupt", "`keyhole audit verify` says where; put back a copy"},
	{"store_older", "this is an older copy of the store than the witness saw: put back the newer one"},
};

static const char *hint_for(const char *code)
{
	for (size_t i = 0; code != NULL && i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strcmp(hints[i].code, code) == 0)
			return hints[i].hint;
	return NULL;
}

bool kh_frame_say(struct kh_frame *f, struct kh_view text)
{
	return kh_terminal_say(f->out, text);
}

bool kh_frame_note(struct kh_frame *f, struct kh_view text)
{
	return kh_terminal_say(f->errors, text);
}

/* Returns the exit status if output could not be written.  A reader that has closed is not reported. */
static int lost(struct kh_frame *f)
{
	if (f->out->error != EPIPE)
		fprintf(stderr, "keyhole %s: writing: %s\n", f->command->name, strerror(f->out->error));
	return KH_FRAME_UNUSABLE;
}

int kh_frame_json(struct kh_frame *f, struct kh_view json)
{
	return kh_frame_say(f, json) && kh_frame_say(f, KH_LIT("\n")) ? KH_FRAME_DONE : lost(f);
}

int kh_frame_object(struct kh_frame *f, yyjson_mut_val *object)
{
	struct kh_view text;

	if (kh_json_write(&f->arena, object, &text) == KH_OK)
		return kh_frame_json(f, text);
	kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	return kh_frame_fail(f);
}

int kh_frame_show(struct kh_frame *f, struct kh_view json, int (*print)(struct kh_frame *f, yyjson_val *value))
{
	yyjson_val *value;

	if (f->options.json)
		return kh_frame_json(f, json);
	if (kh_json_read(&f->arena, json, &value, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return print(f, value);
}

int kh_frame_list(struct kh_frame *f, const char *key, yyjson_mut_doc *doc, yyjson_mut_val *list)
{
	yyjson_mut_val *object = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_val(doc, object, key, list);
	return kh_frame_object(f, object);
}

int kh_frame_text(struct kh_frame *f, const struct kh_buf *buf)
{
	struct kh_view text;

	if (kh_buf_end(buf, &text) == KH_OK)
		return kh_frame_say(f, text) ? KH_FRAME_DONE : lost(f);
	kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	return kh_frame_fail(f);
}

/* Writes {"error":{...}}; from a fresh arena, because the command's own may have run out. */
static void fail_json(struct kh_frame *f, const char *hint)
{
	struct kh_arena arena;
	struct kh_view text;

	kh_arena_init(&arena, NULL, 1U << 20);
	yyjson_mut_doc *doc = kh_json_new(&arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *error = kh_json_error(doc, &f->err);
	if (hint != NULL)
		yyjson_mut_obj_add_str(doc, error, "hint", hint);
	yyjson_mut_obj_add_val(doc, root, "error", error);
	if (kh_json_write(&arena, root, &text) == KH_OK)
		kh_frame_json(f, text);
	kh_arena_done(&arena);
}

/* Writes through terminal.c, because a member's name comes from the caller and may be anything. */
static void fail_text(struct kh_frame *f, const char *code, const char *hint)
{
	struct kh_arena arena;
	struct kh_buf buf;
	struct kh_view text;

	kh_arena_init(&arena, NULL, 1U << 20);
	kh_buf_init(&buf, &arena, 65536);
	kh_buf_printf(&buf, "keyhole %s: %s: ", f->command->name, code);
	if (f->err.offset != SIZE_MAX)
		kh_buf_printf(&buf, "byte %zu: ", f->err.offset);
	if (f->err.member[0] != '\0')
		kh_buf_printf(&buf, "%s: ", f->err.member);
	kh_buf_printf(&buf, "%s\n", f->err.detail[0] != '\0' ? f->err.detail : code);
	if (hint != NULL)
		kh_buf_printf(&buf, "  %s\n", hint);
	if (kh_buf_end(&buf, &text) == KH_OK)
		kh_frame_note(f, text);
	else
		fprintf(stderr, "keyhole %s: %s\n", f->command->name, code);
	kh_arena_done(&arena);
}

int kh_frame_fail(struct kh_frame *f)
{
	const char *code = f->err.code != NULL ? f->err.code : kh_err_name(f->err.err), *hint = hint_for(f->err.code);

	if (f->options.json) {
		fail_json(f, hint);
		return KH_FRAME_UNUSABLE;
	}
	fail_text(f, code, hint);
	return KH_FRAME_UNUSABLE;
}

enum kh_err kh_frame_input(struct kh_frame *f, const char *name, size_t limit, struct kh_view *ret_text)
{
	struct kh_view text;
	enum kh_err e;

	if (strcmp(name, "-") == 0) {
		e = kh_file_read(stdin, &f->arena, &text);
		if (e != KH_OK)
			return kh_error_set(&f->err, e, "file_unreadable", "standard input: %s",
					    e == KH_EINPUT ? strerror(errno) : kh_err_name(e));
	} else {
		e = kh_file_named(&f->arena, kh_view_str(name), &text, &f->err);
		if (e != KH_OK)
			return e;
	}
	if (text.n > limit)
		return kh_error_set(&f->err, KH_ELIMIT, "too_long", "%zu bytes are too many: at most %zu are allowed",
				    text.n, limit);
	*ret_text = text;
	return KH_OK;
}

/* Prints TEXT in lines of at most WIDTH, if its words are short enough. */
static void print_wrapped(const char *text)
{
	struct kh_view rest = kh_view_str(text), word;
	size_t column = 0;

	while (rest.n > 0 && kh_view_split(&rest, ' ', &word)) {
		bool fits = column == 0 || column + 1 + word.n <= WIDTH;
		printf("%s%.*s", column == 0 ? "" : fits ? " " : "\n", KH_FMT(word));
		column = fits && column > 0 ? column + 1 + word.n : word.n;
	}
	putchar('\n');
}

static int print_help(const struct kh_frame_command *c, const struct kh_option *options, size_t count)
{
	printf("usage: keyhole %s%s%s\n\n%s\n", c->name, c->usage[0] != '\0' ? " " : "", c->usage, c->about);
	kh_option_print(options, count, stdout);
	printf("\nExit status: ");
	print_wrapped(c->status != NULL ? c->status : "0 done; 2 not usable, refused or failed.");
	return fflush(stdout) == 0 ? KH_FRAME_DONE : KH_FRAME_UNUSABLE;
}

/* Joins the command's own options with those that every command has. */
static size_t gather(struct kh_frame *f, const struct kh_option *own, size_t own_count,
		     struct kh_option ret_options[KH_FRAME_OPTIONS + COMMON_OPTIONS])
{
	const struct kh_option common[COMMON_OPTIONS] = {
		{"--home", "DIR", "the home folder (default: $KEYHOLE_HOME, or ~/.local/share/keyhole)",
		 .text = &f->options.home},
		{"--token-file", "FILE", "the token to call with (default: the home folder's)",
		 .text = &f->options.token_file},
		{"--json", NULL, "write one JSON object", .flag = &f->options.json},
		{"--help", NULL, "this", .flag = &f->help},
	};
	size_t n = own_count <= KH_FRAME_OPTIONS ? own_count : KH_FRAME_OPTIONS;

	if (n > 0)
		memcpy(ret_options, own, n * sizeof(*own));
	memcpy(ret_options + n, common, sizeof(common));
	return n + COMMON_OPTIONS;
}

/* Options may stand before, between and after the arguments, up to "--"; the arguments are moved to the end, in
 * their order. */
static enum kh_err read_words(struct kh_frame *f, const struct kh_option *options, size_t count, int argc, char **argv)
{
	char **words = KH_NEW_N(&f->arena, char *, (size_t)argc + 1);
	int n = 0, at = 0;

	if (words == NULL)
		return kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	while (at < argc) {
		int next;
		enum kh_err e = kh_option_read(options, count, argc - at, argv + at, &next, &f->err);
		if (e != KH_OK)
			return e;
		bool all = next > 1 && strcmp(argv[at + next - 1], "--") == 0;
		at += next;
		for (bool more = true; more && at < argc; at++, more = all)
			words[n++] = argv[at];
		at--; /* kh_option_read takes this one for the command's name */
		if (at + 1 >= argc)
			break;
	}
	f->words = words;
	f->count = n;
	return KH_OK;
}

/* True if --json was given.  Checked separately, so that an error in another option is JSON too. */
static bool wants_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			return true;
	return false;
}

static enum kh_err check_count(struct kh_frame *f)
{
	const struct kh_frame_command *c = f->command;

	if (f->count >= c->least && f->count <= c->most)
		return KH_OK;
	return kh_error_set(&f->err, KH_EINPUT, "bad_option", "too %s arguments; usage: keyhole %s %s",
			    f->count < c->least ? "few" : "many", c->name, c->usage);
}

/* Tells a human who waits why. */
static void wait_for_others(struct kh_frame *f)
{
	const struct timespec step = {.tv_nsec = 50 * 1000000};

	for (int i = 0; i < 20 && kh_home_is_busy(&f->home); i++)
		nanosleep(&step, NULL);
	if (kh_home_is_busy(&f->home) && isatty(STDERR_FILENO))
		fprintf(stderr, "keyhole: finishing queries that another process left behind\n");
}

static enum kh_err take_token(struct kh_frame *f)
{
	struct kh_view text;
	enum kh_err e = kh_home_token(&f->home, f->command->role, &text, &f->err);

	if (e == KH_OK)
		f->token = kh_token_read(f->home.engine, text);
	return e;
}

static int run_open(struct kh_frame *f)
{
	const struct kh_frame_command *c = f->command;
	struct kh_error err = {.offset = SIZE_MAX};

	if (!c->without_home && kh_home_open(&f->home, c->use, &f->options, &f->err) != KH_OK)
		return kh_frame_fail(f);
	int status;
	if (!c->without_home && !c->without_token && take_token(f) != KH_OK)
		status = kh_frame_fail(f);
	else
		status = c->run(f);
	if (c->without_home)
		return status;
	wait_for_others(f);
	/* What the command did is durable; the next command tries a failed checkpoint or witness again. */
	if (!kh_home_close(&f->home, &err) && status != KH_FRAME_UNUSABLE)
		fprintf(stderr, "keyhole %s: warning: while closing: %s: %s\n", c->name,
			err.code != NULL ? err.code : kh_err_name(err.err), err.detail);
	return status;
}

static bool make_terminals(struct kh_frame *f)
{
	f->out = KH_NEW(&f->arena, struct kh_terminal);
	f->errors = KH_NEW(&f->arena, struct kh_terminal);
	if (f->out == NULL || f->errors == NULL)
		return false;
	kh_terminal_init(f->out, STDOUT_FILENO, false);
	kh_terminal_init(f->errors, STDERR_FILENO, false);
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	f->has_colour = f->out->escapes && (no == NULL || no[0] == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
	return true;
}

int kh_frame_main(const struct kh_frame_command *command, const struct kh_option *own, size_t own_count, void *args,
		  int argc, char **argv)
{
	struct kh_frame f = {.command = command, .args = args, .err = {.offset = SIZE_MAX}};
	struct kh_option options[KH_FRAME_OPTIONS + COMMON_OPTIONS];
	int status;

	kh_foreground_reserve();
	kh_arena_init(&f.arena, NULL, MEMORY);
	size_t count = gather(&f, own, own_count, options);
	f.options.json = wants_json(argc, argv);
	if (!make_terminals(&f)) {
		fputs("keyhole: out of memory\n", stderr);
		kh_arena_done(&f.arena);
		return KH_FRAME_UNUSABLE;
	}
	enum kh_err e = read_words(&f, options, count, argc, argv);
	if (e == KH_OK && !f.help)
		e = check_count(&f);
	if (e != KH_OK)
		status = kh_frame_fail(&f);
	else
		status = f.help ? print_help(command, options, count) : run_open(&f);
	kh_arena_done(&f.arena);
	return status;
}
