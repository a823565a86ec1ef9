/* Numbers and locks of open stores. */
#include "store/sqlite/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX     "-holders"
#define TURNSTILE  0
#define SHORT_US   50
#define LONGEST_US 1000

static int lock(int fd, short type, int64_t at)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &l);
}

enum kh_err kh_holder_open(struct kh_holder *holder, const char *path, bool make, struct kh_error *err)
{
	struct kh_arena arena;
	enum kh_err e = KH_OK;

	*holder = KH_HOLDER_NONE;
	kh_arena_init(&arena, NULL, 64U << 10);
	struct kh_view name = kh_arena_printf(&arena, "%s" SUFFIX, path);
	if (name.p == NULL)
		e = kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	else
		holder->fd = open(name.p, (make ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (e == KH_OK && holder->fd < 0 && (make || errno != ENOENT))
		e = kh_error_set(err, KH_ESTORE, "store_failed", "the file of holders cannot be opened: %s",
				 strerrordesc_np(errno));
	kh_arena_done(&arena);
	return e;
}

void kh_holder_close(struct kh_holder *holder)
{
	if (holder->fd >= 0)
		close(holder->fd);
	*holder = KH_HOLDER_NONE;
}

/*
 * The next number whose byte is free.  A byte can be locked already only if an older copy of the database replaced the
 * one that other processes still have open.
 */
static enum kh_err next_number(struct kh_holder *holder, struct kh_connection *c, int64_t *ret_number,
			       struct kh_error *err)
{
	enum kh_err e = KH_OK;
	int64_t number = 0;

	for (;;) {
		e = kh_connection_number(c, "UPDATE holders SET last = last + 1 RETURNING last", &number, err);
		if (e != KH_OK)
			return e;
		if (lock(holder->fd, F_WRLCK, number) == 0)
			break;
		if (errno != EAGAIN && errno != EACCES)
			return kh_error_set(err, KH_ESTORE, "store_failed", "no lock on the file of holders: %s",
					    strerrordesc_np(errno));
	}
	*ret_number = number;
	return KH_OK;
}

enum kh_err kh_holder_take(struct kh_holder *holder, struct kh_connection *c, struct kh_error *err)
{
	int64_t number = 0;

	if (!kh_holder_enter(holder, c->patience))
		return kh_connection_fail(c, SQLITE_BUSY, err);
	enum kh_err e = kh_connection_exec(c, "BEGIN IMMEDIATE", err);
	kh_holder_leave(holder);
	if (e != KH_OK)
		return e;
	e = next_number(holder, c, &number, err);
	if (e == KH_OK)
		e = kh_connection_exec(c, "COMMIT", err);
	if (e == KH_OK)
		holder->number = number;
	else if (!sqlite3_get_autocommit(c->db))
		(void)sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
	return e;
}

bool kh_holder_alive(const struct kh_holder *holder, int64_t number)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};

	if (number <= 0 || holder->fd < 0)
		return false;
	if (number == holder->number)
		return true;
	/* If the kernel does not answer, the holder counts as alive. */
	return fcntl(holder->fd, F_OFD_GETLK, &l) != 0 || l.l_type != F_UNLCK;
}

bool kh_holder_enter(const struct kh_holder *holder, int64_t ms)
{
	int64_t us = SHORT_US, waited = 0;

	if (holder->fd < 0)
		return true;
	while (lock(holder->fd, F_WRLCK, TURNSTILE) != 0) {
		struct timespec t = {.tv_nsec = us * 1000};
		if (waited > ms * 1000)
			return false;
		nanosleep(&t, NULL);
		waited += us;
		us = us * 2 < LONGEST_US ? us * 2 : LONGEST_US;
	}
	return true;
}

void kh_holder_leave(const struct kh_holder *holder)
{
	if (holder->fd >= 0)
		(void)lock(holder->fd, F_UNLCK, TURNSTILE);
}
