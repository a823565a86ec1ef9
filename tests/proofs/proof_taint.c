/*
 * B23, I-2: a context's taint never falls; the only step down is the one from a Reader to its delivery.  I-3: a closure
 * is complete, and an unknown id or a cycle is an error.
 *
 * The context is the real set of blocks that it was given; its taint is what the closure of all of them says.  All
 * sequences of operations up to LONGEST are tried, in every order.  Closures are compared with a naive one over every
 * directed graph of up to NODES blocks, through the walk over a look-up function, which is what the engine runs over its
 * rows, and through the one over a set, which is that walk for the offline contract.
 */
#include "core/block/taint.h"
#include "prove.h"

#define LONGEST 6
#define NODES   4
_Static_assert(LONGEST < 10 && NODES < 10, "a block's number has one digit");

static const unsigned char seed[KH_BLOCKS_SEED] = {2};
static struct kh_arena arena;

/* --- sequences ---------------------------------------------------------------------------------------------------- */

/* What can happen to a context. */
enum operation {
	GIVE_TRUSTED,
	GIVE_VETTED_MEDIUM,  /* a vetted block that says of itself that its taint is medium */
	GIVE_UNTRUSTED,      /* `fenced` content: untrusted, whatever low taint it claims */
	DELIVER_FROM_HIGH,   /* a delivery by a Reader that read an untrusted block and the query */
	DELIVER_FROM_MEDIUM, /* one that read a delivery of another context */
	DELIVER_FROM_LOW,
	OUTPUT,        /* the agent's own words, which it then has in its context */
	OUTPUT_CLAIMS, /* the same, claiming to be untouched */
	OPERATIONS
};

static struct kh_view id_of(unsigned i)
{
	return kh_arena_printf(&arena, "b%u", i);
}

/* The block's number is the one digit of its id. */
static enum kh_err look(void *ctx, int64_t id, struct kh_taint_block *ret_block, struct kh_error *err)
{
	const struct kh_blocks *set = ctx;
	size_t at = kh_blocks_find(set, id_of((unsigned)id));

	if (at == KH_BLOCKS_NONE)
		return kh_error_set(err, KH_EUNKNOWN, "unknown_id", "there is none");
	const struct kh_block *block = set->at[at];
	int64_t *by = KH_NEW_N(&arena, int64_t, block->tainted_by_count);
	PROVE(by != NULL, "memory");
	for (size_t i = 0; i < block->tainted_by_count; i++)
		by[i] = block->tainted_by[i].p[1] - '0';
	*ret_block = (struct kh_taint_block){by, block->tainted_by_count, block->trust, block->taint, 0};
	return KH_OK;
}

static struct kh_view name(void *ctx, int64_t id)
{
	(void)ctx;
	return id_of((unsigned)id);
}

/* The taint of all that SET holds, by way of everybody's ids. */
static enum kh_taint taint_of(struct kh_blocks *set)
{
	const struct kh_taint_books books = {set, look, name};
	int64_t ids[LONGEST + 1];
	struct kh_closure closure;

	for (size_t i = 0; i < set->n; i++)
		ids[i] = (int64_t)i;
	PROVE(kh_taint_walk(&books, &arena, ids, set->n, &closure, NULL) == KH_OK, "the context's closure");
	PROVE(closure.n == set->n, "%zu blocks of %zu", closure.n, set->n);
	return closure.taint;
}

/* B23: a Reader's taint is the highest of what it reads: the block, and the context of whoever wrote the query. */
static void deliver(struct kh_blocks *set, struct kh_block_spec *spec, enum kh_taint sealed)
{
	enum kh_taint reader = kh_label_max_taint(sealed, taint_of(set));
	const struct kh_block *block = NULL;

	PROVE(kh_block_delivery(&arena, spec, reader, &block, NULL) == KH_OK, "a delivery");
	PROVE(block->taint == kh_taint_step_down(reader), "a delivery's taint");
	PROVE(kh_blocks_put(set, block, NULL) == KH_OK, "a delivery");
}

static void give(struct kh_blocks *set, struct kh_block_spec *spec, enum kh_trust trust, enum kh_taint taint)
{
	spec->trust = trust;
	spec->taint = taint;
	PROVE(kh_blocks_add(set, spec, NULL) == KH_OK, "a block");
	PROVE(set->at[set->n - 1]->taint >= kh_label_max_taint(taint, kh_label_initial_taint(trust)),
	      "a block's taint");
}

static void output(struct kh_blocks *set, struct kh_block_spec *spec)
{
	enum kh_taint before = taint_of(set);
	const struct kh_block *block = NULL;
	struct kh_closure closure;
	size_t given = set->n;
	struct kh_view *ids = KH_NEW_N(&arena, struct kh_view, given);

	PROVE(ids != NULL, "memory");
	for (size_t i = 0; i < given; i++)
		ids[i] = set->at[i]->id;
	spec->tainted_by = ids;
	spec->tainted_by_count = given;
	PROVE(kh_block_output(&arena, spec, before, &block, NULL) == KH_OK, "an output");
	PROVE(kh_blocks_put(set, block, NULL) == KH_OK, "an output");
	PROVE(block->taint >= before, "an output's taint is below its context's");
	PROVE(kh_taint_closure(set, &arena, block->id, &closure, NULL) == KH_OK, "an output's closure");
	PROVE(closure.n == given && closure.taint == before, "an output's closure");
}

static void apply(struct kh_blocks *set, enum operation operation, unsigned i)
{
	struct kh_block_spec spec = {.id = id_of(i), .content = KH_LIT("x"), .type = KH_DATA};

	switch (operation) {
	case GIVE_TRUSTED:
		give(set, &spec, KH_TRUSTED, KH_TAINT_LOW);
		break;
	case GIVE_VETTED_MEDIUM:
		give(set, &spec, KH_VETTED, KH_TAINT_MEDIUM);
		break;
	case GIVE_UNTRUSTED:
		give(set, &spec, KH_UNTRUSTED, KH_TAINT_LOW);
		break;
	case DELIVER_FROM_HIGH:
		deliver(set, &spec, KH_TAINT_HIGH);
		break;
	case DELIVER_FROM_MEDIUM:
		deliver(set, &spec, KH_TAINT_MEDIUM);
		break;
	case DELIVER_FROM_LOW:
		deliver(set, &spec, KH_TAINT_LOW);
		break;
	case OUTPUT_CLAIMS:
		spec.taint = KH_TAINT_LOW;
		output(set, &spec);
		break;
	case OUTPUT:
	case OPERATIONS:
		spec.taint = KH_TAINT_MEDIUM;
		output(set, &spec);
		break;
	}
}

static void prove_sequences(void)
{
	unsigned long sequences = 1;

	for (unsigned i = 0; i < LONGEST; i++)
		sequences *= OPERATIONS;
	/* Each sequence of LONGEST has the shorter ones as its beginnings. */
	for (unsigned long s = 0; s < sequences; s++) {
		enum kh_taint taint = KH_TAINT_LOW;
		struct kh_blocks set;
		unsigned long rest = s;
		kh_arena_clear(&arena);
		kh_blocks_init(&set, &arena, seed);
		for (unsigned i = 0; i < LONGEST; i++, rest /= OPERATIONS) {
			apply(&set, (enum operation)(rest % OPERATIONS), i);
			enum kh_taint now = taint_of(&set), added = set.at[set.n - 1]->taint;
			PROVE(now >= taint, "the context's taint fell in sequence %lu at %u", s, i);
			PROVE(now == kh_label_max_taint(taint, added), "sequence %lu at %u", s, i);
			taint = now;
		}
	}
	PROVED("B23 a context's taint never falls and is the higher of its own and what was added: all %lu sequences "
	       "of %d out "
	       "of %d operations, and so all shorter ones",
	       sequences, LONGEST, OPERATIONS);
}

static void prove_step(void)
{
	PROVE(kh_taint_step_down(KH_TAINT_HIGH) == KH_TAINT_MEDIUM, "high");
	PROVE(kh_taint_step_down(KH_TAINT_MEDIUM) == KH_TAINT_LOW, "medium");
	PROVE(kh_taint_step_down(KH_TAINT_LOW) == KH_TAINT_LOW, "low");
	PROVED("B23 the step down: high to medium, medium to low, low to low");
}

/* --- closures -------------------------------------------------------------------------------------------------------
 */

/* A graph of N blocks: bit B of FROM[A] says that A is tainted by B; bit N is a block that does not exist. */
static void make(struct kh_blocks *set, const unsigned *from, unsigned n, unsigned taints)
{
	kh_arena_clear(&arena);
	kh_blocks_init(set, &arena, seed);
	for (unsigned a = 0; a < n; a++, taints /= 3) {
		struct kh_view *ids = KH_NEW_N(&arena, struct kh_view, n + 1);
		struct kh_block_spec spec = {
			.id = id_of(a), .content = KH_LIT("x"), .type = KH_DATA, .tainted_by = ids};
		spec.taint = (enum kh_taint)(taints % 3);
		for (unsigned b = 0; b <= n; b++) {
			if (from[a] >> b & 1)
				ids[spec.tainted_by_count++] = id_of(b);
		}
		PROVE(kh_blocks_add(set, &spec, NULL) == KH_OK, "a block of the graph");
	}
}

/* The naive closure of A, its cycles and its unknown ids, against what came of the walk: RESULT, and CLOSURE if that is
 * KH_OK.  WITH_ITSELF: A is in it. */
static void check_closure(const struct kh_blocks *set, const unsigned *reach, unsigned n, unsigned a, bool with_itself,
			  enum kh_err result, const struct kh_closure *closure)
{
	bool cycle = reach[a] >> a & 1, unknown = reach[a] >> n & 1;
	unsigned want = with_itself ? reach[a] | 1U << a : reach[a];
	enum kh_taint taint = KH_TAINT_LOW;
	size_t count = 0;

	for (unsigned b = 0; b < n; b++)
		cycle |= (reach[a] >> b & 1) && (reach[b] >> b & 1);
	PROVE(result == KH_OK ? !cycle && !unknown
			      : (result == KH_EREFUSED && cycle) || (result == KH_EUNKNOWN && unknown),
	      "error %d, cycle %d, unknown %d", (int)result, cycle, unknown);
	for (unsigned b = 0; b < n && result == KH_OK; b++) {
		if (!(want >> b & 1))
			continue;
		PROVE(count < closure->n && closure->at[count].id == b, "block %u is not in its place", b);
		taint = kh_label_max_taint(taint, set->at[b]->taint);
		count++;
	}
	PROVE(result != KH_OK || (count == closure->n && closure->taint == taint), "%zu of %zu blocks", closure->n,
	      count);
}

/* Holds the closure of every block of a graph against REACH, the naive one. */
static void check_graph(const unsigned *from, unsigned n, unsigned taints)
{
	unsigned reach[NODES + 1] = {0};
	struct kh_blocks set;

	for (unsigned a = 0; a < n; a++)
		reach[a] = from[a];
	for (unsigned round = 0; round < n; round++) {
		for (unsigned a = 0; a < n; a++) {
			for (unsigned b = 0; b < n; b++)
				reach[a] |= reach[a] >> b & 1 ? reach[b] : 0;
		}
	}
	make(&set, from, n, taints);
	for (unsigned a = 0; a < n; a++) {
		const struct kh_taint_books books = {&set, look, name};
		struct kh_closure closure = {0};
		enum kh_err e = kh_taint_closure(&set, &arena, set.at[a]->id, &closure, NULL);
		check_closure(&set, reach, n, a, false, e, &closure);
		e = kh_taint_walk(&books, &arena, &(int64_t){a}, 1, &closure, NULL);
		check_closure(&set, reach, n, a, true, e, &closure);
	}
}

static void prove_closures(void)
{
	unsigned long graphs = 0;

	for (unsigned n = 1; n <= NODES; n++) {
		/* N - 1 references to others and one to nowhere, of each block. */
		unsigned long count = 1UL << (n * n);
		for (unsigned long g = 0; g < count; g++, graphs++) {
			unsigned from[NODES] = {0}, taints = (unsigned)(g * 7919 % 81);
			for (unsigned a = 0; a < n; a++) {
				unsigned bits = (unsigned)(g >> (a * n)) & ((1U << n) - 1);
				/* Leave out the bit of A itself: nobody refers to itself (K1). */
				from[a] = (bits & ((1U << a) - 1)) | (bits >> a) << (a + 1);
			}
			check_graph(from, n, taints);
		}
	}
	PROVED("I-3 K5 closures are complete, in order and with the highest taint, cycles and unknown ids are errors: "
	       "all %lu "
	       "directed graphs of 1..%d blocks, with a reference to an unknown block or not from each, over a look-up "
	       "function and over a set",
	       graphs, NODES);
}

int main(void)
{
	kh_arena_init(&arena, NULL, 64U << 20);
	prove_step();
	prove_closures();
	prove_sequences();
	kh_arena_done(&arena);
	return 0;
}
