/* The matcher: a pattern's tree as a program, and its sets of states while a text is read backwards. */
#include "core/schema/regex.h"

#include "base/utf8.h"
#include "core/schema/pattern.h"

#include <limits.h>

enum op {
	OP_CHAR, /* one character, then the next state */
	OP_SET,
	OP_GO,    /* to X */
	OP_SPLIT, /* to X or Y */
	OP_START, /* the next state if the condition holds */
	OP_END,
	OP_WORD,
	OP_NOT_WORD,
	OP_LOOK, /* part X matches here */
	OP_NOT_LOOK,
	OP_MATCH,
};

struct state {
	enum op op;
	uint32_t x, y;
	const struct kh_charclass *set;
};

/* A pattern or a lookahead: states FIRST to LAST, the last of which is OP_MATCH. */
struct part {
	size_t first, last;
};

struct kh_regex {
	struct state *states;
	size_t n;
	struct part parts[KH_PATTERN_LOOKS + 1]; /* a lookahead within another comes before it; the pattern is last */
	size_t n_parts;
	uint16_t *from,
		*before; /* states that lead to state I without a character: BEFORE[FROM[I]] to BEFORE[FROM[I + 1]] */
};

struct emitting {
	struct kh_arena *arena;
	struct state *states;
	size_t n, cap;
	bool is_full;
};

static size_t emit(struct emitting *to, enum op op, uint32_t x, const struct kh_charclass *set)
{
	struct state *states;

	if (to->n == KH_REGEX_STATES)
		to->is_full = true;
	if (to->is_full || to->arena->failed)
		return 0;
	states = kh_arena_more(to->arena, to->states, to->n, &to->cap, sizeof(*states));
	if (states == NULL)
		return 0;
	to->states = states;
	to->states[to->n] = (struct state){.op = op, .x = x, .set = set};
	return to->n++;
}

static bool is_broken(const struct emitting *to)
{
	return to->is_full || to->arena->failed;
}

static void emit_piece(struct emitting *to, const struct kh_pattern_piece *piece);

static void emit_either(struct emitting *to, const struct kh_pattern_piece *piece)
{
	size_t last_end = SIZE_MAX;

	/* The ends go to what follows: each GO keeps the one before it until the place is known. */
	for (const struct kh_pattern_piece *p = piece->pieces; p != NULL && !is_broken(to); p = p->next) {
		size_t split = p->next != NULL ? emit(to, OP_SPLIT, (uint32_t)to->n + 1, NULL) : 0;
		emit_piece(to, p);
		if (p->next == NULL || is_broken(to))
			break;
		last_end = emit(to, OP_GO, (uint32_t)last_end, NULL);
		if (!is_broken(to))
			to->states[split].y = (uint32_t)to->n;
	}
	while (last_end != SIZE_MAX && !is_broken(to)) {
		uint32_t earlier = to->states[last_end].x;
		to->states[last_end].x = (uint32_t)to->n;
		last_end = earlier == UINT32_MAX ? SIZE_MAX : earlier;
	}
}

/* PIECE any number of times. */
static void emit_star(struct emitting *to, const struct kh_pattern_piece *piece)
{
	size_t split = emit(to, OP_SPLIT, (uint32_t)to->n + 1, NULL);

	emit_piece(to, piece);
	emit(to, OP_GO, (uint32_t)split, NULL);
	if (!is_broken(to))
		to->states[split].y = (uint32_t)to->n;
}

/* PIECE, or nothing. */
static void emit_optional(struct emitting *to, const struct kh_pattern_piece *piece)
{
	size_t split = emit(to, OP_SPLIT, (uint32_t)to->n + 1, NULL);

	emit_piece(to, piece);
	if (!is_broken(to))
		to->states[split].y = (uint32_t)to->n;
}

static void emit_repeat(struct emitting *to, const struct kh_pattern_piece *piece)
{
	size_t before = to->n;

	for (unsigned i = 0; i < piece->least && !is_broken(to); i++) {
		emit_piece(to, piece->pieces);
		if (to->n == before)
			return; /* nothing, any number of times */
	}
	if (piece->most == UINT_MAX)
		emit_star(to, piece->pieces);
	for (unsigned i = piece->least; piece->most != UINT_MAX && i < piece->most && !is_broken(to); i++)
		emit_optional(to, piece->pieces);
}

static void emit_piece(struct emitting *to, const struct kh_pattern_piece *piece)
{
	static const enum op ops[] = {
		[KH_PATTERN_START] = OP_START,       [KH_PATTERN_END] = OP_END,   [KH_PATTERN_WORD] = OP_WORD,
		[KH_PATTERN_NOT_WORD] = OP_NOT_WORD, [KH_PATTERN_LOOK] = OP_LOOK, [KH_PATTERN_NOT_LOOK] = OP_NOT_LOOK};

	if (is_broken(to))
		return;
	switch (piece->kind) {
	case KH_PATTERN_SET:
		emit(to, OP_SET, 0, piece->set);
		break;
	case KH_PATTERN_CHAR:
		emit(to, OP_CHAR, piece->c, NULL);
		break;
	case KH_PATTERN_LIST:
		for (const struct kh_pattern_piece *p = piece->pieces; p != NULL; p = p->next)
			emit_piece(to, p);
		break;
	case KH_PATTERN_EITHER:
		emit_either(to, piece);
		break;
	case KH_PATTERN_REPEAT:
		emit_repeat(to, piece);
		break;
	case KH_PATTERN_START:
	case KH_PATTERN_END:
	case KH_PATTERN_WORD:
	case KH_PATTERN_NOT_WORD:
	case KH_PATTERN_LOOK:
	case KH_PATTERN_NOT_LOOK:
		emit(to, ops[piece->kind], (uint32_t)piece->look, NULL);
		break;
	}
}

static void emit_part(struct emitting *to, struct kh_regex *regex, const struct kh_pattern_piece *root)
{
	size_t first = to->n;

	emit_piece(to, root);
	size_t last = emit(to, OP_MATCH, 0, NULL);
	regex->parts[regex->n_parts++] = (struct part){first, last};
}

/* Where state I leads without a character; how many states that are. */
static size_t leads_to(const struct kh_regex *regex, size_t i, size_t targets[2])
{
	const struct state *state = &regex->states[i];

	switch (state->op) {
	case OP_CHAR:
	case OP_SET:
	case OP_MATCH:
		return 0;
	case OP_SPLIT:
		targets[0] = state->x;
		targets[1] = state->y;
		return 2;
	case OP_GO:
		targets[0] = state->x;
		return 1;
	case OP_START:
	case OP_END:
	case OP_WORD:
	case OP_NOT_WORD:
	case OP_LOOK:
	case OP_NOT_LOOK:
		targets[0] = i + 1;
		return 1;
	}
	return 0;
}

/* Turns the ways round: for each state, those that lead to it. */
static void turn(struct kh_regex *regex, struct kh_arena *arena)
{
	uint16_t *filled = KH_NEW_N(arena, uint16_t, regex->n + 1);
	size_t targets[2];

	regex->from = KH_NEW_N(arena, uint16_t, regex->n + 2);
	regex->before = KH_NEW_N(arena, uint16_t, 2 * regex->n + 1);
	if (filled == NULL || regex->from == NULL || regex->before == NULL)
		return;
	for (size_t i = 0; i < regex->n; i++) {
		for (size_t k = leads_to(regex, i, targets); k-- > 0;)
			regex->from[targets[k] + 1]++;
	}
	for (size_t i = 0; i < regex->n; i++)
		regex->from[i + 1] = (uint16_t)(regex->from[i + 1] + regex->from[i]);
	for (size_t i = 0; i < regex->n; i++) {
		for (size_t k = leads_to(regex, i, targets); k-- > 0;) {
			size_t target = targets[k];
			regex->before[regex->from[target] + filled[target]++] = (uint16_t)i;
		}
	}
}

enum kh_err kh_regex_new(struct kh_arena *arena, struct kh_view text, const struct kh_regex **ret_regex,
			 struct kh_error *err)
{
	struct emitting to = {.arena = arena};
	struct kh_regex *regex = KH_NEW(arena, struct kh_regex);
	struct kh_pattern pattern;
	enum kh_err e = regex == NULL ? KH_ENOMEM : kh_pattern_read(arena, text, &pattern, err);

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < pattern.n_looks; i++)
		emit_part(&to, regex, pattern.looks[i]);
	emit_part(&to, regex, pattern.root);
	if (to.is_full)
		return kh_error_set(err, KH_ELIMIT, "schema_limit", "the pattern has more than %d states",
				    KH_REGEX_STATES);
	regex->states = to.states;
	regex->n = to.n;
	if (!arena->failed)
		turn(regex, arena);
	e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_regex = regex;
	return e;
}

size_t kh_regex_states(const struct kh_regex *regex)
{
	return regex->n;
}

enum kh_err kh_regex_room_init(struct kh_regex_room *room, struct kh_arena *arena, size_t most)
{
	*room = (struct kh_regex_room){.list = {KH_NEW_N(arena, uint16_t, most), KH_NEW_N(arena, uint16_t, most)},
				       .stamp = KH_NEW_N(arena, uint32_t, most)};
	return room->list[0] != NULL && room->list[1] != NULL && room->stamp != NULL ? KH_OK : KH_ENOMEM;
}

/* A search at one place of the text. */
struct place {
	const struct kh_regex *regex;
	struct kh_regex_room *room;
	uint16_t *old, *new;                /* sets of states, each part's from its first state on */
	size_t old_n[KH_PATTERN_LOOKS + 1]; /* how many are in the set of a part */
	size_t new_n[KH_PATTERN_LOOKS + 1];
	bool is_found[KH_PATTERN_LOOKS + 1]; /* the part matches at this place */
	struct kh_view text;
	size_t at;
};

static bool is_word(struct kh_view text, size_t at)
{
	return at < text.n && (kh_ascii_is_alpha(text.p[at]) || kh_ascii_is_digit(text.p[at]) || text.p[at] == '_');
}

static bool is_at_edge(const struct place *p)
{
	return is_word(p->text, p->at) != (p->at > 0 && is_word(p->text, p->at - 1));
}

/* Whether a state may be passed here without a character. */
static bool is_passable(const struct place *p, const struct state *state)
{
	switch (state->op) {
	case OP_GO:
	case OP_SPLIT:
		return true;
	case OP_START:
		return p->at == 0;
	case OP_END:
		return p->at == p->text.n;
	case OP_WORD:
		return is_at_edge(p);
	case OP_NOT_WORD:
		return !is_at_edge(p);
	case OP_LOOK:
		return p->is_found[state->x];
	case OP_NOT_LOOK:
		return !p->is_found[state->x];
	case OP_CHAR:
	case OP_SET:
	case OP_MATCH:
		return false;
	}
	return false;
}

static bool takes(const struct state *state, uint32_t c)
{
	return state->op == OP_CHAR ? state->x == c : state->op == OP_SET && kh_charclass_has(state->set, c);
}

static void put(struct place *p, size_t part, size_t state)
{
	if (p->room->stamp[state] == p->room->now)
		return;
	p->room->stamp[state] = p->room->now;
	p->new[p->regex->parts[part].first + p->new_n[part]++] = (uint16_t)state;
}

/* The set of PART at this place.  C stands here; IS_LAST: nothing does, because the text has ended. */
static void advance(struct place *p, size_t part, uint32_t c, bool is_last)
{
	const struct kh_regex *regex = p->regex;
	size_t first = regex->parts[part].first;

	p->new_n[part] = 0;
	put(p, part, regex->parts[part].last);
	for (size_t i = 0; !is_last && i < p->old_n[part]; i++) {
		size_t next = p->old[first + i];
		if (next > first && takes(&regex->states[next - 1], c))
			put(p, part, next - 1);
	}
	for (size_t i = 0; i < p->new_n[part]; i++) {
		size_t state = p->new[first + i];
		for (size_t k = regex->from[state]; k < regex->from[state + 1]; k++) {
			if (is_passable(p, &regex->states[regex->before[k]]))
				put(p, part, regex->before[k]);
		}
	}
	p->is_found[part] = p->room->stamp[first] == p->room->now;
}

/* The character before AT, and AT at its beginning. */
static uint32_t step_back(struct kh_view text, size_t *at)
{
	uint32_t c = 0;

	do
		--*at;
	while (*at > 0 && ((unsigned char)text.p[*at] & 0xc0) == 0x80);
	(void)kh_utf8_decode(text, *at, &c);
	return c;
}

static uint64_t advance_all(struct place *p, uint32_t c, bool is_last)
{
	uint64_t cost = 1;
	uint16_t *swap = p->old;

	p->room->now++;
	for (size_t part = 0; part < p->regex->n_parts; part++) {
		advance(p, part, c, is_last);
		cost += p->new_n[part];
	}
	p->old = p->new;
	p->new = swap;
	memcpy(p->old_n, p->new_n, p->regex->n_parts * sizeof(p->old_n[0]));
	return cost;
}

enum kh_err kh_regex_search(const struct kh_regex *regex, struct kh_regex_room *room, struct kh_view text,
			    uint64_t *steps, bool *ret_found)
{
	struct place p = {
		.regex = regex, .room = room, .old = room->list[0], .new = room->list[1], .text = text, .at = text.n};
	size_t whole = regex->n_parts - 1;

	uint64_t cost = advance_all(&p, 0, true);
	while (!p.is_found[whole] && p.at > 0) {
		uint32_t c = step_back(text, &p.at);
		cost += advance_all(&p, c, false);
		if (cost > *steps)
			return KH_ELIMIT;
	}
	*steps -= cost < *steps ? cost : *steps;
	*ret_found = p.is_found[whole];
	return KH_OK;
}
