/*
 * A Reader as its callers know it: what it is asked, what it returns, and a description with a function that asks it.
 * The drivers themselves are in src/reader.
 */
#ifndef KH_CORE_BCP_READER_H
#define KH_CORE_BCP_READER_H

#include "base/tainted.h"
#include "base/words.h"
#include "core/bcp/query.h"

struct kh_policy_rule;
struct kh_schema;

struct kh_reader_block {
	struct kh_view id;          /* public */
	struct kh_view attribution; /* canonical JSON */
	struct kh_tainted content;
	/* For a driver that is `typed`, of the result of an upstream's tool whose rule types it; else NULL and empty. */
	const struct kh_policy_rule *rule;
	const struct kh_schema
		*schema;            /* that its tool was approved with, for results; NULL: none that is known whole */
	struct kh_tainted original; /* the whole result, as JSON */
};

struct kh_reader_ask {
	struct kh_view id;            /* the query_id that the Reader sees */
	struct kh_view from;          /* the Controller's name */
	struct kh_view task;          /* public id: the session of the attributions */
	const struct kh_query *query; /* of this round */
	const struct kh_reader_block *blocks;
	size_t block_count;
	struct kh_view again;    /* it is asked again: the code of the try before (B16); empty: it is not */
	struct kh_view prompt;   /* the role that the Reader is given; empty: a Reader (K4) */
	unsigned char nonce[16]; /* fresh: of the fences */
	int64_t now;
};

enum kh_reader_fault {
	KH_READER_OK,
	KH_READER_LATE,    /* no answer in its time */
	KH_READER_DEAD,    /* it ended without an answer, or could not be started */
	KH_READER_GARBAGE, /* it sent something else */
	KH_READER_LOST,    /* the process that asked died (recover.h) */
	KH_READER_CHANGED, /* a sealed block has changed, so it was not asked */
};
extern const struct kh_words kh_reader_fault_words; /* "ok", "late", ... */

struct kh_reader;

struct kh_reader_driver {
	const char *name; /* "extract", "typed", "command", "openai", "anthropic" */
	bool pure;        /* the answer depends only on the ask, so asking twice does no harm */
	bool quick;       /* it does not block: a few KiB of content take microseconds */
	bool typed;       /* it is given the results that blocks were made from, with what types them (U7) */
	/*
	 * Asks and waits.  The response lives in the arena.  Fails only for lack of memory or by a fault of our own; a
	 * Reader's fault goes to *RET_FAULT, with a sentence in DETAIL for humans.  Can be called from any thread.
	 */
	enum kh_err (*ask)(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			   struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			   struct kh_view *ret_detail);
	const struct kh_model_api *api; /* of a driver for models */
};

/* A configured Reader. */
struct kh_reader {
	struct kh_view name; /* the name that a query's `target` gives */
	const struct kh_reader_driver *driver;
	const struct kh_reader_settings *settings; /* the driver's own */
	uint64_t concurrency;                      /* queries at once from one process; 0: no limit */
	bool outside;                              /* behind a network: words of a query to it go out (E1) */
	bool triages, supervises;                  /* it also verifies calls: tier 2, tier 3 (K7) */
};

#endif
