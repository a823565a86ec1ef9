/*
 * The phase gate (E1).  A task plans without side effects, then executes.  The gate takes the phase as the word that
 * was given.  Any word but exactly the two names blocks, because an unknown phase must fail closed.
 *
 *     operation                          planning   execution   any other word
 *     Keyhole's own (queries, status)    passes     passes      blocked
 *     registered comm.*                  blocked    passes      blocked
 *     anything else                      blocked    blocked     blocked
 */
#ifndef KH_CORE_COMM_PHASE_H
#define KH_CORE_COMM_PHASE_H

#include "base/error.h"
#include "base/words.h"

enum kh_phase { KH_PHASE_PLANNING, KH_PHASE_EXECUTION };
extern const struct kh_words kh_phase_words; /* "planning", "execution" */

/* Whether OPERATION is Keyhole's own: one of a fixed list of exact names, none of which touches anything outside. */
bool kh_phase_is_own(struct kh_view operation);

/*
 * KH_OK if OPERATION may pass in the phase named by WORD.  Else KH_EREFUSED with code `phase_unknown` or
 * OUTBOUND_FORBIDDEN_IN_PLANNING, or what kh_operation_find() says of a name that is not registered.
 */
enum kh_err kh_phase_allows(struct kh_arena *arena, struct kh_view operation, struct kh_view word,
			    struct kh_error *err) KH_CHECKED;

#endif
