/*
 * BM25: a word counts more if fewer documents have it; it counts more the more often a document has it, with
 * diminishing returns; and it counts less in a longer document.  A word of the title counts more than one of the file's
 * name, and that more than one of the text.
 */
#include "worker/search/rank.h"

#include "worker/search/store.h"

#include <math.h>

#define K1        1.2
#define B         0.75
#define SHORTEST  64  /* bytes: shorter documents count as this long */
#define TOKEN     6.0 /* bytes of a word and the blank before it, approximately */
#define PHRASES   64  /* words and phrases of a query that count; search_match.h allows fewer */
#define LEAST_IDF 1e-6
#define LENGTHS   (1 << KH_SEARCH_RANK_BITS)

/* The weight of a word in each column. */
static const double weights[] = {
	[KH_SEARCH_STORE_TITLE] = 4.0, [KH_SEARCH_STORE_NAME] = 2.0, [KH_SEARCH_STORE_BODY] = 1.0};

/* Values that are the same for all documents of a search. */
struct ranking {
	int phrases;
	double idf[PHRASES];
	double norm[LENGTHS]; /* for each length */
};

int64_t kh_search_rank_length(size_t bytes)
{
	int64_t length = 0;

	while (length < LENGTHS - 1 && bytes > (size_t)SHORTEST << length)
		length++;
	return length;
}

static int count_row(const Fts5ExtensionApi *api, Fts5Context *fts, void *arg)
{
	int64_t *count = arg;

	(void)api;
	(void)fts;
	++*count;
	return SQLITE_OK;
}

static int prepare(const Fts5ExtensionApi *api, Fts5Context *fts, struct ranking *ranking)
{
	sqlite3_int64 rows = 0, tokens = 0;
	int rc = api->xRowCount(fts, &rows);

	if (rc == SQLITE_OK)
		rc = api->xColumnTotalSize(fts, KH_SEARCH_STORE_BODY, &tokens);
	double mean = rows > 0 ? TOKEN * (double)tokens / (double)rows : 1;
	for (int i = 0; i < LENGTHS; i++)
		ranking->norm[i] = K1 * (1 - B + B * (double)(SHORTEST << i) / (mean > 1 ? mean : 1));
	ranking->phrases = api->xPhraseCount(fts);
	if (ranking->phrases > PHRASES)
		ranking->phrases = PHRASES;
	for (int i = 0; i < ranking->phrases && rc == SQLITE_OK; i++) {
		int64_t hits = 0;
		rc = api->xQueryPhrase(fts, i, &hits, count_row);
		double idf = log(((double)(rows - hits) + 0.5) / ((double)hits + 0.5));
		ranking->idf[i] = idf > LEAST_IDF ? idf
						  : LEAST_IDF; /* more than half have it: it still counts a little */
	}
	return rc;
}

/* The ranking of this search, made at its first document; NULL if that fails. */
static const struct ranking *ranking_of(const Fts5ExtensionApi *api, Fts5Context *fts, int *ret_rc)
{
	struct ranking *ranking = api->xGetAuxdata(fts, 0);

	if (ranking != NULL)
		return ranking;
	ranking = sqlite3_malloc(sizeof(*ranking));
	*ret_rc = ranking != NULL ? prepare(api, fts, ranking) : SQLITE_NOMEM;
	if (*ret_rc == SQLITE_OK)
		*ret_rc = api->xSetAuxdata(fts, ranking, sqlite3_free); /* frees it on failure */
	else
		sqlite3_free(ranking);
	return *ret_rc == SQLITE_OK ? ranking : NULL;
}

static void score(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	int rc = SQLITE_OK;
	const struct ranking *ranking = ranking_of(api, fts, &rc);
	double sum = 0;

	(void)argc;
	(void)argv;
	for (int i = 0; ranking != NULL && i < ranking->phrases && rc == SQLITE_OK; i++) {
		Fts5PhraseIter iter;
		int column, offset;
		double often = 0;
		rc = api->xPhraseFirst(fts, i, &iter, &column, &offset);
		for (; rc == SQLITE_OK && column >= 0; api->xPhraseNext(fts, &iter, &column, &offset))
			often += (size_t)column < sizeof(weights) / sizeof(weights[0]) ? weights[column] : 0;
		sum += ranking->idf[i] * often * (K1 + 1) /
		       (often + ranking->norm[(uint64_t)api->xRowid(fts) % LENGTHS]);
	}
	if (rc != SQLITE_OK)
		sqlite3_result_error_code(ctx, rc);
	else
		sqlite3_result_double(ctx, sum);
}

enum kh_err kh_search_rank_add(sqlite3 *db, struct kh_error *err)
{
	sqlite3_stmt *stmt = NULL;
	fts5_api *api = NULL;
	enum kh_err e = kh_search_store_prepare(db, "SELECT fts5(?1)", &stmt, err);

	if (e != KH_OK)
		return e;
	sqlite3_bind_pointer(stmt, 1, (void *)&api, "fts5_api_ptr", NULL);
	sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	if (api == NULL || api->iVersion < 2)
		return kh_error_set(err, KH_EREFUSED, "index_failed", "this SQLite has no full-text search (FTS5)");
	return api->xCreateFunction(api, "score", NULL, score, NULL) == SQLITE_OK ? KH_OK : KH_ENOMEM;
}
