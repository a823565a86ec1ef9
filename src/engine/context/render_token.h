/* What is told of a token, to whoever made it and to whoever has it, as JSON: the same in every interface. */
#ifndef KH_ENGINE_CONTEXT_RENDER_TOKEN_H
#define KH_ENGINE_CONTEXT_RENDER_TOKEN_H

#include "base/json.h"
#include "engine/context/token.h"
#include "engine/context/who.h"

/* {"id", "name", "role", "context"?, "expires_at"?}; the caller adds the `token` itself, if it is to be shown.  Texts
 * are borrowed. */
yyjson_mut_val *kh_render_token_created(yyjson_mut_doc *doc, struct kh_arena *arena,
					const struct kh_token_create *created);
yyjson_mut_val *kh_render_token_who(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_who *who);

#endif
