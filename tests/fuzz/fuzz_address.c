/*
 * URLs and the addresses that they may name (E8).  For any text: what is read and written in its one spelling is read
 * again as the same; what is taken without the grant of http is taken with it, and is https.  For any four bytes: an
 * IPv4 address that is refused is refused in every form in which IPv6 carries one.
 */
#include "fuzz.h"

#include "core/comm/url.h"
#include "wire/address.h"

/* Where each form has the four bytes; those after 12 bytes are the last. */
static const struct {
	unsigned char frame[16];
	size_t at;
	unsigned char mask;
} carriers[] = {
	{{[10] = 0xff, 0xff}, 12, 0},
	{{0}, 12, 0},
	{{[8] = 0xff, 0xff}, 12, 0},
	{{0, 0x64, 0xff, 0x9b}, 12, 0},
	{{0, 0x64, 0xff, 0x9b, 0, 1}, 12, 0},
	{{0x20, 0x02}, 2, 0},
	{{0x20, 0x01}, 4, 0},
	{{0x20, 0x01, 0, 0, 8, 8, 8, 8}, 12, 0xff},
	{{0x26, 0x06, 0x28, [10] = 0x5e, 0xfe}, 12, 0},
	{{0x26, 0x06, 0x28, [8] = 2, 0, 0x5e, 0xfe}, 12, 0},
};

static void check_carriers(const struct kh_address *ipv4)
{
	struct kh_address address;

	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
		HOLDS(kh_address_from_bytes(kh_view_of((const char *)carriers[i].frame, 16), &address));
		for (size_t b = 0; b < 4; b++)
			address.bytes[carriers[i].at + b] = ipv4->bytes[b] ^ carriers[i].mask;
		HOLDS(kh_address_refused(&address) != NULL);
	}
}

/* ADDRESS as text and back; only 2000::/3 and the NAT64 prefix are ever of the public internet. */
static void check_address(const struct kh_address *address)
{
	static const unsigned char nat64[12] = {0, 0x64, 0xff, 0x9b};
	const char *refused = kh_address_refused(address);
	struct kh_address again;
	char text[46];

	kh_address_print(address, text, sizeof(text));
	HOLDS(kh_address_read(kh_view_str(text), &again));
	HOLDS(again.is_v6 == address->is_v6);
	HOLDS(memcmp(again.bytes, address->bytes, address->is_v6 ? 16 : 4) == 0);
	if (refused != NULL)
		kh_fuzz_showable(kh_view_str(refused));
	if (!address->is_v6 && refused != NULL)
		check_carriers(address);
	if (address->is_v6 && refused == NULL)
		HOLDS(address->bytes[0] >> 5 == 1 || memcmp(address->bytes, nat64, sizeof(nat64)) == 0);
}

static bool same(const struct kh_url *a, const struct kh_url *b)
{
	return a->port == b->port && a->plain == b->plain && a->is_address == b->is_address;
}

static void check_written(const struct kh_url *url)
{
	char first[KH_URL_MAX + 1], second[KH_URL_MAX + 1];
	struct kh_address address, address_again;
	struct kh_view text, text_again;
	struct kh_url again;

	enum kh_err e = kh_url_write(url, first, sizeof(first), &text);
	HOLDS(e == KH_OK || e == KH_ELIMIT);
	if (e != KH_OK)
		return;
	HOLDS(first[text.n] == '\0');
	HOLDS(kh_url_read_web(text, url->plain, &again, NULL) == KH_OK);
	HOLDS(same(url, &again));
	HOLDS(kh_url_write(&again, second, sizeof(second), &text_again) == KH_OK);
	HOLDS(kh_view_eq(text, text_again));
	/* What one of the two readers of addresses takes, the other takes, and it is the same address. */
	HOLDS(kh_address_read(url->host, &address) == url->is_address);
	HOLDS(kh_address_read(again.host, &address_again) == url->is_address);
	if (url->is_address) {
		HOLDS(memcmp(address.bytes, address_again.bytes, sizeof(address.bytes)) == 0);
		check_address(&address);
	}
}

static void check_text(struct kh_view text)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_url url, strict;

	enum kh_err e = kh_url_read_web(text, true, &url, &err);
	if (e != KH_OK) {
		kh_fuzz_error(&err);
		HOLDS(kh_url_read(text, &strict, NULL) != KH_OK);
		return;
	}
	check_written(&url);
	HOLDS((kh_url_read(text, &strict, NULL) == KH_OK) == !url.plain);
	HOLDS(url.plain || (same(&url, &strict) && !strict.plain));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_address address;

	check_text(text);
	if (kh_address_read(text, &address))
		check_address(&address);
	if (kh_address_from_bytes(kh_view_sub(text, 0, 4), &address))
		check_address(&address);
	if (kh_address_from_bytes(kh_view_sub(text, 0, 16), &address))
		check_address(&address);
	return 0;
}
