/*
 * Witnesses: lines appended to a file, lines sent to syslog, lines read back, and the comparison.
 *
 * A witness is trusted to have kept what it was sent; the store is not trusted.  Other text in a witness's file (a
 * half-written line, syslog's prefixes) does no harm, because only whole checkpoints are compared.
 */
#include "store/witness.h"

#include "store/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#define TAIL 16384 /* bytes of a file's end; a line has about 400 */
#define HEAD "{\"checkpoint\":"

static bool write_all(int fd, struct kh_view text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text = kh_view_from(text, (size_t)n);
	}
	return true;
}

enum kh_err kh_witness_file(const char *path, struct kh_view line, struct kh_error *err)
{
	char last = '\n';
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);

	if (fd < 0)
		return kh_error_set(err, KH_ESTORE, "witness_failed", "the witness file cannot be opened: %s",
				    strerror(errno));
	/* If a crash cut the last line off, end that line first, so that this one stands by itself. */
	off_t end = lseek(fd, 0, SEEK_END);
	if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
		last = '\n';
	bool good = (last == '\n' || write_all(fd, KH_LIT("\n"))) && write_all(fd, line) &&
		    write_all(fd, KH_LIT("\n")) && fsync(fd) == 0;
	int why = errno;
	close(fd);
	if (!good)
		return kh_error_set(err, KH_ESTORE, "witness_failed", "the witness file cannot be written: %s",
				    strerror(why));
	return KH_OK;
}

void kh_witness_syslog(struct kh_view line)
{
	syslog(LOG_AUTHPRIV | LOG_NOTICE, "keyhole: %.*s", KH_FMT(line));
}

int64_t kh_witness_number(struct kh_arena *arena, struct kh_view line)
{
	struct kh_checkpoint_line l;

	return kh_checkpoint_read_line(arena, line, &l) ? l.n : 0;
}

/* Whether two lines of the same checkpoint agree in everything else. */
static bool is_equal(const struct kh_checkpoint_line *a, const struct kh_checkpoint_line *b)
{
	return a->last == b->last && a->numbered == b->numbered &&
	       memcmp(&a->store, &b->store, sizeof(a->store)) == 0 &&
	       memcmp(a->signature, b->signature, sizeof(a->signature)) == 0;
}

enum kh_err kh_witness_compare(struct kh_arena *arena, struct kh_view witnessed, struct kh_view line,
			       struct kh_error *err)
{
	struct kh_checkpoint_line seen, has;

	if (!kh_checkpoint_read_line(arena, witnessed, &seen)) {
		enum kh_err e = kh_arena_check(arena);
		return e != KH_OK ? e
				  : kh_error_set(err, KH_EINPUT, "bad_checkpoint",
						 "the witness's line is not a checkpoint");
	}
	if (line.n == 0)
		return kh_error_set(err, KH_ECHANGED, "store_older",
				    "the witness saw checkpoint %lld, which the store does not have",
				    (long long)seen.n);
	bool same = kh_checkpoint_read_line(arena, line, &has) && has.n == seen.n &&
		    memcmp(&has.hash, &seen.hash, sizeof(has.hash)) == 0;
	if (kh_arena_check(arena) != KH_OK)
		return KH_ENOMEM;
	if (!same)
		return kh_error_set(err, KH_ECHANGED, "store_forked",
				    "checkpoint %lld is not the one that the witness saw", (long long)seen.n);
	if (!is_equal(&seen, &has))
		return kh_error_set(err, KH_ECHANGED, "witness_changed",
				    "the witness's line of checkpoint %lld is not the one that was signed",
				    (long long)seen.n);
	return KH_OK;
}

/* --- reading back ------------------------------------------------------------------------------------------------- */

static enum kh_err unreadable(struct kh_error *err)
{
	return kh_error_set(err, KH_ESTORE, "witness_failed", "the witness file cannot be read: %s", strerror(errno));
}

/* Reads N bytes from offset AT on; fewer if the file ends before. */
static ssize_t read_at(int fd, char *bytes, size_t n, off_t at)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, bytes + done, n - done, at + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* The last MOST bytes of the file at PATH; empty if it does not exist. */
static enum kh_err read_end(const char *path, size_t most, struct kh_arena *arena, struct kh_view *ret_text,
			    struct kh_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	*ret_text = (struct kh_view){"", 0};
	if (fd < 0)
		return errno == ENOENT ? KH_OK : unreadable(err);
	if (fstat(fd, &st) != 0) {
		close(fd);
		return unreadable(err);
	}
	size_t n = (uintmax_t)st.st_size > most ? most : (size_t)st.st_size;
	char *bytes = n > 0 ? kh_arena_alloc(arena, n) : NULL;
	ssize_t got = bytes != NULL ? read_at(fd, bytes, n, st.st_size - (off_t)n) : 0;
	enum kh_err e = n > 0 && bytes == NULL ? KH_ENOMEM : got < 0 ? unreadable(err) : KH_OK;
	close(fd);
	if (e == KH_OK && got > 0)
		*ret_text = kh_view_of(bytes, (size_t)got);
	return e;
}

static struct kh_view join(struct kh_arena *arena, struct kh_view a, struct kh_view b)
{
	char *both = a.n > 0 ? kh_arena_alloc(arena, a.n + 1 + b.n) : NULL;

	if (a.n == 0)
		return b;
	if (both == NULL)
		return (struct kh_view){NULL, 0};
	memcpy(both, a.p, a.n);
	both[a.n] = '\n';
	memcpy(both + a.n + 1, b.p, b.n);
	return kh_view_of(both, a.n + 1 + b.n);
}

enum kh_err kh_witness_read(const char *path, struct kh_arena *arena, struct kh_view *ret_lines, struct kh_error *err)
{
	char old_path[PATH_MAX + 2];
	struct kh_view old = {"", 0}, now;
	enum kh_err e = KH_OK;

	if ((size_t)snprintf(old_path, sizeof(old_path), "%s.1", path) < sizeof(old_path))
		e = read_end(old_path, SIZE_MAX, arena, &old, err);
	if (e == KH_OK)
		e = read_end(path, SIZE_MAX, arena, &now, err);
	if (e != KH_OK)
		return e;
	struct kh_view both = join(arena, old, now);
	if (both.p == NULL)
		return KH_ENOMEM;
	*ret_lines = both;
	return KH_OK;
}

enum kh_err kh_witness_last(const char *path, struct kh_arena *arena, int64_t *ret_number, struct kh_error *err)
{
	struct kh_view tail;
	enum kh_err e = read_end(path, TAIL, arena, &tail, err);

	if (e != KH_OK)
		return e;
	struct kh_view line = kh_witness_last_line(tail, arena, ret_number);
	*ret_number = line.n > 0 ? kh_witness_number(arena, line) : 0;
	return kh_arena_check(arena);
}

/* The number of a line, without looking closely at the rest of it; 0 if it has none, or was cut off. */
static int64_t quick_number(struct kh_view line)
{
	int64_t number;
	size_t n = 0;

	line = kh_view_trim(line);
	size_t at = kh_view_find(line, KH_LIT(HEAD), 0);
	if (at == SIZE_MAX || !kh_view_ends(line, KH_LIT("}")))
		return 0;
	line = kh_view_from(line, at + sizeof(HEAD) - 1);
	while (n < line.n && line.p[n] >= '0' && line.p[n] <= '9')
		n++;
	return n < line.n && kh_view_int(kh_view_sub(line, 0, n), &number) ? number : 0;
}

/* Compares LINE with the store's; *RET_NUMBER is its number, 0 if it is no line of a checkpoint. */
static enum kh_err check_line(struct kh_txn *txn, struct kh_view line, struct kh_arena *scratch, int64_t *ret_number,
			      struct kh_error *err)
{
	struct kh_view own = {"", 0};
	int64_t claimed = quick_number(line);

	kh_arena_clear(scratch);
	*ret_number = claimed != 0 ? kh_witness_number(scratch, line) : 0;
	if (kh_arena_check(scratch) != KH_OK)
		return KH_ENOMEM;
	if (claimed != *ret_number)
		return kh_error_set(err, KH_ECHANGED, "witness_incomplete",
				    "the witness's line of checkpoint %lld is not whole", (long long)claimed);
	if (claimed == 0)
		return KH_OK;
	enum kh_err e = kh_checkpoint_line(txn, claimed, scratch, &own);
	return e == KH_OK || e == KH_EUNKNOWN ? kh_witness_compare(scratch, line, own, err) : e;
}

enum kh_err kh_witness_check(struct kh_txn *txn, struct kh_view lines, struct kh_arena *scratch,
			     struct kh_witness_seen *ret_seen, struct kh_error *err)
{
	struct kh_view line;
	int64_t number = 0;
	enum kh_err e = KH_OK;

	*ret_seen = (struct kh_witness_seen){0};
	while (e == KH_OK && kh_view_split(&lines, '\n', &line)) {
		e = check_line(txn, line, scratch, &number, err);
		if (e != KH_OK || number == 0)
			continue;
		ret_seen->compared++;
		if (number > ret_seen->last)
			ret_seen->last = number;
	}
	return e;
}

enum kh_err kh_witness_missing(struct kh_view lines, int64_t first, int64_t seen, struct kh_arena *arena,
			       int64_t *ret_missing)
{
	size_t count = (size_t)(seen - first + 1);
	unsigned char *has = kh_arena_alloc(arena, count / 8 + 1);
	struct kh_view line;
	size_t i = 0;

	if (has == NULL)
		return KH_ENOMEM;
	memset(has, 0, count / 8 + 1);
	while (kh_view_split(&lines, '\n', &line)) {
		int64_t number = quick_number(line);
		if (number >= first && number <= seen)
			has[(number - first) / 8] |= (unsigned char)(1U << (number - first) % 8);
	}
	while (i < count && (has[i / 8] >> i % 8 & 1))
		i++;
	*ret_missing = i < count ? first + (int64_t)i : 0;
	return KH_OK;
}

struct kh_view kh_witness_last_line(struct kh_view lines, struct kh_arena *arena, int64_t *ret_first)
{
	struct kh_view line, found = {"", 0};
	int64_t last = 0;

	*ret_first = 0;
	/* A crash may have cut off the last line; then the line before it counts. */
	while (kh_view_split(&lines, '\n', &line)) {
		int64_t number = quick_number(line);
		if (number == 0 || (lines.n < TAIL && kh_witness_number(arena, line) == 0))
			continue;
		if (last == 0 || (number != last && number != last + 1))
			*ret_first = number;
		last = number;
		found = line;
	}
	return found;
}
