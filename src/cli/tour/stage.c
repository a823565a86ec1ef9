/* Printing, running commands, checking their output. */
#include "cli/tour/stage.h"

#include "home/file.h"
#include "home/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define POLICY "\npolicy:\n" /* the head of that section in keyhole.yaml */

/* True if the user has stopped the tour.  Then nothing more is shown, whichever step it is in. */
static bool is_stopped(struct kh_stage *s)
{
	if (!s->is_silent && kh_typed_is_stopped(&s->typed)) {
		int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
		s->is_silent = true;
		if (nowhere >= 0 && dup2(nowhere, s->frame->out->fd) >= 0)
			close(nowhere);
	}
	return s->is_silent;
}

void kh_stage_say(struct kh_stage *s, const char *text)
{
	if (!is_stopped(s))
		kh_frame_say(s->frame, kh_view_str(text));
}

void kh_stage_heading(struct kh_stage *s, const char *text)
{
	struct kh_view line = kh_arena_printf(s->arena, "%d. %s", ++s->step, text);

	kh_stage_say(s, "\n");
	if (s->typed.has_colour)
		dprintf(s->frame->out->fd, "\033[1;36m");
	kh_frame_say(s->frame, line);
	if (s->typed.has_colour)
		dprintf(s->frame->out->fd, "\033[0m");
	kh_stage_say(s, "\n\n");
}

void kh_stage_why(struct kh_stage *s, const char *text)
{
	kh_stage_say(s, "\n=> ");
	kh_stage_say(s, text);
	kh_stage_say(s, "\n");
}

void kh_stage_expect(struct kh_stage *s, bool is_so, const char *what)
{
	if (is_so || is_stopped(s))
		return;
	s->has_failed = true;
	struct kh_view line = kh_arena_printf(s->arena, "!! this step did not come out as it must: %s\n", what);
	kh_frame_say(s->frame, line);
}

void kh_stage_type(struct kh_stage *s, int want, const char *const *words)
{
	struct kh_error err = {.offset = SIZE_MAX};

	s->output = (struct kh_view){NULL, 0};
	s->status = -1;
	if (is_stopped(s))
		return;
	if (kh_typed_run(&s->typed, words, &s->status, &s->output, &err) != KH_OK) {
		kh_stage_expect(s, false, err.detail);
		return;
	}
	struct kh_view what = kh_arena_printf(s->arena, "exit status %d, and not %d", s->status, want);
	kh_stage_expect(s, s->status == want, what.p != NULL ? what.p : "exit status");
}

void kh_stage_type_from(struct kh_stage *s, const char *input, int want, const char *const *words)
{
	s->typed.input = input;
	s->typed.is_quiet = true;
	kh_stage_type(s, want, words);
	s->typed.is_quiet = false;
	s->typed.input = NULL;
}

bool kh_stage_wrote(const struct kh_stage *s, const char *text)
{
	return kh_view_find(s->output, kh_view_str(text), 0) != SIZE_MAX;
}

void kh_stage_expect_text(struct kh_stage *s, const char *text)
{
	struct kh_view what = kh_arena_printf(s->arena, "the output has no \"%s\"", text);

	kh_stage_expect(s, kh_stage_wrote(s, text), what.p != NULL ? what.p : text);
}

const char *kh_stage_id(struct kh_stage *s, char letter)
{
	return kh_typed_id(s->arena, s->output, letter);
}

const char *kh_stage_approval(struct kh_stage *s, const char *approval)
{
	KH_STAGE_TYPE(s, 0, "approvals", "show", approval);
	return kh_typed_digest(s->arena, s->output);
}

const char *kh_stage_path(struct kh_stage *s, const char *folder, const char *name)
{
	const char *path = kh_arena_printf(s->arena, "%s/%s", folder, name).p;

	return path != NULL ? path : "";
}

void kh_stage_put(struct kh_stage *s, const char *name, struct kh_view text)
{
	struct kh_error err = {.offset = SIZE_MAX};
	const char *path = kh_stage_path(s, s->folder, name);
	int fd = -1;
	enum kh_err e = kh_folder_reserve(s->arena, path, &fd, &err);

	if (e == KH_OK)
		e = kh_folder_fill(fd, path, text, &err);
	kh_stage_expect(s, e == KH_OK, err.detail);
}

void kh_stage_show(struct kh_stage *s, const char *name, const char *text)
{
	struct kh_view rest = kh_view_str(text), line;

	kh_stage_put(s, name, rest);
	kh_frame_say(s->frame, kh_arena_printf(s->arena, "%s:\n", name));
	while (rest.n > 0 && kh_view_split(&rest, '\n', &line))
		kh_frame_say(s->frame, kh_arena_printf(s->arena, "    %.*s\n", KH_FMT(line)));
	kh_stage_say(s, "\n");
}

void kh_stage_query(struct kh_stage *s, const char *task, const char *name, const char *query, int want,
		    const char *expected)
{
	kh_stage_show(s, name, query);
	KH_STAGE_TYPE(s, want, "query", name, "--task", task);
	kh_stage_expect_text(s, expected);
}

void kh_stage_configure(struct kh_stage *s, struct kh_view text)
{
	int fd = open(kh_stage_path(s, s->home, KH_FOLDER_CONFIG), O_WRONLY | O_APPEND | O_CLOEXEC);
	bool good = fd >= 0 && text.p != NULL && write(fd, text.p, text.n) == (ssize_t)text.n;

	if (fd >= 0 && close(fd) != 0)
		good = false;
	kh_stage_expect(s, good, "cannot add to keyhole.yaml");
}

void kh_stage_govern(struct kh_stage *s, struct kh_view text)
{
	const char *path = kh_stage_path(s, s->home, KH_FOLDER_CONFIG);
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_view old, new = {NULL, 0};

	enum kh_err e = kh_file_named(s->arena, kh_view_str(path), &old, &err);
	size_t at = e == KH_OK ? kh_view_find(old, KH_LIT(POLICY), 0) : SIZE_MAX;
	if (at != SIZE_MAX) {
		at += sizeof(POLICY) - 1;
		new = kh_arena_printf(s->arena, "%.*s%.*s%.*s", (int)at, old.p, KH_FMT(text), (int)(old.n - at),
				      old.p + at);
	}
	int fd = new.p != NULL ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;
	kh_stage_expect(s, fd >= 0 && kh_file_write(fd, new), "cannot add to the policy in keyhole.yaml");
	kh_file_close(fd);
}

bool kh_stage_has_sandbox(struct kh_stage *s)
{
	struct kh_error err;
	struct kh_view output;
	int status = -1;

	return kh_typed_quietly(&s->typed, (const char *const[]){"sandbox", "run", "--", "true", NULL}, &status,
				&output, &err) == KH_OK &&
	       status == 0;
}

/* Removes everything in the folder that FD is open on, and closes FD.  Links are not followed. */
static void empty(int fd)
{
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(dir), entry->d_name, 0) == 0)
			continue;
		empty(openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir != NULL)
		closedir(dir);
}

void kh_stage_remove(const char *path)
{
	empty(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	rmdir(path);
}
