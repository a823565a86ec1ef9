/*
 * The screen.  Input is hostile bytes and never trusted.  The work is bounded: each form of the text is read once, the
 * decoded forms together have at most a fixed multiple of the text's size, and findings are capped.
 *
 * A form is read like this: the rules scan its bytes; hidden characters are found; the rules scan its skeleton, with
 * leet and spacing undone; then the decoders run, and what they find is read as a form in turn, up to KH_SCREEN_DEPTH
 * deep.
 */
#include "core/screen/screen.h"

#include "base/utf8.h"
#include "core/screen/disguise.h"
#include "core/screen/hidden.h"
#include "core/screen/lexicon.h"
#include "core/screen/mend.h"
#include "core/screen/normalise.h"
#include "core/screen/prescan.h"
#include "core/screen/scripts.h"
#include "core/screen/speech.h"
#include "core/screen/turn.h"
#include "core/screen/unescape.h"

#define PER_RULE     16  /* kept of one rule */
#define MATCHES_MAX  512 /* looked at in one form */
#define BUDGET       2   /* decoded bytes for a byte of the text */
#define BUDGET_MORE  65536
#define SPACED_MIN   8    /* fewest letters with gaps that are more than an abbreviation */
#define NEEDLESS_MIN 4    /* fewest needless escapes that count */
#define TURNED_MAX   8    /* phrases of one form that are reversed or in rot13 */
#define CLOSE_MAX    4096 /* bytes of a document that all rules scan at once */
#define AROUND       256  /* bytes around an escape that are read with it */
#define MARGIN       4    /* blocks that are read before and after a suspicious one */
#define FORMS_MAX    512  /* decoded forms that are read */

_Static_assert(KH_FORM_LAYERS == KH_SCREEN_DEPTH + 3, "a form holds all layers of a finding");

struct kh_screen {
	struct kh_alloc alloc;
	const struct kh_rules *rules;
	void *scratch;
};

static const struct kh_words known_codes = KH_WORDS(KH_SCREEN_CODES);

bool kh_screen_code_exists(const char *code)
{
	return kh_words_have(&known_codes, kh_view_str(code));
}

enum kh_err kh_screen_new(const struct kh_alloc *alloc, const struct kh_rules *rules, struct kh_screen **ret_screen)
{
	const struct kh_alloc *from = alloc ? alloc : &kh_alloc_system;
	struct kh_screen *screen = kh_alloc_zero(from, sizeof(*screen));

	if (screen == NULL)
		return KH_ENOMEM;
	*screen = (struct kh_screen){*from, rules, kh_rules_scratch_new(rules)};
	if (screen->scratch == NULL) {
		kh_alloc_free(from, screen, sizeof(*screen));
		return KH_ENOMEM;
	}
	*ret_screen = screen;
	return KH_OK;
}

void kh_screen_free(struct kh_screen *screen)
{
	if (screen == NULL)
		return;
	kh_rules_scratch_free(screen->scratch);
	struct kh_alloc alloc = screen->alloc;
	kh_alloc_free(&alloc, screen, sizeof(*screen));
}

struct match {
	size_t id, end;
};

/* The state of one call: the findings so far, and the remaining budget. */
struct reading {
	struct kh_screen *screen;
	struct kh_arena *arena;
	enum kh_screen_as as;
	bool strict; /* an answer or a name */
	struct kh_findings found;
	size_t budget, decoded;  /* bytes that may still be decoded, and forms that were */
	unsigned char *per_rule; /* findings of each rule */
	struct match *matches;   /* of the form being read */
	size_t match_count;
	bool turned; /* the form being decoded was reversed or in rot13 */
};

static void add(struct reading *r, const struct kh_form *form, const char *code, const char *rule,
		enum kh_severity severity, size_t a, size_t b)
{
	kh_findings_add(&r->found, r->arena, form, code, rule, severity, a, b);
}

static bool on_match(void *ctx, size_t id, size_t end)
{
	struct reading *r = ctx;

	if (r->per_rule[id] >= PER_RULE)
		return false;
	r->per_rule[id]++;
	r->matches[r->match_count++] = (struct match){id, end};
	return r->match_count == MATCHES_MAX;
}

static bool on_enough(void *ctx, size_t id)
{
	const struct reading *r = ctx;

	return r->per_rule[id] >= PER_RULE;
}

/* True for rules that only show where a text may be reversed or in rot13. */
static bool is_turned(const struct kh_rule *rule)
{
	return strcmp(rule->name, "rot13_words") == 0 || strcmp(rule->name, "reversed_words") == 0;
}

static enum kh_err read_turned_at(struct reading *r, const struct kh_form *form, size_t at);

/*
 * Scans FORM with the rules.  A document is searched for triggers first (LOOK is its prescan); all rules scan a short
 * text, or one with LOOK NULL, at once.  With WORDS, only rules about words count, because undoing leet and spacing can
 * turn any text into hosts and tags.
 */
static enum kh_err read_rules(struct reading *r, const struct kh_form *form, const struct kh_prescan *look, bool words)
{
	const struct kh_rules *rules = r->screen->rules;
	const struct kh_rules_sink sink = {on_match, on_enough, r};
	enum kh_err e;

	r->match_count = 0;
	if (words && !r->strict) {
		unsigned char *none = kh_arena_alloc(r->arena, form->text.n / KH_PRESCAN_BLOCK + 1);
		e = none ? kh_rules_search(rules, r->screen->scratch, form->text, none, &sink) : KH_ENOMEM;
	} else if (look != NULL)
		e = kh_rules_search(rules, r->screen->scratch, form->text, look->blocks, &sink);
	else
		e = kh_rules_scan(rules, r->screen->scratch, form->text, &sink);
	size_t turned[TURNED_MAX], turned_count = 0;
	for (size_t i = 0; e == KH_OK && i < r->match_count; i++) {
		const struct kh_rule *rule = kh_rules_at(rules, r->matches[i].id);
		size_t end = r->matches[i].end, before = r->found.n;
		if (is_turned(rule)) {
			if (turned_count < TURNED_MAX)
				turned[turned_count++] = end;
		} else if (!words || strcmp(rule->code, "instruction") == 0) {
			size_t start = kh_rules_start(rules, r->screen->scratch, form->text, r->matches[i].id, end);
			if (r->as != KH_SCREEN_NAME || !kh_speech_is_surname(form->text, start, end))
				add(r, form, rule->code, rule->name, rule->severity, start, end);
		}
		if (r->found.n == before)
			r->per_rule[r->matches[i].id]--;
	}
	/* Only now, because reading reversed text uses the list of matches itself. */
	for (size_t i = 0; e == KH_OK && !words && i < turned_count; i++)
		e = read_turned_at(r, form, turned[i]);
	return e;
}

static enum kh_err read_form(struct reading *r, const struct kh_form *form);

/* Reads a decoded text: adds a finding of RULE, if any, and reads it in turn as far as depth and budget allow. */
static enum kh_err read_decoded(struct reading *r, const struct kh_form *form, const char *rule)
{
	if (form->depth > KH_SCREEN_DEPTH || form->text.n > r->budget || r->decoded == FORMS_MAX)
		return KH_OK;
	bool turned = r->turned;
	r->budget -= form->text.n;
	r->decoded++;
	r->turned = false;
	if (rule != NULL)
		add(r, form, "encoded", rule, KH_SEVERITY_LOW, 0, form->text.n);
	enum kh_err e = read_form(r, form);
	r->turned = turned;
	return e;
}

struct finder {
	struct reading *r;
	const struct kh_form *form;
	enum kh_err e;
};

static void on_decoded(void *ctx, enum kh_layer layer, struct kh_view decoded, size_t start, size_t end)
{
	struct finder *f = ctx;
	struct kh_form form = kh_form_of(f->form, layer, decoded, start, end);

	if (layer == KH_LAYER_HEX && kh_decode_is_number(kh_view_sub(f->form->text, start, end), decoded))
		return;
	if (f->e == KH_OK)
		f->e = read_decoded(f->r, &form, "encoded");
}

static void on_hidden(void *ctx, const char *code, enum kh_severity severity, size_t start, size_t end)
{
	struct finder *f = ctx;

	/* If what was decoded is no UTF-8, it was not encoded: "page=90" and "lang=de" are not quoted-printable. */
	if (f->form->depth > 0 && !f->r->strict && strcmp(code, "invalid_utf8") == 0)
		return;
	add(f->r, f->form, code, code, severity, start, end);
}

static enum kh_err read_hidden(struct reading *r, const struct kh_form *form)
{
	struct finder f = {r, form, KH_OK};
	struct kh_hidden h;

	kh_hidden_scan(r->arena, form->text, on_decoded, &f, &h);
	kh_hidden_judge(&h, r->strict, on_hidden, &f);
	return f.e;
}

/* Undoes the escapes of LAYER in FORM, and reads the result as a text of its own. */
static enum kh_err read_unescaped(struct reading *r, const struct kh_form *form, enum kh_layer layer)
{
	struct kh_unescaped u;
	enum kh_err e = kh_unescape(r->arena, form->text, layer, &u);

	if (e != KH_OK || u.count == 0)
		return e;
	/* A reversed or rot13 text can contain escapes by accident. */
	if (r->turned && u.needless < NEEDLESS_MIN)
		return KH_OK;
	bool needless = u.needless >= NEEDLESS_MIN || (r->strict && u.count > 1);
	struct kh_form decoded = kh_form_map(form, layer, u.text, u.origin);
	if (needless) {
		struct kh_form whole = kh_form_of(form, layer, u.text, u.first, u.last);
		add(r, &whole, "encoded", "encoded", KH_SEVERITY_LOW, 0, u.text.n);
	}
	return read_decoded(r, &decoded, NULL);
}

/* Reads the escapes, each kind on its own, with a little text around them. */
static enum kh_err read_escapes(struct reading *r, const struct kh_form *form)
{
	static const enum kh_layer layers[] = {KH_LAYER_URL, KH_LAYER_HTML, KH_LAYER_QUOTED_PRINTABLE, KH_LAYER_ESCAPE};
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		size_t next = kh_unescape_find(form->text, layers[i], 0);
		while (e == KH_OK && next != SIZE_MAX) {
			size_t first = next, last = next;
			while (next != SIZE_MAX && next - last <= 2 * AROUND) {
				last = next;
				next = kh_unescape_find(form->text, layers[i], last + 1);
			}
			struct kh_form part = kh_form_part(form, first > AROUND ? first - AROUND : 0, last + AROUND);
			e = read_unescaped(r, &part, layers[i]);
		}
	}
	return e;
}

static void add_answer(struct reading *r, const struct kh_form *form, struct kh_speech a)
{
	if (a.code != NULL)
		add(r, form, a.code, a.rule, a.severity, 0, form->text.n);
}

/* Mends the spelling of a short FORM, and reads the result. */
static enum kh_err read_mended(struct reading *r, const struct kh_form *form)
{
	bool name = r->as == KH_SCREEN_NAME;
	struct kh_mended m;
	enum kh_err e = kh_mend_text(r->arena, kh_view_sub(form->text, 0, r->strict ? CLOSE_MAX : SIZE_MAX), name, &m);

	if (e != KH_OK || (!m.changed && !m.endless))
		return e;
	struct kh_form mended = kh_form_map(form, KH_LAYER_MENDED, m.text, m.origin);
	if (r->strict)
		add_answer(r, &mended, kh_speech_mended(&m));
	if (name)
		add_answer(r, &mended, kh_speech_mended_name(&m));
	return read_rules(r, &mended, NULL, true);
}

/* Judges a form as an answer or a name, by its words. */
static void judge_words(struct reading *r, const struct kh_form *skeleton)
{
	if (r->strict)
		add_answer(r, skeleton, kh_speech_judge(skeleton->text));
	if (r->as == KH_SCREEN_NAME)
		add_answer(r, skeleton, kh_speech_name(skeleton->text));
}

static void judge_scripts(struct reading *r, const struct kh_form *folded)
{
	if (r->strict)
		add_answer(r, folded, kh_scripts_judge(folded->text));
	if (r->as == KH_SCREEN_NAME)
		add_answer(r, folded, kh_scripts_judge_name(folded->text));
}

/*
 * True if DECODED reads like language and TEXT does not: then it was meant to be read that way.  Names have few known
 * words, so one word more is enough for them.
 */
static bool meant(const struct reading *r, struct kh_view text, struct kh_view decoded)
{
	size_t words, decoded_words;
	size_t before = kh_lexicon_known(text, &words), after = kh_lexicon_known(decoded, &decoded_words);

	return after >= 2 && after * 4 >= decoded_words && after > (r->as == KH_SCREEN_NAME ? before : 2 * before);
}

/* Reads short texts as a whole in rot13 and backwards. */
static enum kh_err read_turned(struct reading *r, const struct kh_form *skeleton)
{
	struct kh_view rot13 = kh_turn_rot13(r->arena, skeleton->text);
	struct kh_view reversed = kh_turn_reverse(r->arena, skeleton->text);
	enum kh_err e = kh_arena_check(r->arena);

	if (e == KH_OK && meant(r, skeleton->text, rot13)) {
		struct kh_form form = kh_form_of(skeleton, KH_LAYER_ROT13, rot13, 0, skeleton->text.n);
		e = read_decoded(r, &form, "rot13_words");
	}
	if (e == KH_OK && meant(r, skeleton->text, reversed)) {
		struct kh_form form = kh_form_of(skeleton, KH_LAYER_REVERSED, reversed, 0, skeleton->text.n);
		e = read_decoded(r, &form, "reversed_words");
	}
	return e;
}

/* Reads the phrase around AT in a document in rot13 and backwards. */
static enum kh_err read_turned_at(struct reading *r, const struct kh_form *form, size_t at)
{
	size_t start, end;
	struct kh_view text;
	uint32_t *origin;

	kh_disguise_phrase(form->text, at, &start, &end);
	struct kh_form part = kh_form_part(form, start, end);
	enum kh_err e = kh_normalise_form(r->arena, part.text, KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE, &text,
					  &origin);
	if (e != KH_OK)
		return e;
	struct kh_form skeleton = kh_form_map(&part, KH_LAYER_NORMALISED, text, origin);
	skeleton.layer_count = form->layer_count;
	return read_turned(r, &skeleton);
}

/* Undoes leet and spacing in the skeleton, and reads the results. */
static enum kh_err read_spaced(struct reading *r, const struct kh_form *form, bool ascii);

static enum kh_err read_disguises(struct reading *r, const struct kh_form *form, const struct kh_form *skeleton,
				  bool ascii)
{
	struct kh_spaced spaced;
	enum kh_err e = KH_OK;

	struct kh_view text = {NULL, 0};
	size_t changed = 0;
	bool differs = true;
	for (int ell = 0; e == KH_OK && ell < 2; ell++) {
		e = ell == 0 ? kh_disguise_leet(r->arena, skeleton->text, &text, &changed)
			     : kh_disguise_ell(r->arena, skeleton->text, text, &text, &differs);
		if (e != KH_OK || changed == 0 || !differs)
			break;
		struct kh_form leet = *skeleton;
		leet.text = text;
		if (leet.layer_count < KH_FORM_LAYERS)
			leet.layers[leet.layer_count++] = KH_LAYER_LEET;
		e = read_rules(r, &leet, NULL, true);
		judge_words(r, &leet);
	}
	if (e == KH_OK)
		e = kh_disguise_spaced(r->arena, skeleton->text, &spaced);
	return e == KH_OK && spaced.letters > 0 ? read_spaced(r, form, ascii) : e;
}

/* Joins letters with gaps; wider gaps, between words, are kept. */
static enum kh_err read_spaced(struct reading *r, const struct kh_form *form, bool ascii)
{
	struct kh_spaced spaced;
	struct kh_view text;
	uint32_t *origin;
	enum kh_err e = kh_normalise_form(
		r->arena, form->text, KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE | KH_NORMALISE_WIDE, &text, &origin);

	if (e == KH_OK)
		e = kh_disguise_spaced(r->arena, text, &spaced);
	if (e != KH_OK)
		return e;
	struct kh_form wide = kh_form_map(form, KH_LAYER_NORMALISED, text, origin);
	wide.layer_count -= ascii;
	if (spaced.letters >= SPACED_MIN) {
		struct kh_form run = kh_form_of(&wide, KH_LAYER_SPACED, spaced.text, spaced.first, spaced.last);
		add(r, &run, "encoded", "encoded", KH_SEVERITY_LOW, 0, spaced.text.n);
	}
	struct kh_form joined = kh_form_map(&wide, KH_LAYER_SPACED, spaced.text, spaced.origin);
	judge_words(r, &joined);
	e = read_rules(r, &joined, NULL, true);
	return e == KH_OK && r->strict ? read_mended(r, &joined) : e;
}

/* Makes FORM's normal form by FLAGS, and scans it with the rules. */
static enum kh_err read_normal(struct reading *r, const struct kh_form *form, unsigned flags, bool scan,
			       struct kh_form *ret)
{
	struct kh_prescan look;
	struct kh_view text;
	uint32_t *origin;
	enum kh_err e = kh_normalise_form(r->arena, form->text, flags, &text, &origin);

	if (e != KH_OK)
		return e;
	*ret = kh_form_map(form, KH_LAYER_NORMALISED, text, origin);
	if (!scan)
		return KH_OK;
	if (r->strict || text.n <= CLOSE_MAX)
		return read_rules(r, ret, NULL, false);
	e = kh_prescan(r->arena, text, &look);
	/* Folding alone makes words, not symbols; symbols are found in the skeleton. */
	if (e == KH_OK && (flags & KH_NORMALISE_LOOKALIKE) == 0)
		memset(look.blocks, 0, look.block_count);
	return e == KH_OK ? read_rules(r, ret, &look, false) : e;
}

/* Reads the folded form (words in other scripts) and the skeleton (words in look-alikes, disguises). */
static enum kh_err read_normals(struct reading *r, const struct kh_form *form, bool ascii)
{
	struct kh_form folded, skeleton;
	enum kh_err e = KH_OK;

	if (!ascii)
		e = read_normal(r, form, KH_NORMALISE_FOLD, true, &folded);
	if (e == KH_OK)
		e = read_normal(r, form, KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE, !ascii, &skeleton);
	if (e != KH_OK)
		return e;
	skeleton.layer_count -= ascii;
	judge_words(r, &skeleton);
	if (!ascii)
		judge_scripts(r, &folded);
	if (r->strict)
		e = read_mended(r, &skeleton);
	if (e == KH_OK && r->strict)
		e = read_turned(r, &skeleton);
	return e == KH_OK ? read_disguises(r, form, &skeleton, ascii) : e;
}

/* Reads the disguises of an ASCII document, only in places in which the prescan found signs of them. */
static enum kh_err read_suspects(struct reading *r, const struct kh_form *form, const struct kh_prescan *look)
{
	enum kh_err e = KH_OK;

	for (size_t at = 0, start, end;
	     e == KH_OK && kh_prescan_next(look, KH_PRESCAN_LEET | KH_PRESCAN_SINGLE, MARGIN, &at, &start, &end);) {
		struct kh_form part = kh_form_part(form, start, end);
		e = read_normals(r, &part, true);
	}
	return e;
}

/* Reads FORM without decoding it: its bytes, its hidden characters, its normal forms. */
static enum kh_err read_surface(struct reading *r, const struct kh_form *form, const struct kh_prescan *look)
{
	bool document = !r->strict;
	enum kh_err e = read_rules(r, form, document && form->text.n > CLOSE_MAX ? look : NULL, false);

	if (e == KH_OK && (!look->ascii || look->controls))
		e = read_hidden(r, form);
	if (e != KH_OK)
		return e;
	return document && look->ascii ? read_suspects(r, form, look) : read_normals(r, form, look->ascii);
}

/* Reads what is encoded in FORM, only in places in which the prescan found signs of it. */
static enum kh_err read_encoded(struct reading *r, const struct kh_form *form, const struct kh_prescan *look)
{
	struct finder f = {r, NULL, KH_OK};
	size_t start, end;

	/* A run is recognised only after some bytes, so it may begin up to a block earlier. */
	for (size_t at = 0; f.e == KH_OK && kh_prescan_next(look, KH_PRESCAN_PACKED, 1, &at, &start, &end);) {
		struct kh_form part = kh_form_part(form, start, end);
		f.form = &part;
		kh_decode_packed(r->arena, part.text, on_decoded, &f);
	}
	for (size_t at = 0; f.e == KH_OK && kh_prescan_next(look, KH_PRESCAN_DIGITS, 1, &at, &start, &end);) {
		struct kh_form part = kh_form_part(form, start, end);
		f.form = &part;
		kh_decode_spread(r->arena, part.text, false, on_decoded, &f);
	}
	/* Last, so that text that needs no unescaping is found in place. */
	for (size_t at = 0; f.e == KH_OK && kh_prescan_next(look, KH_PRESCAN_ESCAPE, MARGIN, &at, &start, &end);) {
		struct kh_form part = kh_form_part(form, start, end);
		f.e = read_escapes(r, &part);
	}
	return f.e;
}

/* Reads the form without invisible characters.  Case is not folded, because it matters to encodings. */
static enum kh_err read_clean(struct reading *r, const struct kh_form *form)
{
	struct kh_prescan look;
	struct kh_view text;
	uint32_t *origin;
	enum kh_err e = kh_normalise_form(r->arena, form->text, 0, &text, &origin);

	if (e != KH_OK)
		return e;
	struct kh_form clean = kh_form_map(form, KH_LAYER_NORMALISED, text, origin);
	clean.layer_count = form->layer_count;
	e = kh_prescan(r->arena, text, &look);
	return e == KH_OK ? read_encoded(r, &clean, &look) : e;
}

/* Reads encoded text in a short text that was reversed or put in rot13 after encoding. */
static enum kh_err read_turned_codes(struct reading *r, const struct kh_form *form)
{
	static const enum kh_layer layers[] = {KH_LAYER_ROT13, KH_LAYER_REVERSED};
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < 2; i++) {
		struct kh_prescan look;
		struct kh_view text = i ? kh_turn_reverse(r->arena, form->text) : kh_turn_rot13(r->arena, form->text);
		struct kh_form turned = kh_form_of(form, layers[i], text, 0, form->text.n);
		e = text.p ? kh_prescan(r->arena, text, &look) : KH_ENOMEM;
		r->turned = true;
		if (e == KH_OK)
			e = read_encoded(r, &turned, &look);
		r->turned = false;
	}
	return e;
}

static enum kh_err read_form(struct reading *r, const struct kh_form *form)
{
	const unsigned char codes = KH_PRESCAN_ESCAPE | KH_PRESCAN_PACKED | KH_PRESCAN_DIGITS;
	struct kh_prescan look;
	enum kh_err e = kh_prescan(r->arena, form->text, &look);

	if (e == KH_OK)
		e = read_surface(r, form, &look);
	if (e == KH_OK)
		e = look.ascii ? read_encoded(r, form, &look) : read_clean(r, form);
	if (e == KH_OK && (look.all & codes) != 0 && form->text.n <= CLOSE_MAX && form->depth + 2 <= KH_SCREEN_DEPTH)
		e = read_turned_codes(r, form);
	return e;
}

/* Mends the spelling of a text that a human looks at. */
static enum kh_err read_reviewed(struct reading *r, const struct kh_form *whole)
{
	struct kh_form part = kh_form_part(whole, 0, KH_MEND_MAX), skeleton;
	enum kh_err e = read_normal(r, &part, KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE, false, &skeleton);

	return e == KH_OK ? read_mended(r, &skeleton) : e;
}

static enum kh_err begin(struct reading *r, struct kh_screen *screen, struct kh_arena *arena, size_t n)
{
	*r = (struct reading){.screen = screen, .arena = arena};
	r->budget = n <= (SIZE_MAX - BUDGET_MORE) / BUDGET ? n * BUDGET + BUDGET_MORE : SIZE_MAX;
	r->per_rule = kh_arena_alloc(arena, kh_rules_count(screen->rules));
	r->matches = KH_NEW_N(arena, struct match, MATCHES_MAX);
	return kh_arena_check(arena);
}

enum kh_err kh_screen_text(struct kh_screen *screen, struct kh_arena *arena, struct kh_view text, enum kh_screen_as as,
			   struct kh_findings *ret_findings)
{
	struct kh_form whole = {.text = text};
	struct reading r;
	enum kh_err e = begin(&r, screen, arena, text.n);

	r.as = as;
	r.strict = as == KH_SCREEN_ANSWER || as == KH_SCREEN_NAME;
	if (e == KH_OK)
		e = read_form(&r, &whole);
	if (e == KH_OK && as == KH_SCREEN_REVIEWED)
		e = read_reviewed(&r, &whole);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	kh_findings_end(&r.found);
	*ret_findings = r.found;
	return KH_OK;
}
