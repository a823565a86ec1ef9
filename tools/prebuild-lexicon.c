/*
 * Makes the tree of the lexicon's words while Keyhole is built, and writes it as a C array.  The child of a node for a
 * letter is in the place that the letter is away from the node's base, and names its parent, so a step is one addition
 * and one comparison.  Children of several nodes lie between each other, so that few places are free.
 */
#include "core/screen/lexicon_hash.h"

#include <stdio.h>
#include <string.h>

#define NODES 32768

#define WORD(word, kinds) word,
static const char *const words[] = {
#include "core/screen/lexicon.def"
};
#undef WORD
#define NEAR(word) word,
static const char *const near[] = {
#include "core/screen/lexicon_near.def"
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* While the tree is made, every node has all its children. */
static struct {
	uint16_t child[26];
	uint16_t word; /* index and 1 */
	int near;
} tree[NODES];
static unsigned tree_count = 1;

static unsigned short order[NODES], place[NODES], base[NODES]; /* by node: turns, places, bases */
static unsigned short owner[2 * NODES];                        /* by place: the node in it and 1 */

/* The node at which WORD ends; 0 if it has other characters than small letters, or there is no room. */
static unsigned add(const char *word)
{
	unsigned at = 0;

	for (; *word != '\0'; word++) {
		if (*word < 'a' || *word > 'z' || tree_count == NODES)
			return 0;
		uint16_t *next = &tree[at].child[*word - 'a'];
		if (*next == 0)
			*next = (uint16_t)tree_count++;
		at = *next;
	}
	return at;
}

static int fill(void)
{
	for (unsigned i = 0; i < COUNT(words); i++) {
		unsigned at = add(words[i]);
		if (at == 0)
			return 0;
		tree[at].word = (uint16_t)(i + 1);
	}
	for (unsigned i = 0; i < COUNT(near); i++) {
		unsigned at = add(near[i]);
		if (at == 0 || tree[at].word != 0) {
			fprintf(stderr, "lexicon_near.def: %s is in lexicon.def, too\n", near[i]);
			return 0;
		}
		tree[at].near = 1;
	}
	return 1;
}

/* The lowest base from which the places of all children of node AT are free. */
static unsigned find_base(unsigned at, unsigned from)
{
	for (unsigned c = 0; c < 26;) {
		if (tree[at].child[c] == 0 || owner[from + c] == 0) {
			c++;
			continue;
		}
		from++;
		c = 0;
	}
	return from;
}

/* Gives every node its place, breadth first; returns the number of places. */
static unsigned arrange(void)
{
	unsigned n = 1, end = 1;

	owner[0] = 1;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = order[i];
		base[at] = (unsigned short)find_base(at, 1);
		for (unsigned c = 0; c < 26; c++) {
			unsigned child = tree[at].child[c];
			if (child == 0)
				continue;
			place[child] = (unsigned short)(base[at] + c);
			owner[place[child]] = (unsigned short)(child + 1);
			order[n++] = (unsigned short)child;
			end = place[child] >= end ? place[child] + 1U : end;
		}
	}
	return end;
}

static void put(FILE *out, unsigned at, unsigned parent)
{
	uint32_t letters = tree[at].near ? UINT32_C(1) << 31 : 0;

	for (unsigned c = 0; c < 26; c++)
		letters |= tree[at].child[c] != 0 ? UINT32_C(1) << c : 0;
	fprintf(out, "{%uU, %u, %u, %u},\n", (unsigned)letters, base[at], parent, tree[at].word);
}

static void put_hashes(FILE *out)
{
	static uint64_t bits[KH_LEXICON_HASH_WORDS];

	for (unsigned i = 0; i < COUNT(words); i++) {
		struct kh_lexicon_hash hashes[KH_LEXICON_HASH_MOST + 1];
		size_t n = strlen(words[i]);
		if (n > KH_LEXICON_HASH_MOST)
			continue;
		kh_lexicon_hash_all(words[i], n, hashes);
		for (size_t k = 0; k <= n; k++)
			bits[hashes[k].at] |= hashes[k].bits;
	}
	for (unsigned i = 0; i < KH_LEXICON_HASH_WORDS; i++)
		fprintf(out, "0x%llxU,\n", (unsigned long long)bits[i]);
}

int main(int argc, char **argv)
{
	static unsigned short parent[NODES];
	FILE *out = argc == 3 ? fopen(argv[1], "w") : NULL, *hashes = argc == 3 ? fopen(argv[2], "w") : NULL;

	if (out == NULL || hashes == NULL || !fill())
		return 1;
	put_hashes(hashes);
	for (unsigned i = 0; i < tree_count; i++) {
		for (unsigned c = 0; c < 26; c++)
			parent[tree[i].child[c]] = (unsigned short)i;
	}
	unsigned end = arrange();
	for (unsigned i = 0; i < end + 26; i++) {
		unsigned at = owner[i] ? owner[i] - 1U : 0;
		if (i > 0 && at == 0)
			fputs("{0, 0, UINT16_MAX, 0},\n", out);
		else
			put(out, at, i == 0 ? UINT16_MAX : place[parent[at]]);
	}
	return fclose(out) == 0 && fclose(hashes) == 0 ? 0 : 1;
}
