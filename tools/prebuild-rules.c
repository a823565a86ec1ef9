/*
 * Compiles the built-in rules while Keyhole is built and writes the automaton as rows of a C array: compiling them
 * takes most of a second, reading the result back a fraction of a millisecond.
 */
#include <hs.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/screen/rules.h"

#define RULE(name, code, severity, pattern, positive, negative) pattern,
static const char *const patterns[] = {
#include "core/screen/rules.def"
};
#undef RULE

#define COUNT (sizeof(patterns) / sizeof(patterns[0]))

int main(int argc, char **argv)
{
	unsigned flags[COUNT], ids[COUNT];
	hs_platform_info_t *target = NULL;
	hs_database_t *database = NULL;
	hs_compile_error_t *why = NULL;
	char *bytes = NULL;
	size_t n = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		flags[i] = KH_RULES_FLAGS;
		ids[i] = i;
	}
#if defined(__x86_64__)
	/* For any machine with AVX2, not just for this one; where that is missing the rules are compiled at run time.
	 */
	hs_platform_info_t avx2 = {.cpu_features = HS_CPU_FEATURES_AVX2};
	target = &avx2;
#endif
	if (hs_compile_multi(patterns, flags, ids, COUNT, HS_MODE_BLOCK, target, &database, &why) != HS_SUCCESS) {
		fprintf(stderr, "rules.def, rule %d: %s\n", why ? why->expression : -1,
			why ? why->message : "no memory");
		return 1;
	}
	if (hs_serialize_database(database, &bytes, &n) != HS_SUCCESS)
		return 1;
	FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
	if (out == NULL)
		return 1;
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%u,%s", (unsigned char)bytes[i], i % 32 == 31 ? "\n" : "");
	hs_free_database(database);
	free(bytes);
	return fclose(out) == 0 ? 0 : 1;
}
