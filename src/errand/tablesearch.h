/*
 * comm.search with the scope `database`: searches the configured tables for rows that have all of the words in some of
 * their columns (E9).
 *
 * The content is {"results":[{"database","table","row":{column: value},"rank"}]}; tables in the order of the
 * configuration, rows in the order of the database.  Words are compared without regard to case, as the database does
 * it: SQLite only for ASCII.
 */
#ifndef KH_ERRAND_TABLESEARCH_H
#define KH_ERRAND_TABLESEARCH_H

#include "errand/errand.h"

#define KH_TABLESEARCH_WORDS 8 /* words that are searched for; further ones are ignored */

kh_search_fn kh_tablesearch_run;

/*
 * The statement for TABLE, of a server of PostgreSQL or a file of SQLite, with WORDS placeholders for patterns.  The
 * names are the configuration's, in quotes; nothing of the query is in it.
 */
enum kh_err kh_tablesearch_statement(struct kh_arena *arena, const struct kh_config_table *table, bool is_postgres,
				     size_t words, uint64_t limit, struct kh_view *ret_sql) KH_CHECKED;

/* A LIKE pattern that finds WORD literally anywhere: %word%, with \ before %, _ and \. */
struct kh_view kh_tablesearch_pattern(struct kh_arena *arena, struct kh_view word);

#endif
