/*
 * A whole gateway for fuzz targets that talk to one: a store in a folder of its own, an engine with a clock of its own, a
 * token of every role, Readers, and a world that operations reach.  Each input begins with a fresh context and task, in
 * which one block is sealed.  Now and then the store is verified and made anew, so that it stays small: whatever the
 * inputs did, the record is whole and the rows follow from it (L3).
 *
 * An input is lines.  What it cannot know in advance it names: kh_world_fill() replaces "@t", "@b", "@q" and so
 * on by the newest public id with that letter (publicid.h), "@#" by the newest digest, "@$" by the newest requestState,
 * "@>" by the newest cursor, all of them as heard before, and "@0" to "@5" by the token of that role (enum kh_role).
 *
 * A line that begins with "!" is what others do meanwhile (kh_world_act):
 *
 *     !r TEXT   the Readers `model` and `slow` answer TEXT from now on; without TEXT they fail
 *     !w TEXT   operations bring TEXT from now on; without TEXT they fail
 *     !p TEXT   TEXT is put into the task
 *     !+, !-, !e TEXT   a reviewer is shown the newest approval that waits, and approves, rejects or edits
 *     !> N      N seconds pass
 *     !t        a new task is opened
 */
#ifndef KH_TESTS_FUZZ_WORLD_H
#define KH_TESTS_FUZZ_WORLD_H

#include "core/policy/settings.h"
#include "fuzz.h"
#include "gateway/gateway.h"

#define KH_WORLD_ROLES (KH_ROLE_HOOK + 1)

/* Sealed in every task.  No answer can have it, because there is an invisible character in it. */
#define KH_WORLD_SEALED "the keyhole\xe2\x80\x8b canary"

/* A target's own parts of the gateway: made with it, told that it stops (may be NULL), and freed after that, before it. */
struct kh_world_parts {
	void (*begin)(void);
	void (*stop)(void);
	void (*end)(void);
};

/* In LLVMFuzzerInitialize(). */
void kh_world_init(const struct kh_world_parts *parts);

/* Before each input. */
void kh_world_begin(void);

struct kh_engine *kh_world_engine(void);
struct kh_gateway *kh_world_gateway(void);
struct kh_token_claim kh_world_token(enum kh_role role);

/* LINE with the names replaced, in ARENA. */
struct kh_view kh_world_fill(struct kh_arena *arena, struct kh_view line);

/* Remembers the ids, digests, states and cursors in TEXT, which was sent.  From any thread. */
void kh_world_hear(struct kh_view text);

/* Remembers VALUE for the name "@LETTER".  From any thread. */
void kh_world_keep(char letter, struct kh_view value);

/* Does what LINE says; false if it does not begin with "!". */
bool kh_world_act(struct kh_view line);

#endif
