/*
 * Records: what the store keeps, described once.
 *
 * A record type is a C struct and a table of its columns.  The backends make their statements from that table, the
 * transaction uses it to find what an operation changed, the audit to write that down, and verification to compare.  So
 * a column that is added here is stored, audited and verified, or the tests fail.
 *
 * The first member of every row is its id, an integer that the store gives out in ascending order and never reuses.
 * The second is its revision (rows.h), which is a column.
 * Every other member is a column; if one is not, the struct says why.
 */
#ifndef KH_STORE_RECORD_H
#define KH_STORE_RECORD_H

#include "base/canonical.h"
#include "base/words.h"

enum kh_column_kind {
	KH_COLUMN_INT,    /* int64_t or uint64_t, within +-2^53 */
	KH_COLUMN_WORD,   /* unsigned (an enum): a word in the database and in the audit */
	KH_COLUMN_TEXT,   /* struct kh_view, valid UTF-8: in the audit as it is, so never content of untrusted blocks */
	KH_COLUMN_SEALED, /* struct kh_view, any bytes: in the audit by their BLAKE2b-256 (L5); empty: as "" */
	KH_COLUMN_DIGEST, /* struct kh_digest: hexadecimal in the audit */
};

struct kh_column {
	const char *name;   /* of the table's column and of the audit's member */
	struct kh_view key; /* "name": as it stands in an event */
	enum kh_column_kind kind;
	size_t offset;
	const struct kh_words *words;
	bool chain; /* part of a chain's head: not in events, because the chain itself proves it */
	/*
	 * Of a sealed column: the column of the database that names the content if it is stored apart (content.h); 0
	 * there: it is in the row.  It is not in events.  NULL: the content is always in the row.
	 */
	const char *apart;
};

#define KH_RECORD_COLUMNS  48
#define KH_RECORD_REVISION sizeof(int64_t) /* where the revision is in every row */

struct kh_record {
	const char *table;
	size_t size;                     /* of the struct */
	const struct kh_column *columns; /* ascending by name; `id` is not among them */
	size_t count;
};

enum kh_table {
	KH_TABLE_SYSTEM,
	KH_TABLE_TOKENS,
	KH_TABLE_CONTEXTS,
	KH_TABLE_TASKS,
	KH_TABLE_BLOCKS,
	KH_TABLE_QUERIES,
	KH_TABLE_EFFECTS,
	KH_TABLE_APPROVALS,
	KH_TABLE_SHOWINGS,
	KH_TABLE_READERS,
	KH_TABLE_NEEDS,
	KH_TABLE_DECLARATIONS,
	KH_TABLE_RESULTS,
	KH_TABLE_RATES,
	KH_TABLE_SENT,
	KH_TABLE_UPSTREAMS,
	KH_TABLE_TOOLS,
	KH_TABLE_DEALINGS,
	KH_TABLE_LEASES,
	KH_TABLE_COUNT
};

/* The description of a table. */
const struct kh_record *kh_record_of(enum kh_table table);

/* The size of a column in its struct, in bytes. */
size_t kh_record_column_size(const struct kh_column *c);

/* Whether column C has the same value in rows A and B. */
bool kh_record_same(const struct kh_column *c, const void *a, const void *b);

/*
 * The ways to find rows other than by id.  Each is one SQL statement of a backend; KEY is the number, or TEXT the text,
 * that the comment names.  Ids come out in ascending order.
 */
enum kh_index {
	KH_INDEX_TOKENS,                /* all */
	KH_INDEX_TOKENS_NAMED,          /* name = TEXT, not revoked */
	KH_INDEX_TOKENS_READERS,        /* agents that are Readers, not revoked */
	KH_INDEX_CONTEXTS,              /* all */
	KH_INDEX_TASKS,                 /* all */
	KH_INDEX_TASKS_OF_CONTEXT,      /* context = KEY */
	KH_INDEX_TASKS_OPEN,            /* context = KEY and state = open */
	KH_INDEX_TASKS_ALL_OPEN,        /* state = open, of every context */
	KH_INDEX_BLOCKS_OF_TASK,        /* task = KEY, kind = sealed, told = 0 */
	KH_INDEX_BLOCKS_TOLD,           /* task = KEY and told > 0; by `told`, which AFTER means too, not by id */
	KH_INDEX_BLOCKS_GIVEN,          /* context = KEY and given = 1 */
	KH_INDEX_BLOCKS_OUTPUT,         /* context = KEY and kind = output: the newest alone */
	KH_INDEX_QUERIES_OPEN,          /* task = KEY and state <> done */
	KH_INDEX_QUERIES_ALL_OPEN,      /* state <> done, of every task */
	KH_INDEX_QUERIES_COMING,        /* context = KEY, state ready, outcome delivered, category 2 or 3 */
	KH_INDEX_EFFECTS_OPEN,          /* state waiting or begun */
	KH_INDEX_EFFECTS_READER,        /* state waiting, reader = TEXT: asks that wait for a Reader that is an agent */
	KH_INDEX_EFFECTS_BEGUN,         /* state begun, reader = TEXT: asks that it was given and has not answered */
	KH_INDEX_APPROVALS,             /* all */
	KH_INDEX_APPROVALS_PENDING,     /* state = pending */
	KH_INDEX_APPROVALS_UNTOLD,      /* told_at > 0 */
	KH_INDEX_APPROVALS_OF_TASK,     /* task = KEY */
	KH_INDEX_SHOWINGS,              /* approval = KEY */
	KH_INDEX_READERS_NAMED,         /* name = TEXT */
	KH_INDEX_NEEDS,                 /* task = KEY and name = TEXT */
	KH_INDEX_BLOCKS_EXPIRED,        /* expires_at > 0, expires_at <= KEY, purged_at = 0 */
	KH_INDEX_EFFECTS_EXPIRED,       /* expires_at > 0, expires_at <= KEY, purged_at = 0 */
	KH_INDEX_DECLARATIONS_OF_TASK,  /* task = KEY */
	KH_INDEX_DECLARATIONS_OPEN,     /* task = KEY and state <> done */
	KH_INDEX_DECLARATIONS_ALL_OPEN, /* state <> done, of every task */
	KH_INDEX_DECLARATIONS_UNTOLD,   /* context = KEY, operation = TEXT, state running or ready */
	KH_INDEX_DECLARATIONS_WORKING,  /* working = 1 */
	KH_INDEX_DECLARATIONS_OF_APPROVAL, /* approval = KEY */
	KH_INDEX_DECLARATIONS_ASKING,      /* asks = KEY */
	KH_INDEX_RESULTS_OF_DECLARATION,   /* declaration = KEY */
	KH_INDEX_RESULTS_EXPIRED,          /* expires_at > 0, expires_at <= KEY, purged_at = 0 */
	KH_INDEX_RATES,                    /* context = KEY and operation = TEXT */
	KH_INDEX_SENT,                     /* token = KEY and name = TEXT */
	KH_INDEX_SENT_OF_TOKEN,            /* token = KEY */
	KH_INDEX_UPSTREAMS,                /* all */
	KH_INDEX_UPSTREAMS_NAMED,          /* name = TEXT */
	KH_INDEX_TOOLS_OF_UPSTREAM,        /* upstream = KEY */
	KH_INDEX_TOOLS_NAMED,              /* upstream = KEY and alias = TEXT, not empty */
	KH_INDEX_DEALINGS,                 /* context = KEY and server = TEXT */
	KH_INDEX_DEALINGS_OF_CONTEXT,      /* context = KEY */
	KH_INDEX_DEALINGS_TAINTED,         /* server = TEXT and tainted = 1 */
	KH_INDEX_LEASES,                   /* context = KEY and server = TEXT */
	KH_INDEX_LEASES_WANTED,            /* holder = KEY and wanted = 1 */
	KH_INDEX_COUNT
};

#endif
