/* Input of the command line.  Everything is bounded; nothing is interpreted. */
#include "home/file.h"

#include "base/buf.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum kh_err kh_file_read(FILE *file, struct kh_arena *arena, struct kh_view *ret_text)
{
	struct kh_buf buf;
	char piece[16384];
	size_t n;

	kh_buf_init(&buf, arena, KH_FILE_LIMIT);
	/* feof() first, because a terminal would have to be told its end twice. */
	while (buf.err == KH_OK && !feof(file) && (n = fread(piece, 1, sizeof(piece), file)) > 0)
		kh_buf_add(&buf, kh_view_of(piece, n));
	return ferror(file) ? KH_EINPUT : kh_buf_end(&buf, ret_text);
}

enum kh_err kh_file_line(FILE *file, struct kh_arena *arena, struct kh_view *ret_line, bool *ret_end)
{
	struct kh_buf buf;
	char piece[16384];
	size_t n = 0;
	bool any = false;
	int c;

	kh_buf_init(&buf, arena, KH_FILE_LIMIT);
	while ((c = getc_unlocked(file)) != EOF && c != '\n') {
		any = true;
		piece[n++] = (char)c;
		if (n == sizeof(piece)) {
			kh_buf_add(&buf, kh_view_of(piece, n));
			n = 0;
		}
	}
	kh_buf_add(&buf, kh_view_of(piece, n));
	*ret_end = c == EOF && !any;
	return ferror(file) ? KH_EINPUT : kh_buf_end(&buf, ret_line);
}

/* Opens a plain file only, because a pipe or a device could block us for ever. */
static enum kh_err open_plain(struct kh_view name, size_t n, FILE **ret_file)
{
	struct stat st;

	errno = EINVAL; /* for a name with a NUL in it */
	int fd = n > 0 && strlen(name.p) == n ? open(name.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return KH_EINPUT;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return KH_EINPUT;
	}
	*ret_file = fdopen(fd, "r");
	return *ret_file ? KH_OK : KH_EINPUT;
}

enum kh_err kh_file_named(struct kh_arena *arena, struct kh_view path, struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, path), name = kh_arena_printf(arena, "%.*s", KH_FMT(path));
	enum kh_err e = kh_arena_check(arena);

	if (e != KH_OK)
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	FILE *file = NULL;
	e = open_plain(name, path.n, &file);
	if (e != KH_OK)
		return kh_error_set(err, e, "file_unreadable", "cannot open %.*s: %s", KH_FMT(quoted), strerror(errno));
	e = kh_file_read(file, arena, ret_text);
	int why = errno;
	fclose(file);
	if (e != KH_OK)
		return kh_error_set(err, e, "file_unreadable", "cannot read %.*s: %s", KH_FMT(quoted),
				    e == KH_EINPUT ? strerror(why) : kh_err_name(e));
	return KH_OK;
}

void kh_file_close(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
}

bool kh_file_write(int fd, struct kh_view text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno != EINTR)
			return false;
		text = kh_view_from(text, n > 0 ? (size_t)n : 0);
	}
	return fsync(fd) == 0;
}
