/* Asks the kernel about a file system. */
#include "base/diskroom.h"

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
