/* Runs this program again.  Its environment is made here, so that the caller's own token is not used. */
#include "cli/tour/typed.h"

#include "base/buf.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_LIMIT  (1U << 20)
#define TIME_LIMIT    30 /* seconds */
#define GRACE         5  /* seconds for a command that was told to end */
#define ID_DIGITS     16
#define DIGEST_DIGITS 64

static void say(const struct kh_typed *t, struct kh_view text)
{
	kh_terminal_say(t->out, text);
}

/* True if a shell takes WORD for one word; others are quoted. */
static bool is_plain(const char *word)
{
	return word[0] != '\0' && kh_view_is_word(kh_view_str(word), "-_./=:");
}

static void show_command(const struct kh_typed *t, const char *const *words)
{
	struct kh_buf buf;
	struct kh_view line;

	kh_buf_init(&buf, t->arena, 65536);
	kh_buf_lit(&buf, "$ keyhole");
	for (; *words != NULL; words++)
		kh_buf_printf(&buf, is_plain(*words) ? " %s" : " \"%s\"", *words);
	if (t->input != NULL)
		kh_buf_printf(&buf, " < %s", t->input);
	if (kh_buf_end(&buf, &line) != KH_OK)
		return;
	/* Colours are written directly, because terminal.c would escape them; only here. */
	if (t->has_colour)
		dprintf(t->out->fd, "\033[1m");
	say(t, line);
	if (t->has_colour)
		dprintf(t->out->fd, "\033[0m");
	say(t, KH_LIT("\n"));
}

static void show_output(const struct kh_typed *t, struct kh_view output)
{
	struct kh_view rest = output, line;

	while (rest.n > 0 && kh_view_split(&rest, '\n', &line)) {
		if (line.n > 0)
			say(t, KH_LIT("    "));
		say(t, line);
		say(t, KH_LIT("\n"));
	}
}

bool kh_typed_is_stopped(const struct kh_typed *typed)
{
	struct pollfd p = {.fd = typed->stops, .events = POLLIN};

	return typed->stops > 0 && poll(&p, 1, 0) > 0;
}

/* Reads FD until its end; returns false if SECONDS are over, or if there is something to read on STOPS (0: none). */
static bool collect(int fd, int stops, int seconds, struct kh_buf *buf)
{
	int64_t end = kh_clock_ms() + (int64_t)seconds * 1000;
	char piece[4096];

	for (;;) {
		struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = stops > 0 ? stops : -1, .events = POLLIN}};
		int64_t left = end - kh_clock_ms();
		if (left <= 0 || poll(p, 2, (int)left) == 0 || p[1].revents != 0)
			return false;
		ssize_t n = read(fd, piece, sizeof(piece));
		if (n == 0)
			return true;
		if (n > 0)
			kh_buf_add(buf, kh_view_of(piece, (size_t)n));
		else if (errno != EINTR)
			return false;
	}
}

/* The working directory comes first, because the input is a file in it. */
static int prepare(const struct kh_typed *t, int out, posix_spawn_file_actions_t *actions,
		   posix_spawnattr_t *attributes)
{
	const char *input = t->input != NULL ? t->input : "/dev/null";
	int why = posix_spawn_file_actions_addchdir_np(actions, t->folder);

	if (why == 0)
		why = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, input, O_RDONLY, 0);
	if (why == 0)
		why = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (why == 0)
		why = posix_spawn_file_actions_adddup2(actions, out, STDERR_FILENO);
	if (why == 0)
		why = posix_spawnattr_setsigmask(attributes, &t->mask);
	return why == 0 ? posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK) : why;
}

static int start(const struct kh_typed *t, const char *const *words, int out, pid_t *ret_pid)
{
	char *argv[KH_TYPED_WORDS + 2] = {(char *)(uintptr_t) "keyhole"};
	struct kh_view home = kh_arena_printf(t->arena, "KEYHOLE_HOME=%s", t->home);
	char *env[] = {(char *)(uintptr_t)home.p, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	if (home.p == NULL)
		return ENOMEM;
	for (size_t i = 0; i < KH_TYPED_WORDS && words[i] != NULL; i++)
		argv[i + 1] = (char *)(uintptr_t)words[i];
	int why = posix_spawn_file_actions_init(&actions);
	if (why != 0)
		return why;
	why = posix_spawnattr_init(&attributes);
	if (why == 0) {
		why = prepare(t, out, &actions, &attributes);
		if (why == 0)
			why = posix_spawn(ret_pid, "/proc/self/exe", &actions, &attributes, argv, env);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return why;
}

int kh_typed_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 128;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum kh_err kh_typed_quietly(const struct kh_typed *typed, const char *const *words, int *ret_status,
			     struct kh_view *ret_output, struct kh_error *err)
{
	struct kh_buf buf;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return kh_error_set(err, KH_EINPUT, "cannot_run", "pipe: %s", strerror(errno));
	int why = start(typed, words, ends[1], &pid);
	close(ends[1]);
	if (why != 0) {
		close(ends[0]);
		return kh_error_set(err, KH_EINPUT, "cannot_run", "cannot start keyhole: %s", strerror(why));
	}
	kh_buf_init(&buf, typed->arena, OUTPUT_LIMIT);
	if (!collect(ends[0], typed->stops, TIME_LIMIT, &buf)) {
		kill(pid, SIGTERM);
		if (!collect(ends[0], 0, GRACE, &buf))
			kill(pid, SIGKILL);
	}
	close(ends[0]);
	*ret_status = kh_typed_wait(pid);
	enum kh_err e = kh_buf_end(&buf, ret_output);
	return e == KH_OK ? KH_OK : kh_error_set(err, e, "cannot_run", "its output is too long");
}

enum kh_err kh_typed_run(const struct kh_typed *typed, const char *const *words, int *ret_status,
			 struct kh_view *ret_output, struct kh_error *err)
{
	show_command(typed, words);
	enum kh_err e = kh_typed_quietly(typed, words, ret_status, ret_output, err);
	if (e == KH_OK && !typed->is_quiet && !kh_typed_is_stopped(typed))
		show_output(typed, *ret_output);
	return e;
}

static bool is_hex(char c)
{
	return kh_ascii_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Finds the first word of TEXT that is LETTER (0: none) and then exactly DIGITS hexadecimal digits. */
static const char *find_word(struct kh_arena *arena, struct kh_view text, char letter, size_t digits)
{
	size_t skip = letter != 0 ? 1 : 0;

	for (size_t i = 0; i + skip + digits <= text.n; i++) {
		size_t n = skip;
		bool begins = i == 0 || (!kh_ascii_is_alpha(text.p[i - 1]) && !kh_ascii_is_digit(text.p[i - 1]));
		if (!begins || (letter != 0 && text.p[i] != letter))
			continue;
		while (i + n < text.n && is_hex(text.p[i + n]))
			n++;
		if (n == skip + digits) {
			const char *word = kh_arena_printf(arena, "%.*s", (int)n, text.p + i).p;
			return word != NULL ? word : "";
		}
	}
	return "";
}

const char *kh_typed_id(struct kh_arena *arena, struct kh_view text, char letter)
{
	return find_word(arena, text, letter, ID_DIGITS);
}

const char *kh_typed_digest(struct kh_arena *arena, struct kh_view text)
{
	return find_word(arena, text, 0, DIGEST_DIGITS);
}
