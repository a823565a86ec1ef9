/*
 * Public ids: a letter for the kind, and 16 hexadecimal digits: the row's number under a keyed permutation of 64 bits.
 * So an id does not tell how many others there are, cannot be guessed, needs no index, and is the same every time.
 */
#ifndef KH_ENGINE_STATE_PUBLICID_H
#define KH_ENGINE_STATE_PUBLICID_H

#include "base/arena.h"

#define KH_PUBLICID_KEY 16

enum kh_publicid {
	KH_ID_TASK = 't',
	KH_ID_CONTEXT = 'c',
	KH_ID_QUERY = 'q',
	KH_ID_ASK = 'r', /* what a Reader sees as query_id */
	KH_ID_BLOCK = 'b',
	KH_ID_APPROVAL = 'a',
	KH_ID_TOKEN = 'k',
	KH_ID_DECLARATION = 'd',
	KH_ID_EVENT = 'e', /* of the record: where a page or a stream goes on, and what `audit show` is asked for */
};

/* {NULL, 0} on failure, which marks the arena. */
struct kh_view kh_publicid_text(struct kh_arena *arena, const unsigned char key[KH_PUBLICID_KEY], enum kh_publicid kind,
				int64_t id);

/* False for anything but the exact form with this letter.  Does not check whether there is such a row. */
bool kh_publicid_parse(const unsigned char key[KH_PUBLICID_KEY], enum kh_publicid kind, struct kh_view text,
		       int64_t *ret_id);

#endif
