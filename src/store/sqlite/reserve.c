/* The file of the reserve.  A failure here is never one of the store: without a reserve it is only full earlier. */
#include "store/sqlite/reserve.h"

#include "base/clock.h"
#include "base/diskroom.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN_US 1000000

void kh_reserve_init(struct kh_reserve *reserve, const char *path)
{
	int n = snprintf(reserve->path, sizeof(reserve->path), "%s-reserve", path);

	if (n < 0 || (size_t)n >= sizeof(reserve->path))
		reserve->path[0] = '\0';
	reserve->wanted = reserve->held = false;
	reserve->again_us = 0;
}

/* Gives the file its blocks, unless that would leave less than is kept free.  What others use of it is theirs. */
static bool make(const char *path)
{
	struct kh_diskroom room;
	struct stat st;
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	bool made = false;
	if (kh_diskroom_of(path, &room) && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		uint64_t half = room.floor / 2, size = half < KH_RESERVE_MOST ? half : KH_RESERVE_MOST;
		made = size == 0 || (uint64_t)st.st_size >= size ||
		       (room.free >= room.floor + size && fallocate(fd, 0, 0, (off_t)size) == 0);
	}
	close(fd);
	return made;
}

void kh_reserve_hold(struct kh_reserve *reserve)
{
	if (reserve->held || !reserve->wanted || reserve->path[0] == '\0')
		return;
	int64_t now = kh_clock_us();
	if (now < reserve->again_us)
		return;
	reserve->again_us = now + AGAIN_US;
	reserve->held = make(reserve->path);
}

void kh_reserve_release(struct kh_reserve *reserve)
{
	if (reserve->path[0] == '\0')
		return;
	int fd = open(reserve->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		(void)!ftruncate(fd, 0);
		close(fd);
	}
	reserve->held = false;
	reserve->again_us = kh_clock_us() + AGAIN_US;
}
