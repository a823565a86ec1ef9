/*
 * One pass: every word of the text is looked up in one cue set that holds the words of all fields.
 *
 * A boolean is true if most of its name's words are in one sentence or in two consecutive ones, and none of them is
 * negated.  A choice is the value with the most hits, and a hit right behind the field's own name ("Priority: high")
 * outweighs all others.  A number is the one nearest to the name's words.
 */
#include "reader/choose.h"

#include "reader/find_number.h"

#define NAME_WORDS 16
#define LABEL      64  /* the weight of a value right behind its field's name */
#define NEAR       12  /* tokens between a name and its number */
#define VALUE_CUES 256 /* cues from here on are words of the name */

/* Signs other than words that a word of a name can match. */
enum sign { NO_SIGN, SIGN_LINK, SIGN_QUESTION, SIGN_ADDRESS, SIGN_MONEY, SIGN_NUMBER };

struct owner {
	const struct kh_field *field; /* NULL: a question */
	size_t words;                 /* of the name, without empty and general ones */
	enum sign signs[NAME_WORDS];
	uint32_t met[NAME_WORDS]; /* the sentence in which each word was found last, from 1 */
	size_t best;              /* the most words found together */
	bool denied;              /* the name itself is negative: "no_action_needed" */
	bool verdict;             /* an enum of yes and no */
	int64_t *scores;          /* for an enum: of each value */
	uint32_t named;           /* the token at which the name was found last, from 1 */
	uint32_t number_at;       /* the last number in range, from 1 */
	int64_t number, last;     /* the nearest one, and the last */
	uint32_t distance;        /* 0: none yet */
	unsigned hits;            /* how often a word of the name was found */
};

struct chooser {
	struct kh_arena *arena;
	const struct kh_tokens *tokens;
	struct kh_cue_set set;
	struct owner *owners;
	size_t count;
	bool numbers; /* one of the fields is a number */
};

static enum sign sign_of(struct kh_view word)
{
	static const struct {
		struct kh_view words;
		enum sign sign;
	} all[] = {{KH_LIT_INIT("link|links|url|urls|hyperlink|hyperlinks"), SIGN_LINK},
		   {KH_LIT_INIT("question|questions"), SIGN_QUESTION},
		   {KH_LIT_INIT("address|addresses|emails"), SIGN_ADDRESS},
		   {KH_LIT_INIT("amount|amounts|price|prices|money|currency"), SIGN_MONEY},
		   {KH_LIT_INIT("number|numbers|digit|digits|figure|figures"), SIGN_NUMBER}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (kh_tokens_is_one(word, all[i].words))
			return all[i].sign;
	}
	return NO_SIGN;
}

/* Takes the next word off *REST, a name or a question: letters, separated by anything else and by camel case. */
static bool next_word(struct kh_view *rest, struct kh_view *ret_word)
{
	size_t start = 0, end;

	while (start < rest->n && !kh_ascii_is_alpha(rest->p[start]) && !((unsigned char)rest->p[start] & 0x80))
		start++;
	for (end = start; end < rest->n; end++) {
		char c = rest->p[end];
		bool letter = kh_ascii_is_alpha(c) || ((unsigned char)c & 0x80) || (c == '\'' && end > start);
		bool hump = end > start && c >= 'A' && c <= 'Z' && rest->p[end - 1] >= 'a' && rest->p[end - 1] <= 'z';
		if (!letter || hump)
			break;
	}
	*ret_word = kh_view_sub(*rest, start, end);
	*rest = kh_view_from(*rest, end);
	return ret_word->n > 0;
}

/* Enters the words of NAME as cues of owner AT; general words only if there are no others. */
static void enter_name(struct chooser *c, size_t at, struct kh_view name)
{
	struct owner *owner = &c->owners[at];

	for (int general = 0; general < 2 && owner->words == 0; general++) {
		struct kh_view rest = name, word;
		while (next_word(&rest, &word) && owner->words < NAME_WORDS) {
			uint32_t stem = kh_cue_stem(word);
			enum sign sign = sign_of(word);
			if (kh_tokens_is_one(word, KH_LIT("not|no|without|never|non"))) {
				owner->denied = true;
				continue;
			}
			if (kh_cue_is_empty(stem) || (!general && sign == NO_SIGN && kh_cue_is_general(stem)))
				continue;
			owner->signs[owner->words] = sign;
			kh_cue_add_group(&c->set, stem, at, VALUE_CUES + owner->words++);
		}
	}
}

/* The words of a verdict, YES or not. */
static struct kh_view verdict(bool yes)
{
	return yes ? KH_LIT("yes|true") : KH_LIT("no|false");
}

static bool is_verdict(const struct kh_field *field)
{
	size_t yes = 0, no = 0;

	for (size_t i = 0; i < field->value_count; i++) {
		yes += kh_tokens_is_one(field->values[i], verdict(true));
		no += kh_tokens_is_one(field->values[i], verdict(false));
	}
	return yes == 1 && no == 1;
}

static void enter_value(struct chooser *c, size_t at, size_t value)
{
	struct kh_view rest = c->owners[at].field->values[value], word;

	while (next_word(&rest, &word)) {
		uint32_t stem = kh_cue_stem(word);
		if (!kh_cue_is_empty(stem))
			kh_cue_add_group(&c->set, stem, at, value);
	}
}

static void enter_field(struct chooser *c, size_t at, const struct kh_field *field)
{
	struct owner *owner = &c->owners[at];

	owner->field = field;
	enter_name(c, at, field->name);
	c->numbers |= field->type == KH_FIELD_INTEGER;
	if (field->type != KH_FIELD_ENUM)
		return;
	owner->verdict = is_verdict(field);
	owner->scores = KH_NEW_N(c->arena, int64_t, field->value_count);
	for (size_t v = 0; !owner->verdict && v < field->value_count; v++)
		enter_value(c, at, v);
}

/* True if one of the four words before token I in its sentence, or the word after it, negates it. */
static bool is_denied(const struct kh_tokens *t, size_t i)
{
	for (size_t k = i; k > 0 && i - k < 4; k--) {
		const struct kh_token *before = &t->at[k - 1];
		if (before->sentence != t->at[i].sentence || kh_tokens_mark(t, k - 1, ','))
			return false;
		if (before->negates)
			return true;
	}
	return false;
}

/* A word of the name is in sentence S: counts how many of them are there or in the sentence before. */
static void meet(struct owner *owner, size_t word, uint32_t sentence)
{
	size_t together = 0;

	if (owner->met[word] == sentence + 1)
		return;
	owner->met[word] = sentence + 1;
	for (size_t i = 0; i < owner->words; i++)
		together += owner->met[i] != 0 && owner->met[i] + 1 >= sentence + 1;
	owner->best = together > owner->best ? together : owner->best;
}

static void near_number(struct owner *owner, int64_t number, uint32_t distance)
{
	if (distance <= NEAR && (owner->distance == 0 || distance < owner->distance)) {
		owner->distance = distance > 0 ? distance : 1;
		owner->number = number;
	}
}

static void see_cue(struct chooser *c, const struct kh_cue *cue, size_t i, bool denied)
{
	struct owner *owner = &c->owners[cue->owner];
	uint32_t here = (uint32_t)i + 1;

	if (cue->cue >= VALUE_CUES) {
		owner->hits += !denied;
		if (!denied)
			meet(owner, cue->cue - VALUE_CUES, c->tokens->at[i].sentence);
		if (cue->weight == KH_CUE_OWN)
			owner->named = here;
		/* A name after its number counts less: "3 attendees" does, "5. Attendees" hardly. */
		if (owner->number_at != 0)
			near_number(owner, owner->last, here - owner->number_at + 1);
	} else if (owner->scores != NULL) {
		bool label = owner->named != 0 && here - owner->named <= 3 && cue->weight == KH_CUE_OWN;
		owner->scores[cue->cue] += denied ? -(int64_t)cue->weight : label ? LABEL : cue->weight;
	}
}

static void see_word(struct chooser *c, size_t i)
{
	const struct kh_cue *cue = kh_cue_find(&c->set, c->tokens->at[i].stem);
	bool denied = cue != NULL && is_denied(c->tokens, i);

	for (; cue != NULL; cue = kh_cue_next(&c->set, cue))
		see_cue(c, cue, i, denied);
}

static void see_number(struct chooser *c, size_t i)
{
	int64_t number;
	size_t last;

	if (!kh_find_number_small(c->tokens, i, &number, &last))
		return;
	for (size_t k = 0; k < c->count; k++) {
		struct owner *owner = &c->owners[k];
		if (owner->field == NULL || owner->field->type != KH_FIELD_INTEGER || number < owner->field->min ||
		    number > owner->field->max)
			continue;
		if (owner->named != 0)
			near_number(owner, number, (uint32_t)i + 1 - owner->named);
		owner->number_at = (uint32_t)last + 1;
		owner->last = number;
	}
}

static void see_all(struct chooser *c)
{
	for (size_t i = 0; i < c->tokens->n; i++) {
		if (c->tokens->at[i].kind == KH_TOKEN_WORD)
			see_word(c, i);
		if (c->numbers && c->tokens->at[i].kind != KH_TOKEN_MARK)
			see_number(c, i);
	}
}

/* True if the text has a sign that is not a word: a link, a question, an address, an amount. */
static bool has_sign(const struct kh_tokens *t, enum sign sign)
{
	switch (sign) {
	case SIGN_LINK:
		return t->link || kh_view_find(t->text, KH_LIT("www."), 0) != SIZE_MAX;
	case SIGN_QUESTION:
		return t->question;
	case SIGN_ADDRESS:
		return kh_view_find(t->text, KH_LIT("@"), 0) != SIZE_MAX;
	case SIGN_MONEY:
		return kh_view_find(t->text, KH_LIT("$"), 0) != SIZE_MAX ||
		       kh_view_find(t->text, KH_LIT("\xe2\x82\xac"), 0) != SIZE_MAX ||
		       kh_view_find(t->text, KH_LIT("\xc2\xa3"), 0) != SIZE_MAX;
	case SIGN_NUMBER:
		for (size_t i = 0; i < t->n; i++) {
			if (t->at[i].kind == KH_TOKEN_NUMBER)
				return true;
		}
		return false;
	case NO_SIGN:
		break;
	}
	return false;
}

/* True if at least two thirds of the words were found. */
static bool is_met(const struct chooser *c, const struct owner *owner)
{
	size_t met = owner->best, need = (owner->words * 2 + 2) / 3;

	for (size_t i = 0; i < owner->words; i++) {
		/* A question mark or a URL is required: "if you have any questions" asks nothing. */
		bool decides = owner->signs[i] == SIGN_LINK || owner->signs[i] == SIGN_QUESTION;
		if (decides && !has_sign(c->tokens, owner->signs[i]))
			return false;
		met += owner->met[i] == 0 && has_sign(c->tokens, owner->signs[i]);
	}
	return owner->words > 0 && met >= need;
}

static int64_t say_verdict(const struct chooser *c, const struct owner *owner)
{
	bool yes = is_met(c, owner) != owner->denied;

	for (size_t i = 0; i < owner->field->value_count; i++) {
		if (kh_tokens_is_one(owner->field->values[i], verdict(yes)))
			return (int64_t)i;
	}
	return 0;
}

/* The most neutral listed value. */
static size_t plain_value(const struct kh_field *field)
{
	struct kh_view rest = KH_LIT("other|none|unknown|neutral|general|normal|medium|low|n/a|misc|miscellaneous|"
				     "standard|unclear|unsure|mixed|info|informational");
	struct kh_view word;

	while (kh_view_split(&rest, '|', &word)) {
		for (size_t v = 0; v < field->value_count; v++) {
			if (kh_view_eq_nocase(field->values[v], word))
				return v;
		}
	}
	return 0;
}

static int64_t say_choice(const struct owner *owner)
{
	size_t best = plain_value(owner->field);

	for (size_t v = 0; v < owner->field->value_count; v++) {
		if (owner->scores[v] > 0 && owner->scores[v] > owner->scores[best])
			best = v;
	}
	return (int64_t)best;
}

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* The nearest number.  Without one: the middle for a scale, which has few steps and does not begin at 0; else the last
 * number, if a word of the name was found, or 0. */
static int64_t say_number(const struct owner *owner)
{
	const struct kh_field *field = owner->field;
	bool scale = field->min > 0 && field->max <= 100;

	if (owner->distance != 0)
		return owner->number;
	if (!scale)
		return clamp(owner->number_at != 0 && owner->hits > 0 ? owner->last : 0, field->min, field->max);
	return field->min + (field->max - field->min) / 2;
}

int64_t *kh_choose_fields(struct kh_arena *arena, const struct kh_tokens *tokens, const struct kh_field *fields,
			  size_t count)
{
	struct chooser c = {.arena = arena, .tokens = tokens, .count = count};
	int64_t *values = KH_NEW_N(arena, int64_t, count);

	c.owners = KH_NEW_N(arena, struct owner, count);
	kh_cue_init(&c.set, arena, count * 8);
	if (values == NULL || c.owners == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		enter_field(&c, i, &fields[i]);
	if (arena->failed)
		return NULL;
	see_all(&c);
	for (size_t i = 0; i < count; i++) {
		const struct owner *owner = &c.owners[i];
		switch (fields[i].type) {
		case KH_FIELD_BOOLEAN:
			values[i] = is_met(&c, owner) != owner->denied;
			break;
		case KH_FIELD_ENUM:
			values[i] = owner->verdict ? say_verdict(&c, owner) : say_choice(owner);
			break;
		case KH_FIELD_INTEGER:
			values[i] = say_number(owner);
			break;
		}
	}
	return values;
}

bool kh_choose_yes(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct chooser c = {.arena = spot->arena, .tokens = spot->tokens, .count = 1};

	c.owners = KH_NEW(spot->arena, struct owner);
	kh_cue_init(&c.set, spot->arena, 16);
	if (c.owners == NULL)
		return false;
	enter_name(&c, 0, spot->asked);
	see_all(&c);
	*ret_text = is_met(&c, c.owners) != c.owners->denied ? KH_LIT("yes") : KH_LIT("no");
	return true;
}
