/*
 * Compiles the built-in rules while Keyhole is built and writes the automata as C arrays.
 */
#include "core/screen/automata.h"

#include <stdio.h>
#include <stdlib.h>

#define RULE(name, code, severity, triggers, pattern, positive, negative) \
	{name, code, KH_SEVERITY_##severity, triggers, pattern, positive, negative},
static const struct kh_rule builtin[] = {
#include "core/screen/rules.def"
};
#undef RULE

/* One automaton as an array; a single zero where there is none. */
static bool put(FILE *out, const char *name, const hs_database_t *database)
{
	char *bytes = NULL;
	size_t n = 0;

	fprintf(out, "static const unsigned char prebuilt_%s[] = {\n", name);
	if (database == NULL)
		fputs("0", out);
	else if (hs_serialize_database(database, &bytes, &n) != HS_SUCCESS)
		return false;
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%u,%s", (unsigned char)bytes[i], i % 32 == 31 ? "\n" : "");
	free(bytes);
	return fputs("};\n", out) >= 0;
}

int main(int argc, char **argv)
{
	struct kh_rule_table rules = {builtin, sizeof(builtin) / sizeof(builtin[0]), NULL, 0};
	const hs_platform_info_t *target = NULL;
	struct kh_automata automata;
	struct kh_error err;

#if defined(__x86_64__)
	/* For any machine with AVX2, not just for this one; where that is missing the rules are compiled at run time.
	 */
	static const hs_platform_info_t avx2 = {.cpu_features = HS_CPU_FEATURES_AVX2};
	target = &avx2;
#endif
	if (kh_automata_compile(&kh_alloc_system, rules, target, &automata, &err) != KH_OK) {
		fprintf(stderr, "rules.def: %s\n", err.detail);
		return 1;
	}
	FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
	bool done = out != NULL && put(out, "all", automata.all) && put(out, "triggers", automata.triggers) &&
		    put(out, "always", automata.always);
	kh_automata_done(&automata);
	return out != NULL && fclose(out) == 0 && done ? 0 : 1;
}
