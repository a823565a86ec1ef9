/*
 * Stems and groups.  The groups come from cues.txt; tools/embed-cues turns that into tables of stems at build time,
 * with the same rules as stem() here, so that only the text's own words are hashed at run time.
 */
#include "reader/cue.h"

#define WORD_MAX 24 /* longer words keep their ending */

struct row {
	uint32_t stem;
	uint16_t group;
};

/* by_stem: sorted; members: of all groups, one after the other; groups: the index of each one's first, and the end. */
#include "cues.inc"

#define ROWS (sizeof(by_stem) / sizeof(by_stem[0]))

static uint32_t hash(const char *p, size_t n)
{
	uint32_t h = 2166136261U;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619U;
	return h ? h : 1;
}

static bool ends(const char *w, size_t n, const char *with, size_t m)
{
	return n > m && memcmp(w + n - m, with, m) == 0;
}

#define ENDS(w, n, with) ends((w), (n), with, sizeof(with) - 1)

/* Removes the ending of W; returns the length that is left.  tools/embed-cues does the same. */
static size_t stem(char *w, size_t n)
{
	if (ENDS(w, n, "'s"))
		n -= 2;
	if (n >= 5 && ENDS(w, n, "ies")) {
		n -= 2;
		w[n - 1] = 'y';
	} else if (n >= 5 && (ENDS(w, n, "sses") || ENDS(w, n, "shes") || ENDS(w, n, "ches") || ENDS(w, n, "xes") ||
			      ENDS(w, n, "zes"))) {
		n -= 2;
	} else if (n >= 4 && w[n - 1] == 's' && w[n - 2] != 's' && w[n - 2] != 'u' && w[n - 2] != 'i') {
		n -= 1;
	}
	if (n >= 6 && ENDS(w, n, "ing"))
		n -= 3;
	else if ((n >= 5 && ENDS(w, n, "ed") && w[n - 3] != 'e') || (n >= 6 && ENDS(w, n, "ly")))
		n -= 2;
	if (n >= 4 && w[n - 1] == w[n - 2] && w[n - 1] != 'e')
		n -= 1;
	if (n >= 4 && w[n - 1] == 'e')
		n -= 1;
	return n;
}

uint32_t kh_cue_stem(struct kh_view word)
{
	char w[WORD_MAX];
	size_t n = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (n == WORD_MAX)
			return hash(word.p, word.n);
		/* A typographic apostrophe counts as a plain one. */
		if (word.p[i] == '\xe2' && word.n - i >= 3) {
			w[n++] = '\'';
			i += 2;
		} else {
			w[n++] = kh_ascii_lower(word.p[i]);
		}
	}
	return hash(w, stem(w, n));
}

/* The first row of STEM in the list, or SIZE_MAX. */
static size_t row_of(uint32_t s)
{
	size_t low = 0, high = ROWS;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (by_stem[middle].stem < s)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ROWS && by_stem[low].stem == s ? low : SIZE_MAX;
}

static bool in_group(uint32_t s, unsigned group)
{
	for (size_t i = row_of(s); i < ROWS && by_stem[i].stem == s; i++) {
		if (by_stem[i].group == group)
			return true;
	}
	return false;
}

bool kh_cue_is_empty(uint32_t s)
{
	return in_group(s, GROUP_EMPTY);
}

bool kh_cue_is_general(uint32_t s)
{
	return in_group(s, GROUP_GENERAL);
}

static void slot_in(struct kh_cue_set *set, uint32_t place)
{
	size_t at = set->cues[place - 1].stem & set->mask;

	while (set->slots[at] != 0)
		at = (at + 1) & set->mask;
	set->slots[at] = place;
}

static bool resize(struct kh_cue_set *set, size_t cap)
{
	struct kh_cue *cues = KH_NEW_N(set->arena, struct kh_cue, cap);
	uint32_t *slots = KH_NEW_N(set->arena, uint32_t, cap * 4);

	if (cues == NULL || slots == NULL)
		return false;
	if (set->n > 0)
		memcpy(cues, set->cues, set->n * sizeof(*cues));
	uint32_t *old = set->slots;
	size_t old_slots = set->cap * 4;
	*set = (struct kh_cue_set){set->arena, cues, set->n, cap, slots, cap * 4 - 1};
	for (size_t i = 0; i < old_slots; i++) {
		if (old[i] != 0)
			slot_in(set, old[i]);
	}
	return true;
}

void kh_cue_init(struct kh_cue_set *set, struct kh_arena *arena, size_t room)
{
	size_t cap = 64;

	*set = (struct kh_cue_set){.arena = arena};
	while (cap < room * 4 && cap < 4096)
		cap *= 2;
	(void)resize(set, cap);
}

static uint32_t *slot_of(const struct kh_cue_set *set, uint32_t s)
{
	size_t at = s & set->mask;

	while (set->slots[at] != 0 && set->cues[set->slots[at] - 1].stem != s)
		at = (at + 1) & set->mask;
	return &set->slots[at];
}

void kh_cue_add(struct kh_cue_set *set, uint32_t s, size_t owner, size_t cue, unsigned weight)
{
	if (set->cues == NULL || (set->n == set->cap && !resize(set, set->cap * 2)))
		return;
	uint32_t *slot = slot_of(set, s);
	for (uint32_t i = *slot; i != 0; i = set->cues[i - 1].next) {
		struct kh_cue *c = &set->cues[i - 1];
		if (c->owner == owner && c->cue == cue) {
			c->weight = weight > c->weight ? (uint8_t)weight : c->weight;
			return;
		}
	}
	set->cues[set->n++] = (struct kh_cue){s, (uint16_t)owner, (uint16_t)cue, (uint8_t)weight, *slot};
	*slot = (uint32_t)set->n;
}

/* True if S is the first word of a group: then it stands only for that group. */
static bool heads(uint32_t s)
{
	for (size_t i = row_of(s); i < ROWS && by_stem[i].stem == s; i++) {
		if (members[groups[by_stem[i].group]] == s)
			return true;
	}
	return false;
}

void kh_cue_add_group(struct kh_cue_set *set, uint32_t s, size_t owner, size_t cue)
{
	bool head = heads(s);

	kh_cue_add(set, s, owner, cue, KH_CUE_OWN);
	for (size_t i = row_of(s); i < ROWS && by_stem[i].stem == s; i++) {
		unsigned group = by_stem[i].group;
		if (group == GROUP_EMPTY || group == GROUP_GENERAL || (head && members[groups[group]] != s))
			continue;
		for (size_t m = groups[group]; m < groups[group + 1]; m++)
			kh_cue_add(set, members[m], owner, cue, KH_CUE_NEAR);
	}
}

const struct kh_cue *kh_cue_find(const struct kh_cue_set *set, uint32_t s)
{
	if (set->cues == NULL)
		return NULL;
	uint32_t place = *slot_of(set, s);
	return place ? &set->cues[place - 1] : NULL;
}
