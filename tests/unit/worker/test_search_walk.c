/* E9: a walk comes to every regular file below a folder, in order, and to nothing outside of it. */
#include "searching.h"

#include "worker/search/walk.h"

static struct kh_search_walk walk;

/* The names that the walk comes to after AFTER, below the folder, with blanks between them. */
static const char *names(struct kh_test *t, struct kh_view after)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	must(t, kh_search_walk_init(&walk, &t->alloc, searching_docs, after, &t->err));
	while (kh_search_walk_next(&walk)) {
		struct kh_view key = kh_view_from(kh_search_walk_key(&walk), strlen(searching_docs) + 1);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", n > 0 ? " " : "");
		for (size_t i = 0; i < key.n; i++)
			text[n++] = key.p[i] == '\0' ? '/' : key.p[i];
		text[n] = '\0';
	}
	kh_search_walk_done(&walk);
	return text;
}

static struct kh_view key_of(struct kh_test *t, const char *name)
{
	struct kh_view key = kh_search_store_key(&t->arena, kh_view_str(searching_path(name)));

	must(t, kh_arena_check(&t->arena));
	return key;
}

static void make_tree(void)
{
	searching_new();
	searching_folder("a");
	searching_folder("a/b");
	searching_folder("empty");
	searching_put("a.txt", "1");
	searching_put("a/b/c", "2");
	searching_put("a/z", "3");
	searching_put("a-b", "4");
	searching_put("b", "5");
}

/* A name that begins as a folder's is called comes after what is in the folder. */
static void test_order(struct kh_test *t)
{
	make_tree();
	assert_string_equal(names(t, KH_LIT("")), "a/b/c a/z a-b a.txt b");
}

static void test_goes_on(struct kh_test *t)
{
	make_tree();
	assert_string_equal(names(t, key_of(t, "a/b/c")), "a/z a-b a.txt b");
	assert_string_equal(names(t, key_of(t, "a/y")), "a/z a-b a.txt b");
	assert_string_equal(names(t, key_of(t, "a/z")), "a-b a.txt b");
	assert_string_equal(names(t, key_of(t, "a.txt")), "b");
	assert_string_equal(names(t, key_of(t, "c")), "");
}

/* Links, pipes and what is hidden are not there. */
static void test_leaves_out(struct kh_test *t)
{
	make_tree();
	assert_int_equal(symlink(searching_index, searching_path("link")), 0);
	assert_int_equal(symlink("a.txt", searching_path("same")), 0);
	assert_int_equal(mkfifo(searching_path("pipe"), 0644), 0);
	searching_folder(".git");
	searching_put(".git/config", "6");
	searching_put(".hidden", "7");
	assert_string_equal(names(t, KH_LIT("")), "a/b/c a/z a-b a.txt b");
}

/* What was a file when its folder was read, and is a pipe, a link or gone when it is opened, is not opened. */
static void test_replaced(struct kh_test *t)
{
	make_tree();
	must(t, kh_search_walk_init(&walk, &t->alloc, searching_docs, KH_LIT(""), &t->err));
	assert_true(kh_search_walk_next(&walk));
	int fd = kh_search_walk_open(&walk);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink(searching_path("a/b/c")), 0);
	assert_int_equal(kh_search_walk_open(&walk), -1);
	assert_int_equal(mkfifo(searching_path("a/b/c"), 0644), 0);
	assert_int_equal(kh_search_walk_open(&walk), -1); /* and does not wait for who would write to it */
	assert_int_equal(unlink(searching_path("a/b/c")), 0);
	searching_write_at(searching_outside, KH_LIT("8"));
	assert_int_equal(symlink(searching_outside, searching_path("a/b/c")), 0);
	assert_int_equal(kh_search_walk_open(&walk), -1);
	kh_search_walk_done(&walk);
}

static void test_too_deep(struct kh_test *t)
{
	char name[512] = "d";

	searching_new();
	for (size_t i = 1; i < KH_SEARCH_WALK_DEPTH + 4; i++) {
		searching_folder(name);
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "/d");
	}
	searching_put(name, "deep");
	searching_put("e", "1");
	assert_string_equal(names(t, KH_LIT("")), "e");
	assert_int_equal(walk.unread, 1);
}

static void test_no_folder(struct kh_test *t)
{
	searching_new();
	rmdir(searching_docs);
	must_fail(t, KH_EREFUSED, kh_search_walk_init(&walk, &t->alloc, searching_docs, KH_LIT(""), &t->err));
	assert_string_equal(t->err.code, "folder_missing");
	assert_int_equal(symlink(searching_index, searching_docs), 0);
	must_fail(t, KH_EREFUSED, kh_search_walk_init(&walk, &t->alloc, searching_docs, KH_LIT(""), &t->err));
	assert_string_equal(t->err.code, "folder_unread");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_order),    KH_TEST_ONCE(test_goes_on),  KH_TEST_ONCE(test_leaves_out),
	KH_TEST_ONCE(test_replaced), KH_TEST_ONCE(test_too_deep), KH_TEST_ONCE(test_no_folder),
};

KH_TEST_MAIN(cases)
