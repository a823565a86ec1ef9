/* Asks the kernel about a file system. */
#include "base/diskroom.h"

#include "base/clock.h"

#include <sys/statvfs.h>

bool kh_diskroom_of(const char *path, struct kh_diskroom *ret_room)
{
	struct statvfs fs;

	if (statvfs(path, &fs) != 0)
		return false;
	uint64_t share = (uint64_t)fs.f_blocks * fs.f_frsize / KH_DISKROOM_SHARE;
	ret_room->free = (uint64_t)fs.f_bavail * fs.f_frsize;
	ret_room->floor = share < KH_DISKROOM_MOST ? share : KH_DISKROOM_MOST;
	return true;
}

bool kh_diskroom_is_low(const char *path)
{
	struct kh_diskroom room;

	return kh_diskroom_of(path, &room) && room.free < room.floor;
}

/* Several threads may ask at once, each for himself: the answer is as good as the last one's. */
bool kh_diskroom_was_low(struct kh_diskroom_recent *recent)
{
	int64_t now = kh_clock_us(), asked = __atomic_load_n(&recent->asked, __ATOMIC_ACQUIRE);

	if (asked != 0 && now - asked < KH_DISKROOM_RECENT)
		return __atomic_load_n(&recent->low, __ATOMIC_RELAXED);
	bool low = kh_diskroom_is_low(recent->path);
	__atomic_store_n(&recent->low, low, __ATOMIC_RELAXED);
	__atomic_store_n(&recent->asked, now, __ATOMIC_RELEASE);
	return low;
}
