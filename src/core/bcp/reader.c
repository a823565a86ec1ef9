/* What can go wrong with a Reader, in words. */
#include "core/bcp/reader.h"

const struct kh_words kh_reader_fault_words =
	KH_WORDS([KH_READER_OK] = "ok", [KH_READER_LATE] = "late", [KH_READER_DEAD] = "dead",
		 [KH_READER_GARBAGE] = "garbage", [KH_READER_LOST] = "lost", [KH_READER_CHANGED] = "changed");
