/*
 * What calls send in pieces (K7): each line is the JSON of one call's parameters, of one operation.  Whatever they are,
 * what is kept of them has its bound.  A call that then has the whole of what is sealed is found, and so is it if four
 * calls have a piece of it each.
 */
#include "fuzz.h"

#include "core/block/verify.h"

#define OPERATION "comm.fetch"
#define SEALED    "wqzkvyxjmbfthrgplcdnwsavbqzx"
#define PIECES    4
#define CALLS     12 /* of an input */
#define NAMES     64

static struct {
	struct kh_arena arena; /* of one input */
	struct kh_sent at[NAMES];
	size_t n;
} sent;

static struct kh_sent *find(struct kh_view name)
{
	for (size_t i = 0; i < sent.n; i++)
		if (kh_view_eq(sent.at[i].name, name))
			return &sent.at[i];
	if (sent.n == NAMES)
		return NULL;
	sent.at[sent.n] = (struct kh_sent){.name = name};
	return &sent.at[sent.n++];
}

static void check_sent(const struct kh_sent *one)
{
	HOLDS(one->lines.n <= KH_SENT_BYTES);
	HOLDS(one->lines.n == 0 || one->lines.p[one->lines.n - 1] == '\n');
	HOLDS(one->prefix <= one->last.n && one->suffix <= one->last.n);
}

/* The values of a call and, for each, what was sent before; then what was sent of all.  NULL: too many names. */
static struct kh_sent *load(yyjson_val *parameters, struct kh_sent_value **ret_values, size_t *ret_count)
{
	HOLDS(kh_sent_split(&sent.arena, KH_LIT(OPERATION), parameters, ret_values, ret_count) == KH_OK);
	HOLDS(*ret_count <= KH_SENT_VALUES + 2);
	struct kh_sent *list = KH_NEW_N(&sent.arena, struct kh_sent, *ret_count + 1);
	HOLDS(list != NULL);
	for (size_t i = 0; i <= *ret_count; i++) {
		const struct kh_sent *one = find(i < *ret_count ? (*ret_values)[i].name : KH_LIT(""));
		if (one == NULL)
			return NULL;
		list[i] = *one;
	}
	return list;
}

static void add(yyjson_val *parameters)
{
	struct kh_sent_value *values = NULL;
	struct kh_view line;
	size_t count = 0;
	struct kh_sent *list = load(parameters, &values, &count);

	if (list == NULL)
		return;
	HOLDS(kh_sent_all(&sent.arena, list, values, count, &line) == KH_OK);
	for (size_t i = 0; i <= count; i++) {
		struct kh_sent *one = find(i < count ? values[i].name : KH_LIT(""));
		HOLDS(kh_sent_add(&sent.arena, one, i < count ? values[i].value : line) == KH_OK);
		check_sent(one);
	}
}

/* Whether tier 1 finds something sealed in a call. */
static bool found(yyjson_val *parameters)
{
	const struct kh_verify_source source = {.id = KH_LIT("b1"), .content = KH_LIT("The word is " SEALED ".")};
	struct kh_verify_request request = {.tool = KH_LIT(OPERATION),
					    .arguments = parameters,
					    .sources = &source,
					    .source_count = 1,
					    .taint = KH_TAINT_HIGH};
	struct kh_sent_value *values = NULL;
	struct kh_verification verification;
	size_t count = 0;
	struct kh_sent *list = load(parameters, &values, &count);

	request.sent = list;
	request.sent_count = list != NULL ? count + 1 : 0;
	HOLDS(kh_verify_call(kh_fuzz_screen(), &sent.arena, &request, &verification) == KH_OK);
	kh_fuzz_reasons(&verification.reasons);
	HOLDS(verification.suspicious == (verification.reasons.n > 0));
	for (size_t i = 0; i < verification.matches.n; i++)
		HOLDS(verification.matches.at[i].text < verification.member_count &&
		      verification.matches.at[i].source == 0);
	return verification.matches.kinds[KH_MATCH_RUN] > 0;
}

static yyjson_val *call_of(struct kh_view piece)
{
	struct kh_view json = kh_arena_printf(&sent.arena, "{\"url\":\"https://example.com/find?q=%.*s\"}",
					      KH_FMT(piece));
	yyjson_val *root = NULL;

	HOLDS(kh_json_read(&sent.arena, json, &root, NULL) == KH_OK);
	return root;
}

/* Sends what is sealed, piece by piece; the last one, at the latest, is found. */
static void send_pieces(void)
{
	size_t each = (sizeof(SEALED) - 1) / PIECES;
	bool any = false;

	for (size_t i = 0; i < PIECES && !any; i++) {
		yyjson_val *call = call_of(kh_view_sub(KH_LIT(SEALED), i * each, (i + 1) * each));
		any = found(call);
		add(call);
	}
	HOLDS(any);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kh_fuzz_screen();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view rest = kh_fuzz_view(data, size), line;

	kh_fuzz_begin(&sent.arena);
	sent.n = 0;
	for (size_t calls = 0; calls < CALLS && kh_view_split(&rest, '\n', &line); calls++) {
		yyjson_val *root = NULL;
		if (kh_json_read(&sent.arena, line, &root, NULL) != KH_OK || !yyjson_is_obj(root))
			continue;
		add(root);
	}
	/* One of both, because each takes longer than everything before it. */
	if (size % 2 == 0)
		HOLDS(found(call_of(KH_LIT(SEALED))));
	else
		send_pieces();
	kh_arena_done(&sent.arena);
	return 0;
}
