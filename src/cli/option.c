/* Reading options.  They come from the user, but are still quoted in messages. */
#include "cli/option.h"

#include "base/nearest.h"

/* Reads digits followed by a factor. */
static bool read_bytes(struct kh_view v, uint64_t *ret_value)
{
	static const char units[] = "KMG";
	const char *unit = v.n > 0 ? strchr(units, v.p[v.n - 1]) : NULL;
	int64_t n;
	uint64_t bytes;

	if (unit != NULL)
		v.n--;
	if (!kh_view_int(v, &n) || n < 1)
		return false;
	uint64_t factor = unit != NULL ? UINT64_C(1) << (10 * (unsigned)(unit - units + 1)) : 1;
	if (__builtin_mul_overflow((uint64_t)n, factor, &bytes))
		return false;
	*ret_value = bytes;
	return true;
}

/* Reads "2", "0.25", "1.5" as milliseconds. */
static bool read_seconds(struct kh_view v, uint64_t *ret_value)
{
	struct kh_view whole = {0}, rest = v;
	int64_t n;
	uint64_t ms;

	kh_view_split(&rest, '.', &whole);
	bool has_fraction = whole.n < v.n;
	if (!kh_view_int(whole, &n) || n < 0 || __builtin_mul_overflow((uint64_t)n, UINT64_C(1000), &ms))
		return false;
	if (has_fraction && (rest.n < 1 || rest.n > 3))
		return false;
	for (uint64_t i = 0, digit = 100; has_fraction && i < rest.n; i++, digit /= 10) {
		if (!kh_ascii_is_digit(rest.p[i]))
			return false;
		ms += (uint64_t)(rest.p[i] - '0') * digit;
	}
	*ret_value = ms;
	return true;
}

static bool read_number(struct kh_view v, enum kh_option_unit unit, uint64_t *ret_value)
{
	int64_t n;

	if (unit == KH_OPTION_BYTES)
		return read_bytes(v, ret_value);
	if (unit == KH_OPTION_SECONDS || unit == KH_OPTION_WAIT)
		return read_seconds(v, ret_value) && (*ret_value > 0 || unit == KH_OPTION_WAIT);
	if (!kh_view_int(v, &n) || n < (unit == KH_OPTION_COUNT ? 1 : 0))
		return false;
	*ret_value = (uint64_t)n;
	return true;
}

/* Refuses an argument; the message has a few bytes of it, quoted. */
static enum kh_err refuse(struct kh_error *err, struct kh_view argument, const char *why)
{
	struct kh_arena arena;

	kh_arena_init(&arena, NULL, 4096);
	struct kh_view quoted = kh_arena_quote(&arena, argument);
	enum kh_err e = kh_error_set(err, KH_EINPUT, "bad_option", "%.*s %s", KH_FMT(quoted), why);
	kh_arena_done(&arena);
	return e;
}

/* Finds the option NAME; *RET_MEMBER is what it fills. */
static const struct kh_option *find(const struct kh_options *tables, size_t count, struct kh_view name,
				    void **ret_member)
{
	for (size_t t = 0; t < count; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct kh_option *o = &tables[t].at[i];
			*ret_member = (char *)tables[t].args + o->at;
			if (kh_view_eq(kh_view_str(o->name), name))
				return o;
		}
	}
	return NULL;
}

/* Reports that no option has this NAME, and names the one that was probably meant. */
static enum kh_err refuse_unknown(struct kh_error *err, const struct kh_options *tables, size_t count,
				  struct kh_view name)
{
	struct kh_nearest near;
	char why[96];

	kh_nearest_begin(&near, name);
	for (size_t t = 0; t < count; t++)
		for (size_t i = 0; i < tables[t].n; i++)
			kh_nearest_try(&near, kh_view_str(tables[t].at[i].name));
	snprintf(why, sizeof(why), "is not an option of this command%s%.*s%s", near.name.n > 0 ? "; did you mean " : "",
		 KH_FMT(near.name), near.name.n > 0 ? "?" : "");
	return refuse(err, name, why);
}

static const char *store_text(const char **member, const char *value)
{
	if (*member != NULL)
		return "is given twice";
	*member = value;
	return NULL;
}

static const char *store_view(struct kh_view *member, const char *value)
{
	if (member->p != NULL)
		return "is given twice";
	*member = kh_view_str(value);
	return NULL;
}

static const char *store_item(struct kh_option_list *list, const char *value)
{
	if (list->n == KH_OPTION_LIST)
		return "is given too often";
	list->at[list->n++] = value;
	return NULL;
}

static const char *store_number(uint64_t *member, enum kh_option_unit unit, const char *value)
{
	if (read_number(kh_view_str(value), unit, member))
		return NULL;
	if (unit == KH_OPTION_BYTES)
		return "needs a number of bytes, such as 64M";
	return unit == KH_OPTION_SECONDS || unit == KH_OPTION_WAIT ? "needs a number of seconds, such as 2 or 0.5"
								   : "needs a whole number";
}

/* Stores VALUE for O; returns NULL, or what is wrong with it. */
static const char *store(const struct kh_option *o, void *member, const char *value)
{
	if (o->type == KH_OPTION_IS_FLAG)
		return "takes no value";
	if (o->type == KH_OPTION_IS_LIST)
		return store_item(member, value);
	if (o->type == KH_OPTION_IS_NUMBER)
		return store_number(member, o->unit, value);
	return o->type == KH_OPTION_IS_VIEW ? store_view(member, value) : store_text(member, value);
}

void kh_option_preset(const struct kh_options *options)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct kh_option *o = &options->at[i];
		if (o->preset > 0)
			*(uint64_t *)(void *)((char *)options->args + o->at) = o->preset;
	}
}

/* Reads the option ARGV[*I], and its value; *I is then the next argument. */
static enum kh_err read_one(const struct kh_options *tables, size_t count, int argc, char **argv, int *i,
			    struct kh_error *err)
{
	struct kh_view rest = kh_view_str(argv[*i]), name;
	const char *value = strchr(argv[(*i)++], '=');
	void *member;

	kh_view_split(&rest, '=', &name);
	const struct kh_option *o = find(tables, count, name, &member);
	if (o == NULL)
		return refuse_unknown(err, tables, count, name);
	if (o->type == KH_OPTION_IS_FLAG && value == NULL) {
		*(bool *)member = true;
		return KH_OK;
	}
	if (value == NULL && *i == argc)
		return refuse(err, name, "needs a value");
	const char *why = store(o, member, value != NULL ? value + 1 : argv[(*i)++]);
	return why != NULL ? refuse(err, name, why) : KH_OK;
}

enum kh_err kh_option_read(const struct kh_options *tables, size_t count, bool first, int argc, char **argv,
			   char **ret_words, int *ret_count, struct kh_error *err)
{
	enum kh_err e = KH_OK;
	bool more = true; /* options may follow */
	int i = 1, n = 0;

	while (e == KH_OK && i < argc) {
		if (more && strcmp(argv[i], "--") == 0) {
			more = false;
			i++;
		} else if (more && argv[i][0] == '-' && argv[i][1] != '\0') {
			e = read_one(tables, count, argc, argv, &i, err);
		} else {
			more = more && !first;
			ret_words[n++] = argv[i++];
		}
	}
	*ret_count = n;
	return e;
}

void kh_option_print(const struct kh_options *options, FILE *out)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct kh_option *o = &options->at[i];
		char left[40];
		snprintf(left, sizeof(left), "%s%s%s", o->name, o->value != NULL ? " " : "",
			 o->value != NULL ? o->value : "");
		fprintf(out, "  %-20s  %s\n", left, o->about);
	}
}
