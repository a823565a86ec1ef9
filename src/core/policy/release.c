/* Release slots.  Doubling stops before it could overflow: a slot is only doubled while it is before the deadline. */
#include "core/policy/release.h"

unsigned kh_release_slots(int64_t deadline)
{
	unsigned slots = 1; /* the deadline itself */

	for (int64_t slot = KH_RELEASE_FIRST; slot < deadline; slot *= 2) {
		slots++;
		if (slot > INT64_MAX / 2)
			break;
	}
	return slots;
}

int64_t kh_release_at(int64_t ready, int64_t deadline)
{
	for (int64_t slot = KH_RELEASE_FIRST; slot < deadline; slot *= 2) {
		if (ready <= slot)
			return slot;
		if (slot > INT64_MAX / 2)
			break;
	}
	return deadline;
}
