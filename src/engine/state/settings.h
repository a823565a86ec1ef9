/* What an engine is made from: the store, the policy, Readers, what errands need, and for tests a clock. */
#ifndef KH_ENGINE_STATE_SETTINGS_H
#define KH_ENGINE_STATE_SETTINGS_H

#include "core/bcp/reader.h"
#include "core/comm/errand.h"
#include "core/policy/policy.h"
#include "store/store.h"

struct kh_engine_settings {
	const struct kh_alloc *alloc;
	struct kh_store *store;          /* the caller owns it */
	const struct kh_policy *policy;  /* likewise */
	const struct kh_reader *readers; /* likewise */
	size_t reader_count;
	const struct kh_errands *errands; /* who carries operations out; NULL: nobody, and every operation is denied */
	const struct kh_errand_tools
		*tools;              /* likewise; NULL: operations are decided, but fail when they are carried out */
	int64_t (*clock)(void *ctx); /* microseconds since 1970; NULL: the system's */
	void (*random)(void *ctx, unsigned char *bytes, size_t n); /* NULL: the system's */
	void *ctx;
	/* True while nothing new may be begun, because the disk has less room than is kept free; NULL: never.  It gets
	 * ROOM, from any thread, and must be quick. */
	bool (*is_low)(void *room);
	void *room;
	int64_t retention;      /* microseconds that sealed content and raw responses are kept (L5); 0: for ever */
	struct kh_view version; /* of the program, for the audit */
};

#endif
