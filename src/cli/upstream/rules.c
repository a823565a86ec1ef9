/* Proposals of rules.  Names come from a server: only those that fit a rule's own grammar are written. */
#include "cli/upstream/rules.h"

#include "core/comm/operation.h"
#include "core/policy/risk.h"
#include "core/policy/tier.h"
#include "engine/upstream/alias.h"

#define WORD 32 /* bytes of a verb, and more */

/* What a verb says.  A tool whose name has none of these may do anything. */
static const struct verbs {
	enum kh_risk risk;
	enum kh_effect effects;
	const char *words;
} verbs[] = {
	{KH_RISK_HIGH, KH_EFFECT_PAYMENT, " pay buy order purchase transfer withdraw "},
	{KH_RISK_HIGH, KH_EFFECT_DELETE, " delete remove drop destroy purge erase truncate kill "},
	{KH_RISK_HIGH, KH_EFFECT_CHANGE,
	 " send post publish reply forward merge push deploy execute exec run eval invoke click upload "},
	{KH_RISK_MODERATE, KH_EFFECT_CHANGE,
	 " write create edit update add set put move rename copy insert open close save store navigate "},
	{KH_RISK_LOW, KH_EFFECT_NONE,
	 " get list read search find show describe query view count stat status info tree diff log directory "},
};

static const char content[] =
	" body content contents text message title subject description comment note summary query prompt thought ";

/* The next word of a name, in lower case: read_file, read-file and readFile have the same. */
static bool next_word(struct kh_view name, size_t *at, char ret_word[WORD])
{
	size_t n = 0;

	while (*at < name.n && !kh_ascii_is_alpha(name.p[*at]))
		++*at;
	while (*at < name.n && kh_ascii_is_alpha(name.p[*at]) && n + 1 < WORD) {
		bool capital = name.p[*at] >= 'A' && name.p[*at] <= 'Z';
		if (n > 0 && capital && ret_word[n - 1] >= 'a' && name.p[*at - 1] >= 'a')
			break;
		ret_word[n++] = kh_ascii_lower(name.p[(*at)++]);
	}
	ret_word[n] = '\0';
	return n > 0;
}

static bool is_among(const char *words, const char *word)
{
	char framed[WORD + 2];

	snprintf(framed, sizeof(framed), " %s ", word);
	return strstr(words, framed) != NULL;
}

/* The strictest that any word of NAME says; a name without a known word is moderate. */
static struct verbs judge_name(struct kh_view name)
{
	struct verbs found = {KH_RISK_MODERATE, KH_EFFECT_CHANGE, NULL};
	char word[WORD];

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]) && found.words == NULL; i++) {
		for (size_t at = 0; found.words == NULL && next_word(name, &at, word);)
			if (is_among(verbs[i].words, word))
				found = verbs[i];
	}
	return found;
}

/* Annotations make it stricter alone. */
static struct verbs judge(struct kh_view name, yyjson_val *tool)
{
	yyjson_val *hints = kh_json_get(tool, "annotations");
	struct verbs found = judge_name(name);

	if (yyjson_is_false(kh_json_get(hints, "readOnlyHint")) && found.risk == KH_RISK_LOW)
		found = (struct verbs){KH_RISK_MODERATE, KH_EFFECT_CHANGE, NULL};
	if (yyjson_is_true(kh_json_get(hints, "destructiveHint")) && found.risk != KH_RISK_HIGH &&
	    !yyjson_is_true(kh_json_get(hints, "readOnlyHint")))
		found = (struct verbs){KH_RISK_HIGH, KH_EFFECT_CHANGE, NULL};
	return found;
}

/* Parameters that are likely to be content; all others decide where it goes. */
static void add_content(struct kh_buf *buf, yyjson_val *tool)
{
	yyjson_val *key, *value;
	bool any = false;
	char word[WORD];
	size_t i, max;

	yyjson_obj_foreach (kh_json_get(kh_json_get(tool, "inputSchema"), "properties"), i, max, key, value) {
		struct kh_view name = kh_json_str(key);
		size_t at = 0;
		if (name.n >= WORD || !kh_view_is_word(name, "_") || !next_word(name, &at, word) || at < name.n ||
		    !is_among(content, word))
			continue;
		kh_buf_printf(buf, "%s%.*s", any ? ", " : "      content_parameters: [", KH_FMT(name));
		any = true;
	}
	if (any)
		kh_buf_lit(buf, "]\n");
}

static void add_rule(struct kh_buf *buf, struct kh_view server, struct kh_view alias, yyjson_val *tool)
{
	struct verbs said = judge(alias, tool);

	kh_buf_printf(buf, "    - name: %.*s__%.*s\n      risk: %s\n      effects: %s\n", KH_FMT(server), KH_FMT(alias),
		      kh_words_name(&kh_risk_words, said.risk), kh_words_name(&kh_tier_effect_words, said.effects));
	if (said.risk == KH_RISK_HIGH)
		kh_buf_lit(buf, "      approval: ask\n");
	if (said.risk != KH_RISK_LOW)
		add_content(buf, tool);
}

enum kh_err kh_rules_propose(struct kh_arena *arena, struct kh_view server, const struct kh_inventory *inventory,
			     struct kh_buf *buf)
{
	struct kh_error err;
	enum kh_err e = KH_OK;

	kh_buf_lit(buf,
		   "# A proposal, from the names of the tools: read it before you use it.  What reads what others\n"
		   "# wrote stays sealed.  A tool without a rule is of high risk, and a human is asked for each call.\n"
		   "policy:\n  tools:\n");
	for (size_t i = 0; e == KH_OK && i < inventory->count; i++) {
		yyjson_val *tool = NULL;
		struct kh_view alias = kh_alias_make(arena, server, kh_tainted_open(inventory->tools[i].name), true);
		e = kh_json_read(arena, kh_tainted_open(inventory->tools[i].text), &tool, &err);
		if (e == KH_OK && alias.p == NULL)
			e = KH_ENOMEM;
		if (e == KH_OK)
			add_rule(buf, server, alias, tool);
	}
	return e;
}
