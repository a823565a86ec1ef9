/*
 * Witnesses: lines appended to a file, lines sent to syslog, and the comparison.
 *
 * A witness is trusted to have kept what it was sent; the store is not trusted.  Other text in a witness's file (a
 * half-written line, syslog's prefixes) does no harm, because only whole checkpoints are compared.
 */
#include "store/witness.h"

#include "store/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

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
	return KH_OK;
}
