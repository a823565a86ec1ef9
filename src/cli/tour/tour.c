/* The tour from beginning to end: makes a folder and a home, runs the steps (web.h, reader.h, upstream.h), checks the
 * record, and removes everything. */
#include "cli/tour/tour.h"

#include "cli/tour/reader.h"
#include "cli/tour/upstream.h"
#include "cli/tour/web.h"
#include "home/file.h"
#include "home/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

struct tour {
	struct kh_stage stage;
	struct kh_tour_web web;
	struct kh_tour_upstream upstream;
	const char *copy; /* a second home, forged */
};

/* --- the record --------------------------------------------------------------------------------------------------- */

/* Copies a file of the home; CHANGE may alter its bytes. */
static enum kh_err copy_file(struct tour *t, const char *name, bool (*change)(char *bytes, size_t n))
{
	const char *from = kh_stage_path(&t->stage, t->stage.home, name), *to = kh_stage_path(&t->stage, t->copy, name);
	struct kh_error err;
	struct kh_view text;
	int fd;

	enum kh_err e = kh_file_named(t->stage.arena, kh_view_str(from), &text, &err);
	if (e == KH_OK && change != NULL && !change((char *)(uintptr_t)text.p, text.n)) /* the arena's own bytes */
		e = KH_EUNKNOWN;
	if (e == KH_OK)
		e = kh_folder_reserve(t->stage.arena, to, &fd, &err);
	return e == KH_OK ? kh_folder_fill(fd, to, text, &err) : e;
}

static enum kh_err copy_home(struct tour *t, bool (*change)(char *bytes, size_t n))
{
	DIR *dir = opendir(t->stage.home);
	enum kh_err e = dir != NULL && mkdir(t->copy, 0700) == 0 ? KH_OK : KH_EINPUT;

	for (struct dirent *entry; e == KH_OK && (entry = readdir(dir)) != NULL;) {
		bool is_store = strcmp(entry->d_name, KH_FOLDER_STORE) == 0;
		if (entry->d_name[0] != '.' && entry->d_type == DT_REG)
			e = copy_file(t, entry->d_name, is_store ? change : NULL);
	}
	if (dir != NULL)
		closedir(dir);
	return e;
}

/* Changes one digit in the body of an event: the time of a delivery. */
static bool change_digit(char *bytes, size_t n)
{
	struct kh_view file = {bytes, n};
	size_t kind = kh_view_find(file, KH_LIT("\"kind\":\"query.delivered\""), 0), at = SIZE_MAX, from;

	if (kind == SIZE_MAX)
		return false;
	for (from = kind > 200 ? kind - 200 : 0;
	     (from = kh_view_find(file, KH_LIT("{\"at\":"), from)) != SIZE_MAX && from < kind; from++)
		at = from + 6;
	if (at == SIZE_MAX || !kh_ascii_is_digit(bytes[at + 8]))
		return false;
	bytes[at + 8] = bytes[at + 8] == '9' ? '0' : (char)(bytes[at + 8] + 1);
	return true;
}

static void step_audit(struct tour *t)
{
	struct kh_stage *s = &t->stage;

	kh_stage_heading(s, "The record: verified, then forged");
	kh_stage_say(
		s,
		"The heads of all chains are signed (a line for a witness elsewhere), and all of it is verified:\n\n");
	KH_STAGE_TYPE(s, 0, "audit", "checkpoint");
	KH_STAGE_TYPE(s, 0, "audit", "verify", "--state");
	kh_stage_expect_text(s, "good");
	kh_stage_say(s, "\nA copy of the store, in which one byte is another: a digit in the time of a delivery.\n\n");
	kh_stage_expect(s, copy_home(t, change_digit) == KH_OK, "cannot make a changed copy of the home");
	KH_STAGE_TYPE(s, 1, "audit", "verify", "--home", "forged");
	kh_stage_expect_text(s, "event_changed");
	kh_stage_why(s,
		     "Everything above was on the record, chained and signed, before it took effect. What was changed\n"
		     "   later shows, and where.");
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static bool make_folder(struct tour *t)
{
	struct kh_stage *s = &t->stage;
	const char *tmp = getenv("TMPDIR");
	struct kh_view name = kh_arena_printf(s->arena, "%s/keyhole-demo-XXXXXX",
					      tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	char real[PATH_MAX];

	if (name.p == NULL || mkdtemp((char *)(uintptr_t)name.p) == NULL || realpath(name.p, real) == NULL)
		return false;
	s->folder = kh_arena_dup(s->arena, kh_view_of(real, strlen(real) + 1)).p;
	if (s->folder == NULL)
		return false;
	s->home = kh_stage_path(s, s->folder, "home");
	t->copy = kh_stage_path(s, s->folder, "forged");
	return s->home[0] != '\0' && t->copy[0] != '\0';
}

static void tell(struct tour *t)
{
	struct kh_stage *s = &t->stage;

	kh_stage_say(
		s, "Keyhole stands between an agent that may act and text that may lie. This tour takes it through a\n"
		   "web page and an MCP server that want the agent to do something else, with commands that you could\n"
		   "type yourself. In a hurry? Read the lines that begin with =>.\n");
	kh_stage_heading(s, "A home: store, policy, tokens, a key for the record");
	kh_frame_say(s->frame, kh_arena_printf(s->arena, "$ export KEYHOLE_HOME=%s\n", s->home));
	KH_STAGE_TYPE(s, 0, "init");
	kh_tour_web_start(s, &t->web);
	kh_tour_web_fetch(s, &t->web);
	kh_tour_reader_ask(s, t->web.task);
	kh_tour_web_held(s, &t->web);
	kh_tour_reader_turned(s, t->web.task);
	kh_tour_reader_summary(s);
	kh_tour_reader_budget(s, t->web.task);
	kh_tour_upstream_call(s, &t->upstream);
	kh_tour_upstream_changed(s, &t->upstream);
	step_audit(t);
	kh_tour_web_stop(&t->web);
}

static void finish(struct tour *t)
{
	struct kh_stage *s = &t->stage;
	const struct kh_tour_args *a = s->frame->args;

	if (a->keep) {
		kh_frame_say(s->frame, kh_arena_printf(s->arena, "\nAll of it is in %s.\n", s->folder));
		return;
	}
	kh_stage_remove(s->folder);
}

/* From now on a signal that would end the tour is read from a descriptor, so that the folder is removed first. */
static bool heed_signals(struct kh_typed *typed)
{
	sigset_t set = kh_frame_heeded();

	typed->stops = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return typed->stops >= 0 && sigprocmask(SIG_BLOCK, &set, &typed->mask) == 0;
}

/* Returns the signal that has stopped the tour; 0: none has. */
static int stopped_by(const struct kh_typed *typed)
{
	struct signalfd_siginfo info;

	return read(typed->stops, &info, sizeof(info)) == (ssize_t)sizeof(info) ? (int)info.ssi_signo : 0;
}

int kh_tour_run(struct kh_frame *f)
{
	struct tour t = {.stage = {.frame = f, .arena = &f->arena}};
	struct kh_stage *s = &t.stage;

	s->shown = KH_NEW(&f->arena, struct kh_terminal);
	if (s->shown == NULL || !heed_signals(&s->typed) || !make_folder(&t))
		return KH_FRAME_REFUSE(f, "file_unwritable", "cannot make a temporary folder: %s", strerror(errno));
	kh_terminal_init(s->shown, STDOUT_FILENO, false);
	s->shown->escapes = true;
	s->typed.arena = &f->arena;
	s->typed.out = f->out;
	s->typed.home = s->home;
	s->typed.folder = s->folder;
	s->typed.has_colour = f->has_colour;
	signal(SIGPIPE, SIG_IGN); /* if the output is closed, the folder is still removed */
	tell(&t);
	finish(&t);
	int caught = stopped_by(&s->typed);
	close(s->typed.stops);
	if (caught != 0)
		return 128 + caught;
	if (s->has_failed)
		kh_stage_say(s, "\nThe tour did not come out as it must: see the lines that begin with !!.\n");
	return s->has_failed ? KH_FRAME_NOT : KH_FRAME_DONE;
}
