/*
 * Whether a short text can be an answer or a name, by the scripts that it is in (B13); speech.h has the rest.  FOLDED is
 * the text in lower case without accents, with look-alikes as they are.
 */
#ifndef KH_CORE_SCREEN_SCRIPTS_H
#define KH_CORE_SCREEN_SCRIPTS_H

#include "core/screen/speech.h"

struct kh_speech kh_scripts_judge(struct kh_view folded);

/* The same for a text that claims to be a name. */
struct kh_speech kh_scripts_judge_name(struct kh_view folded);

#endif
