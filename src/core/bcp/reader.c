/* What can go wrong with a Reader, in words. */
#include "core/bcp/reader.h"

static const char *const faults[] = {
	[KH_READER_OK] = "ok",           [KH_READER_LATE] = "late", [KH_READER_DEAD] = "dead",
	[KH_READER_GARBAGE] = "garbage", [KH_READER_LOST] = "lost", [KH_READER_CHANGED] = "changed"};

const char *kh_reader_fault_name(enum kh_reader_fault fault)
{
	return faults[fault];
}
