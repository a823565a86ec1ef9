/*
 * Sealed request states.  They come from the client, so nothing in one is trusted before its seal was recomputed.
 *
 *     base64url( nonce 16 | good until 8, big-endian | payload | seal 32 )
 */
#include "mcp/state.h"

#include "gateway/keeping.h"

#include <sodium.h>

#define NONCE 16
#define HEAD  (NONCE + 8)
#define SEAL  32

void kh_mcp_state_init(struct kh_mcp *mcp)
{
	static const unsigned char purpose[] = "keyhole mcp request state";
	const unsigned char *id_key = kh_engine_id_key(kh_gateway_engine(mcp->gateway));

	crypto_generichash(mcp->state_key, sizeof(mcp->state_key), purpose, sizeof(purpose), id_key, 16);
}

void kh_mcp_state_done(struct kh_mcp *mcp)
{
	sodium_memzero(mcp->state_key, sizeof(mcp->state_key));
}

static void put64(unsigned char bytes[8], uint64_t n)
{
	for (int i = 7; i >= 0; i--, n >>= 8)
		bytes[i] = (unsigned char)n;
}

static int64_t get64(const unsigned char bytes[8])
{
	uint64_t n = 0;

	for (int i = 0; i < 8; i++)
		n = n << 8 | bytes[i];
	return n <= INT64_MAX ? (int64_t)n : 0;
}

/* Adds a part with its length before it, so that no two lists of parts look the same. */
static void add(crypto_generichash_state *hash, struct kh_view part)
{
	unsigned char n[8];

	put64(n, part.n);
	crypto_generichash_update(hash, n, sizeof(n));
	crypto_generichash_update(hash, (const unsigned char *)part.p, part.n);
}

static void seal(const struct kh_mcp *mcp, const struct kh_mcp_state_bond *bond, struct kh_view body,
		 unsigned char ret_seal[SEAL])
{
	crypto_generichash_state hash;

	crypto_generichash_init(&hash, mcp->state_key, sizeof(mcp->state_key), SEAL);
	add(&hash, kh_view_of((const char *)bond->token.hash.bytes, KH_DIGEST_SIZE));
	add(&hash, bond->method);
	add(&hash, bond->name);
	add(&hash, kh_view_of((const char *)bond->arguments.bytes, KH_DIGEST_SIZE));
	add(&hash, body);
	crypto_generichash_final(&hash, ret_seal, SEAL);
}

enum kh_err kh_mcp_state_seal(struct kh_mcp *mcp, struct kh_arena *arena, const struct kh_mcp_state_bond *bond,
			      struct kh_view payload, struct kh_view *ret_text, struct kh_error *err)
{
	const struct kh_engine *engine = kh_gateway_engine(mcp->gateway);
	size_t n = HEAD + payload.n + SEAL, size;

	if (payload.n > KH_MCP_STATE_MOST)
		return kh_error_set(err, KH_ELIMIT, "too_long", "a state has at most %d bytes", KH_MCP_STATE_MOST);
	size = sodium_base64_encoded_len(n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	unsigned char *bytes = kh_arena_alloc(arena, n);
	char *text = kh_arena_alloc(arena, size);
	if (bytes == NULL || text == NULL)
		return KH_ENOMEM;
	kh_engine_random(engine, bytes, NONCE);
	put64(bytes + NONCE, (uint64_t)(kh_engine_now(engine) + KH_MCP_STATE_GOOD));
	if (payload.n > 0)
		memcpy(bytes + HEAD, payload.p, payload.n);
	seal(mcp, bond, kh_view_of((const char *)bytes, n - SEAL), bytes + n - SEAL);
	sodium_bin2base64(text, size, bytes, n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	*ret_text = kh_view_of(text, size - 1);
	return KH_OK;
}

/* True if it is one of ours for this call, and its time is not over. */
static bool unseal(struct kh_mcp *mcp, const struct kh_mcp_state_bond *bond, const unsigned char *bytes, size_t n)
{
	unsigned char want[SEAL];

	if (n < HEAD + SEAL)
		return false;
	seal(mcp, bond, kh_view_of((const char *)bytes, n - SEAL), want);
	int64_t until = get64(bytes + NONCE);
	return sodium_memcmp(want, bytes + n - SEAL, SEAL) == 0 &&
	       until > kh_engine_now(kh_gateway_engine(mcp->gateway));
}

enum kh_err kh_mcp_state_open(struct kh_mcp *mcp, struct kh_arena *arena, const struct kh_mcp_state_bond *bond,
			      struct kh_view text, struct kh_view *ret_payload, struct kh_error *err)
{
	size_t most = text.n / 4 * 3 + 3, n = 0;
	unsigned char *bytes = kh_arena_alloc(arena, most);

	if (bytes == NULL)
		return KH_ENOMEM;
	bool ours = text.n <= 2 * (HEAD + KH_MCP_STATE_MOST + SEAL) &&
		    sodium_base642bin(bytes, most, text.p, text.n, NULL, &n, NULL,
				      sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
		    unseal(mcp, bond, bytes, n);
	enum kh_err e = ours ? kh_keeping_use(mcp->gateway, bond->token.id, kh_view_of((const char *)bytes, NONCE),
					      get64(bytes + NONCE), err)
			     : KH_EREFUSED;
	if (e == KH_EREFUSED)
		return kh_error_set(err, e, "bad_state",
				    "requestState is not one of ours for this call, or has been used");
	if (e != KH_OK)
		return e;
	*ret_payload = kh_view_of((const char *)bytes + HEAD, n - HEAD - SEAL);
	return KH_OK;
}
