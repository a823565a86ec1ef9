/* E9: the index answers with the best files first, a piece of each, and never with a syntax error. */
#include "searching.h"

static void make_corpus(struct kh_test *t)
{
	searching_new();
	searching_folder("minutes");
	searching_put("harbour.txt", "Harbour dues\n\nThe harbour office raised the dues of small boats in spring. "
				     "Boats below six metres pay half of it. The harbour master keeps the list.\n");
	searching_put("garden.md",
		      "# Notes on the garden\n\nThe roses were cut in March. Nobody has seen the harbour from "
		      "here since the trees grew.\n");
	searching_put("minutes/may.txt",
		      "Minutes of May\n\nPresent: seven. The budget of the reading room was discussed, "
		      "and the price of coffee.\n");
	searching_put("minutes/june.txt",
		      "Minutes of June\n\nPresent: five. Coffee was bought. The reading room has new "
		      "lamps; the budget was kept.\n");
	searching_put("cafe.txt", "Caf\xc3\xa9 list\n\nCr\xc3\xa8me br\xc3\xbbl\xc3\xa9"
				  "e, invoices, invoicing.\n");
	searching_run(t);
}

/* A title counts more than a text, and often more than once. */
static void test_ranking(struct kh_test *t)
{
	make_corpus(t);
	assert_finds(t, "harbour", "harbour.txt garden.md");
	assert_finds(t, "minutes june", "minutes/june.txt");
	assert_finds(t, "garden", "garden.md");
	assert_finds(t, "roses", "garden.md");
}

/* Without regard to case, accents and the ends of English words. */
static void test_words(struct kh_test *t)
{
	make_corpus(t);
	assert_finds(t, "HARBOUR Boat", "harbour.txt");
	assert_finds(t, "cafe creme", "cafe.txt");
	assert_finds(t, "invoice", "cafe.txt");
	assert_finds(t, "\"reading room\" lamps", "minutes/june.txt");
	assert_finds(t, "\"room reading\"", "");
}

/* Where no file has all the words, those that have some of them. */
static void test_any(struct kh_test *t)
{
	struct kh_search_find_report report;
	struct kh_view json;

	make_corpus(t);
	must(t, searching_look(t, KH_LIT("roses coffee"), 10, &json, &report));
	assert_true(report.any);
	must(t, searching_look(t, KH_LIT("budget coffee"), 10, &json, &report));
	assert_false(report.any);
	must(t, searching_look(t, KH_LIT("zeppelin"), 10, &json, &report));
	assert_view(json, "[]");
}

static void test_results(struct kh_test *t)
{
	struct kh_search_find_report report;
	struct kh_view json;
	yyjson_val *root;

	make_corpus(t);
	must(t, searching_look(t, KH_LIT("lamps"), 10, &json, &report));
	must(t, kh_json_read(&t->arena, json, &root, &t->err));
	assert_int_equal(yyjson_arr_size(root), 1);
	yyjson_val *first = yyjson_arr_get_first(root);
	assert_view(kh_json_str(kh_json_get(first, "title")), "Minutes of June");
	assert_view(kh_json_str(kh_json_get(first, "path")), searching_path("minutes/june.txt"));
	assert_int_equal(yyjson_get_int(kh_json_get(first, "rank")), 1);
	struct kh_view snippet = kh_json_str(kh_json_get(first, "snippet"));
	assert_true(kh_view_find(snippet, KH_LIT("new lamps; the budget"), 0) != SIZE_MAX);
	assert_false(report.cut);
	assert_true(report.current_ms > 0);
}

static void test_limit(struct kh_test *t)
{
	struct kh_search_find_report report;
	struct kh_view json;
	yyjson_val *root;

	make_corpus(t);
	must(t, searching_look(t, KH_LIT("the"), 2, &json, &report));
	must(t, kh_json_read(&t->arena, json, &root, &t->err));
	assert_int_equal(yyjson_arr_size(root), 2);
	assert_true(report.more);
	must(t, searching_look(t, KH_LIT("harbour"), 2, &json, &report));
	assert_false(report.more);
}

/* What the policy leaves of the folders is all that is found. */
static void test_within(struct kh_test *t)
{
	struct kh_view folder, within[2];
	struct kh_search_find_report report;
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *results;

	make_corpus(t);
	folder = kh_view_str(searching_docs);
	within[0] = kh_view_str(searching_path("minutes"));
	within[1] = KH_LIT("/elsewhere");
	struct kh_search_find find = {.index = searching_index,
				      .query = KH_LIT("the"),
				      .limit = 10,
				      .folders = &folder,
				      .folder_count = 1,
				      .within = within,
				      .within_count = 2,
				      .ms = 60000};
	must(t, kh_search_find_run(&t->arena, &find, doc, &results, &report, &t->err));
	assert_int_equal(yyjson_mut_arr_size(results), 2);
	find.within_count = 1;
	find.within = within + 1;
	must(t, kh_search_find_run(&t->arena, &find, doc, &results, &report, &t->err));
	assert_int_equal(yyjson_mut_arr_size(results), 0);
	find.within_count = 0;
	find.folder_count = 0; /* no folder is configured any more */
	must(t, kh_search_find_run(&t->arena, &find, doc, &results, &report, &t->err));
	assert_int_equal(yyjson_mut_arr_size(results), 0);
}

/* Nothing that can be asked is an error. */
static void test_hostile(struct kh_test *t)
{
	static const char *const queries[] = {
		"",
		" ",
		"\"",
		"\"\"",
		"*",
		"a*",
		"^a",
		"-",
		"+",
		"a + b",
		"(",
		")",
		"NEAR",
		"NEAR(",
		"NEAR(a b, 5)",
		"AND",
		"OR",
		"NOT",
		"a AND",
		"AND a",
		"title:",
		"title: harbour",
		"{a b}: c",
		"- {a}: b",
		"docs",
		"rank",
		"a'; DROP TABLE docs; --",
		"%s%n",
		"'",
		"''",
		"\\",
		";",
		"--",
		"/*",
		"\xc3\xa9",
		"\xf0\x9f\x98\x80",
		"harbour OR rose",
		"\"harbour\"\"office\"",
		"a\"b\"c\"d",
		"NULL",
		"0x41",
		"1e309",
		"{}",
		"[]",
		"<>",
		"::",
	};
	struct kh_search_find_report report;
	struct kh_view json;

	make_corpus(t);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		must(t, searching_look(t, kh_view_str(queries[i]), 10, &json, &report));
	must(t, searching_look(t, kh_view_of("harbour\0 AND", 12), 10, &json, &report));
	for (unsigned seed = 0; seed < 2000; seed++) {
		static const char letters[] = "\"\"\"*^:(){}+-'a b\tNOT OR\xc3\xa9,";
		char query[48];
		unsigned state = seed * 2654435761U;
		for (size_t k = 0; k < sizeof(query); k++) {
			state = state * 1103515245 + 12345;
			query[k] = letters[(state >> 16) % (sizeof(letters) - 1)];
		}
		must(t, searching_look(t, kh_view_of(query, sizeof(query)), 10, &json, &report));
	}
}

/* Ten thousand words are cut to what is bounded, and said to be. */
static void test_many_words(struct kh_test *t)
{
	static char query[70000];
	struct kh_search_find_report report;
	struct kh_view json;
	size_t n = 0;

	for (unsigned i = 0; i < 10000; i++)
		n += (size_t)snprintf(query + n, sizeof(query) - n, "%u ", i);
	make_corpus(t);
	must(t, searching_look(t, kh_view_of(query, n), 10, &json, &report));
	assert_true(report.left_out > 9000);
}

/* Far too many matches for the time: some of them, said to be in no order; or the end of it, said as such. */
static void test_too_long(struct kh_test *t)
{
	struct kh_view folder;
	struct kh_search_find_report report;
	yyjson_mut_val *results;
	sqlite3 *db = NULL;

	searching_new();
	searching_put("a", "the");
	searching_run(t);
	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	must(t,
	     kh_search_store_exec(db,
				  "BEGIN; WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < "
				  "30000) INSERT INTO docs(rowid, body) SELECT i, 'the of and' FROM n; COMMIT;",
				  &t->err));
	sqlite3_close(db);
	folder = kh_view_str(searching_docs);
	struct kh_search_find find = {.index = searching_index,
				      .query = KH_LIT("the of and"),
				      .limit = 10,
				      .folders = &folder,
				      .folder_count = 1,
				      .ms = 0};
	must_fail(t, KH_ELIMIT,
		  kh_search_find_run(&t->arena, &find, kh_json_new(&t->arena), &results, &report, &t->err));
	assert_string_equal(t->err.code, "too_long");
}

static void test_out_of_memory(struct kh_test *t)
{
	struct kh_search_find_report report;
	struct kh_view json;

	make_corpus(t);
	must(t, searching_look(t, KH_LIT("harbour dues"), 10, &json, &report));
	assert_true(kh_view_find(json, KH_LIT("harbour.txt"), 0) != SIZE_MAX);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_ranking),  KH_TEST_ONCE(test_words),      KH_TEST_ONCE(test_any),
	KH_TEST_ONCE(test_results),  KH_TEST_ONCE(test_limit),      KH_TEST_ONCE(test_within),
	KH_TEST_ONCE(test_hostile),  KH_TEST_ONCE(test_many_words), KH_TEST_ONCE(test_too_long),
	KH_TEST(test_out_of_memory),
};

KH_TEST_MAIN(cases)
