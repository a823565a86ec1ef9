/* The frame of commands.  Text of others is written through terminal.c, JSON included; secrets are wiped with the
 * home. */
#include "cli/frame.h"

#include "base/json.h"
#include "cli/remotecall.h"
#include "home/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MEMORY ((size_t)8 << 30)

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
	{"store_full", "make room on the disk and try again: nothing of it was recorded"},
	{"disk_low", "make room on the disk and try again: nothing was done"},
	{"outcome_unrecorded", "make room on the disk and ask again, with the id: it is not done a second time"},
	{"store_busy", "another process holds the store: try again"},
	{"store_corrupt", "`keyhole audit verify` says where; put back a copy"},
	{"store_older", "this is an older copy of the store than the witness saw: put back the newer one"},
	{"witness_changed", "put back what the witness file had, or name another file as audit.witness_file"},
	{"witness_incomplete", "put back what the witness file had, or name another file as audit.witness_file"},
};

static const char *hint_for(const struct kh_frame *f, const char *code)
{
	const char *hint = f->remote != NULL ? kh_remote_hint(code) : NULL;

	if (hint != NULL)
		return hint;
	/* A reviewer of a gateway that is another user's has no home, and needs none. */
	if (f->command->is_over && kh_home_is_missing(&f->err))
		return "if the gateway is another user's: --url URL or KEYHOLE_URL, and --token-file FILE";
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

int kh_frame_fail_memory(struct kh_frame *f)
{
	kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	return kh_frame_fail(f);
}

int kh_frame_object(struct kh_frame *f, yyjson_mut_val *object)
{
	struct kh_view text;

	return kh_json_write(&f->arena, object, &text) == KH_OK ? kh_frame_json(f, text) : kh_frame_fail_memory(f);
}

int kh_frame_pairs(struct kh_frame *f, const struct kh_frame_pair *pairs)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	for (; pairs->key != NULL; pairs++)
		if (pairs->text.n > 0)
			kh_json_add(doc, obj, pairs->key, pairs->text);
	return kh_frame_object(f, obj);
}

int kh_frame_outcome(int status, bool is_hoped)
{
	return status == KH_FRAME_DONE && !is_hoped ? KH_FRAME_NOT : status;
}

int kh_frame_list(struct kh_frame *f, const char *key, yyjson_mut_doc *doc, yyjson_mut_val *list)
{
	yyjson_mut_val *object = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_val(doc, object, key, list);
	return kh_frame_object(f, object);
}

struct kh_buf kh_frame_buf(struct kh_frame *f)
{
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	return buf;
}

int kh_frame_text(struct kh_frame *f, const struct kh_buf *buf)
{
	struct kh_view text;

	if (kh_buf_end(buf, &text) != KH_OK)
		return kh_frame_fail_memory(f);
	return kh_frame_say(f, text) ? KH_FRAME_DONE : lost(f);
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
	const char *code = f->err.code != NULL ? f->err.code : kh_err_name(f->err.err),
		   *hint = hint_for(f, f->err.code);

	if (f->command->is_tool)
		fprintf(stderr, "keyhole: %s: %s: %s\n", f->command->name, code, f->err.detail);
	else if (f->options.json)
		fail_json(f, hint);
	else
		fail_text(f, code, hint);
	return f->command->unusable != 0 ? f->command->unusable : KH_FRAME_UNUSABLE;
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

enum kh_err kh_frame_input_json(struct kh_frame *f, const char *name, size_t limit, yyjson_val **ret_root)
{
	struct kh_view text;
	enum kh_err e = kh_frame_input(f, name, limit, &text);

	return e == KH_OK ? kh_json_read(&f->arena, text, ret_root, &f->err) : e;
}

enum kh_err kh_frame_call_in(struct kh_frame *f, struct kh_arena *arena, kh_engine_fn *fn, void *call)
{
	if (f->remote != NULL)
		return kh_remotecall_run(f->remote, fn, call, arena, &f->err);
	return kh_engine_call(f->home.engine, f->token, fn, call, arena, &f->err);
}

enum kh_err kh_frame_call(struct kh_frame *f, kh_engine_fn *fn, void *call)
{
	return kh_frame_call_in(f, &f->arena, fn, call);
}

int kh_frame_do(struct kh_frame *f, kh_engine_fn *fn, void *call, const struct kh_frame_pair *pairs)
{
	if (kh_frame_call(f, fn, call) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? kh_frame_pairs(f, pairs) : KH_FRAME_DONE;
}

int kh_frame_show(struct kh_frame *f, kh_engine_fn *fn, void *call, const struct kh_view *json,
		  void (*print)(struct kh_buf *buf, yyjson_val *value))
{
	struct kh_buf buf = kh_frame_buf(f);
	yyjson_val *value;

	if (kh_frame_call(f, fn, call) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, *json);
	if (kh_json_read(&f->arena, *json, &value, &f->err) != KH_OK)
		return kh_frame_fail(f);
	print(&buf, value);
	return kh_frame_text(f, &buf);
}

/* --- options and arguments ---------------------------------------------------------------------------------------- */

/* Those that every command has; a tool has only the last one. */
static const struct kh_option common[] = {
	{"--home", "DIR", "the home folder (default: $KEYHOLE_HOME, or ~/.local/share/keyhole)",
	 KH_OPTION(struct kh_frame, options.home)},
	{"--token-file", "FILE", "the token to call with (default: the home folder's)",
	 KH_OPTION(struct kh_frame, options.token_file)},
	{"--json", NULL, "write one JSON object", KH_OPTION(struct kh_frame, options.json)},
	{"--help", NULL, "this", KH_OPTION(struct kh_frame, help)},
};

/* Those of commands that can be run over a gateway. */
static const struct kh_option over_gateway[] = {
	{"--url", "URL", "the gateway to call, in place of a home folder (default: $KEYHOLE_URL)",
	 KH_OPTION(struct kh_frame, gateway.url)},
	{"--ca", "FILE", "with --url: trust these certificates (default: $KEYHOLE_CA, or the system's)",
	 KH_OPTION(struct kh_frame, gateway.ca)},
};

#define COMMON (sizeof(common) / sizeof(common[0]))
#define OVER   (sizeof(over_gateway) / sizeof(over_gateway[0]))
#define TABLES 3

static void gather(struct kh_frame *f, struct kh_options ret_tables[TABLES])
{
	const struct kh_frame_command *c = f->command;
	size_t left_out = c->is_tool ? COMMON - 1 : 0;

	ret_tables[0] = (struct kh_options){c->options, c->option_count, f->args};
	ret_tables[1] = (struct kh_options){over_gateway, c->is_over || c->only_there != NULL ? OVER : 0, f};
	ret_tables[2] = (struct kh_options){common + left_out, COMMON - left_out, f};
}

static int print_help(const struct kh_frame_command *c, const struct kh_options tables[TABLES])
{
	printf("usage: keyhole %s%s%s\n\n%s\n", c->name, c->usage[0] != '\0' ? " " : "", c->usage, c->about);
	for (size_t i = 0; i < TABLES; i++)
		kh_option_print(&tables[i], stdout);
	printf("\n%sExit status: %s\n", c->units != NULL ? c->units : "",
	       c->status != NULL ? c->status : "0 done; 2 not usable, refused or failed.");
	if (fflush(stdout) == 0)
		return KH_FRAME_DONE;
	return c->unusable != 0 ? c->unusable : KH_FRAME_UNUSABLE;
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

	if (c->is_tool || (f->count >= c->least && f->count <= c->most))
		return KH_OK;
	return kh_error_set(&f->err, KH_EINPUT, "bad_option", "too %s arguments; usage: keyhole %s %s",
			    f->count < c->least ? "few" : "many", c->name, c->usage);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

sigset_t kh_frame_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

sigset_t kh_frame_heeded(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set = kh_frame_signals();

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction now;
		if (sigaction(signals[i], NULL, &now) != 0 || now.sa_handler == SIG_IGN)
			sigdelset(&set, signals[i]);
	}
	return set;
}

void kh_frame_close(struct kh_frame *f)
{
	struct kh_error err = {.offset = SIZE_MAX};

	if (!kh_home_close(&f->home, &err))
		fprintf(stderr, "keyhole %s: warning: while closing: %s: %s\n", f->command->name,
			err.code != NULL ? err.code : kh_err_name(err.err), err.detail);
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

static int run_at_home(struct kh_frame *f)
{
	const struct kh_frame_command *c = f->command;
	struct kh_error err = {.offset = SIZE_MAX};
	sigset_t signals = kh_frame_signals();
	int status;

	if (c->waits)
		sigprocmask(SIG_BLOCK, &signals, NULL);
	if (kh_home_open(&f->home, c->use, &f->options, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (!c->without_token && take_token(f) != KH_OK)
		status = kh_frame_fail(f);
	else
		status = c->run(f);
	wait_for_others(f);
	/* After an error, a second one is not reported: the next command tries a failed checkpoint or witness again. */
	if (status != KH_FRAME_UNUSABLE)
		kh_frame_close(f);
	else
		(void)kh_home_close(&f->home, &err);
	return status;
}

/* True if the command is for a gateway: --url says so, or $KEYHOLE_URL if no home is named. */
static bool is_over(const struct kh_frame *f)
{
	bool can = f->command->is_over || f->command->only_there != NULL;

	if (!can || (f->gateway.url == NULL && f->options.home != NULL))
		return false;
	return kh_remote_url(&f->gateway) != NULL;
}

/* Reads the token as that of a caller who has no home, and opens the gateway. */
static enum kh_err open_gateway(struct kh_frame *f)
{
	struct kh_view token;
	struct kh_error err;

	if (f->options.home != NULL)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--url and --home: one of them is enough");
	f->home = (struct kh_home){.use = KH_HOME_LOOK, .folder.fd = -1, .token_file = f->options.token_file};
	kh_arena_init(&f->home.arena, NULL, 1U << 20);
	enum kh_err e = kh_home_token(&f->home, f->command->role, &token, &f->err);
	if (e == KH_OK)
		e = kh_remote_open(f->remote, &f->gateway, token, &f->arena, &f->err);
	(void)kh_home_close(&f->home, &err);
	return e;
}

static int run_over(struct kh_frame *f)
{
	sigset_t signals = kh_frame_signals();

	if (f->command->only_there != NULL)
		return KH_FRAME_REFUSE(f, "not_here", "%s", f->command->only_there);
	f->remote = KH_NEW(&f->arena, struct kh_remote);
	if (f->remote == NULL)
		return KH_FRAME_REFUSE(f, "out_of_memory", "out of memory");
	f->remote->client.control = -1;
	enum kh_err e = open_gateway(f);
	if (f->command->waits)
		sigprocmask(SIG_BLOCK, &signals, NULL);
	int status = e == KH_OK ? f->command->run(f) : kh_frame_fail(f);
	kh_remote_close(f->remote);
	return status;
}

/* Makes sure that descriptors 0, 1 and 2 are open, even if the parent closed them, so that no channel takes their
 * place. */
static void reserve(void)
{
	int fd;

	/* Read-only, so that writing to an output that was not open fails, and is reported. */
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
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

static int run(struct kh_frame *f, int argc, char **argv)
{
	const struct kh_frame_command *c = f->command;
	struct kh_options tables[TABLES];

	gather(f, tables);
	kh_option_preset(&tables[0]);
	f->options.json = !c->is_tool && wants_json(argc, argv);
	f->words = KH_NEW_N(&f->arena, char *, (size_t)argc);
	if (f->words == NULL)
		return kh_frame_fail_memory(f);
	enum kh_err e = kh_option_read(tables, TABLES, c->is_tool, argc, argv, f->words, &f->count, &f->err);
	if (e == KH_OK && f->help)
		return print_help(c, tables);
	if (e == KH_OK)
		e = check_count(f);
	if (e != KH_OK)
		return kh_frame_fail(f);
	if (is_over(f))
		return run_over(f);
	return c->without_home ? c->run(f) : run_at_home(f);
}

int kh_frame_main(const struct kh_frame_command *command, const void *with, int argc, char **argv)
{
	struct kh_frame f = {.command = command, .with = with, .err = {.offset = SIZE_MAX}};
	int status = KH_FRAME_UNUSABLE;

	reserve();
	kh_arena_init(&f.arena, NULL, MEMORY);
	f.args = kh_arena_alloc(&f.arena, command->size);
	if (f.args == NULL || !make_terminals(&f))
		fputs("keyhole: out of memory\n", stderr);
	else
		status = run(&f, argc, argv);
	kh_arena_done(&f.arena);
	return status;
}
