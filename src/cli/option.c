/* Reading options.  They come from the user, but are still quoted in messages. */
#include "cli/option.h"

#include "cli/nearest.h"

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

static const struct kh_option *find(const struct kh_option *options, size_t count, struct kh_view name)
{
	for (size_t i = 0; i < count; i++)
		if (kh_view_eq(kh_view_str(options[i].name), name))
			return &options[i];
	return NULL;
}

/* Reports that no option has this NAME, and names the one that was probably meant. */
static enum kh_err refuse_unknown(struct kh_error *err, const struct kh_option *options, size_t count,
				  struct kh_view name)
{
	struct kh_nearest near;
	char why[96];

	kh_nearest_begin(&near, name);
	for (size_t i = 0; i < count; i++)
		kh_nearest_try(&near, options[i].name);
	snprintf(why, sizeof(why), "is not an option of this command%s%s%s", near.name != NULL ? "; did you mean " : "",
		 near.name != NULL ? near.name : "", near.name != NULL ? "?" : "");
	return refuse(err, name, why);
}

/* Stores VALUE for O; returns NULL, or what is wrong with it. */
static const char *store(const struct kh_option *o, const char *value)
{
	if (o->text != NULL) {
		if (*o->text != NULL)
			return "is given twice";
		*o->text = value;
	} else if (o->list != NULL) {
		if (o->list->n == KH_OPTION_LIST)
			return "is given too often";
		o->list->at[o->list->n++] = value;
	} else if (!read_number(kh_view_str(value), o->unit, o->number)) {
		bool seconds = o->unit == KH_OPTION_SECONDS || o->unit == KH_OPTION_WAIT;
		return o->unit == KH_OPTION_BYTES ? "needs a number of bytes, such as 64M"
		       : seconds                  ? "needs a number of seconds, such as 2 or 0.5"
						  : "needs a whole number";
	}
	return NULL;
}

enum kh_err kh_option_read(const struct kh_option *options, size_t count, int argc, char **argv, int *ret_next,
			   struct kh_error *err)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
		struct kh_view rest = kh_view_str(argv[i]), name = rest;
		const char *value = strchr(argv[i], '=');
		i++;
		if (kh_view_eq(name, KH_LIT("--")))
			break;
		kh_view_split(&rest, '=', &name);
		const struct kh_option *o = find(options, count, name);
		if (o == NULL)
			return refuse_unknown(err, options, count, name);
		if (o->flag != NULL) {
			if (value != NULL)
				return refuse(err, name, "takes no value");
			*o->flag = true;
			continue;
		}
		if (value == NULL && i == argc)
			return refuse(err, name, "needs a value");
		const char *why = store(o, value != NULL ? value + 1 : argv[i++]);
		if (why != NULL)
			return refuse(err, name, why);
	}
	*ret_next = i;
	return KH_OK;
}

void kh_option_print(const struct kh_option *options, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		char left[40];
		snprintf(left, sizeof(left), "%s%s%s", options[i].name, options[i].value != NULL ? " " : "",
			 options[i].value != NULL ? options[i].value : "");
		fprintf(out, "  %-20s  %s\n", left, options[i].about);
	}
}
