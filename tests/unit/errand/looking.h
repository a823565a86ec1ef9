/* A home, a folder of documents and a configuration for the tests of searching errands. */
#ifndef KH_TESTS_ERRAND_LOOKING_H
#define KH_TESTS_ERRAND_LOOKING_H

#include "executor.h"

#include "errand/errand.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static char looking_home[32], looking_docs[48];

static inline int looking_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void looking_clear(void)
{
	if (looking_home[0] != '\0')
		nftw(looking_home, looking_remove, 16, FTW_DEPTH | FTW_PHYS);
	looking_home[0] = '\0';
}

static inline void looking_new(void)
{
	static bool registered;

	looking_clear();
	snprintf(looking_home, sizeof(looking_home), "/tmp/kh-look-XXXXXX");
	assert_non_null(mkdtemp(looking_home));
	if (!registered)
		atexit(looking_clear);
	registered = true;
	snprintf(looking_docs, sizeof(looking_docs), "%s/docs", looking_home);
	assert_int_equal(mkdir(looking_docs, 0755), 0);
}

static inline void looking_put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", looking_docs, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Tools with CONFIG, of which nothing else need be there. */
static inline struct kh_errand_tools looking_tools(struct kh_test *t, const struct kh_config *config)
{
	return (struct kh_errand_tools){
		.client = executor_client(t), .config = config, .home = kh_view_str(looking_home)};
}

/* comm.search with PARAMETERS, as the engine has it carried out. */
static inline struct kh_errand_result looking_run(struct kh_test *t, const struct kh_errand_tools *tools,
						  const char *parameters, const struct kh_policy_rule *rule)
{
	static const struct kh_policy_rule none;
	struct kh_errand errand = {
		.operation = KH_LIT("comm.search"), .rule = rule != NULL ? rule : &none, .wall_ms = 30000};
	struct kh_errand_result result = {.end = KH_ERRAND_UNKNOWN};

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &errand.parameters, &t->err));
	must(t, kh_errand_run(tools, &errand, &t->arena, &result));
	return result;
}

/* True where the content has TEXT in it. */
static inline bool looking_has(const struct kh_errand_result *result, const char *text)
{
	return kh_view_find(kh_tainted_open(result->content), kh_view_str(text), 0) != SIZE_MAX;
}

static inline bool looking_says(const struct kh_errand_result *result, const char *text)
{
	return kh_view_find(kh_tainted_open(result->details), kh_view_str(text), 0) != SIZE_MAX;
}

#endif
