#include "answer.h"

#include "harness.h"

#include <stdio.h>

#define ID 0x1234
#define OK 0x8180 /* an answer, recursion wanted and had */

static const struct kh_dns_question question = {.id = ID, .type = KH_DNS_A, .name = KH_LIT_INIT("www.Example.com")};

static enum kh_dns_verdict read(const struct answer *a, struct kh_address *list, size_t *count)
{
	/* In memory of exactly its size, so that a read past its end is seen. */
	char *copy = test_malloc(a->n > 0 ? a->n : 1);
	memcpy(copy, a->bytes, a->n);
	enum kh_dns_verdict verdict = kh_dns_read(kh_view_of(copy, a->n), &question, list, count);
	test_free(copy);
	return verdict;
}

static void expect(const struct answer *a, enum kh_dns_verdict want, size_t want_count)
{
	struct kh_address list[KH_DNS_ADDRESSES];
	size_t count = 99;

	assert_int_equal(read(a, list, &count), want);
	assert_int_equal(count, want == KH_DNS_ANSWERED ? want_count : 99);
}

static void test_write(struct kh_test *t)
{
	unsigned char buffer[KH_DNS_QUERY];
	static const unsigned char want[] = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01\x03www\x07"
					    "example\x03"
					    "com\x00\x00\x01\x00\x01\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00";
	char name[256];
	(void)t;

	assert_int_equal(kh_dns_write(&question, buffer), sizeof(want));
	assert_memory_equal(buffer, want, sizeof(want));
	/* Names that cannot be asked for. */
	static const char *const bad[] = {"", ".", "a..b", "a.", ".a"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_dns_question q = {.id = 1, .type = KH_DNS_A, .name = kh_view_str(bad[i])};
		assert_int_equal(kh_dns_write(&q, buffer), 0);
	}
	memset(name, 'a', sizeof(name));
	struct kh_dns_question q = {.id = 1, .type = KH_DNS_A, .name = {name, 63}};
	assert_int_not_equal(kh_dns_write(&q, buffer), 0);
	q.name.n = 64;
	assert_int_equal(kh_dns_write(&q, buffer), 0);
	for (size_t i = 63; i < sizeof(name); i += 64)
		name[i] = '.';
	q.name.n = 253; /* the longest there is */
	assert_int_equal(kh_dns_write(&q, buffer), 12 + 255 + 4 + 11);
	q.name.n = 254;
	assert_int_equal(kh_dns_write(&q, buffer), 0);
}

/* E8: addresses of the name that was asked for, whatever else is in the answer. */
static void test_good(struct kh_test *t)
{
	struct kh_address list[KH_DNS_ADDRESSES];
	static struct answer a;
	size_t count = 0;
	(void)t;

	put_head(&a, ID, OK, "wWw.example.COM", KH_DNS_A, 5);
	put_record(&a, "@12", KH_DNS_A, "\x01\x02\x03\x04", 4);
	put_record(&a, "other.example.com", KH_DNS_A, "\x7f\x00\x00\x01", 4); /* nobody asked for it */
	put_record(&a, "@12", 46, "signature", 9);
	put_record(&a, "WWW@16", KH_DNS_A, "\x05\x06\x07\x08", 4);
	put_record(&a, "@12", KH_DNS_AAAA, "0123456789abcdef", 16);
	assert_int_equal(read(&a, list, &count), KH_DNS_ANSWERED);
	assert_int_equal(count, 2);
	assert_false(list[0].is_v6);
	assert_memory_equal(list[0].bytes, "\x01\x02\x03\x04", 4);
	assert_memory_equal(list[1].bytes, "\x05\x06\x07\x08", 4);

	struct kh_dns_question six = question;
	six.type = KH_DNS_AAAA;
	put_head(&a, ID, OK, "www.example.com", KH_DNS_AAAA, 1);
	put_record(&a, "@12", KH_DNS_AAAA, "0123456789abcdef", 16);
	assert_int_equal(kh_dns_read(answer_view(&a), &six, list, &count), KH_DNS_ANSWERED);
	assert_int_equal(count, 1);
	assert_true(list[0].is_v6);
	assert_memory_equal(list[0].bytes, "0123456789abcdef", 16);
}

static void test_none(struct kh_test *t)
{
	static struct answer a;
	(void)t;

	put_head(&a, ID, OK | 3, "www.example.com", KH_DNS_A, 0);
	expect(&a, KH_DNS_ANSWERED, 0);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 0);
	expect(&a, KH_DNS_ANSWERED, 0);
	put_head(&a, ID, OK | 2, "www.example.com", KH_DNS_A, 0); /* the server has failed */
	expect(&a, KH_DNS_FAILED, 0);
	put_head(&a, ID, OK | 5, "www.example.com", KH_DNS_A, 0); /* it refuses */
	expect(&a, KH_DNS_FAILED, 0);
	put_head(&a, ID, OK | 0x200, "www.example.com", KH_DNS_A, 1);
	put_record(&a, "@12", KH_DNS_A, "\x01\x02\x03\x04", 4);
	expect(&a, KH_DNS_TRUNCATED, 0);
}

/* What answers another question is as if it had not come. */
static void test_foreign(struct kh_test *t)
{
	static struct answer a;
	static const struct {
		unsigned id, flags;
		const char *name;
		unsigned type;
	} all[] = {
		{ID + 1, OK, "www.example.com", KH_DNS_A},      {ID, 0x0100, "www.example.com", KH_DNS_A},
		{ID, OK | 0x0800, "www.example.com", KH_DNS_A}, {ID, OK, "wwww.example.com", KH_DNS_A},
		{ID, OK, "www.example.com.evil", KH_DNS_A},     {ID, OK, "www.example", KH_DNS_A},
		{ID, OK, "www.example.com", KH_DNS_AAAA},       {ID, OK, "@12", KH_DNS_A},
		{ID, OK, "www.example@200", KH_DNS_A},
	};
	(void)t;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		put_head(&a, all[i].id, all[i].flags, all[i].name, all[i].type, 1);
		put_record(&a, "www.example.com", KH_DNS_A, "\x01\x02\x03\x04", 4);
		expect(&a, KH_DNS_FOREIGN, 0);
	}
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 0);
	a.bytes[5] = 2; /* two questions */
	expect(&a, KH_DNS_FOREIGN, 0);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 0);
	a.bytes[a.n - 1] = 3; /* of another class */
	expect(&a, KH_DNS_FOREIGN, 0);
}

static void test_aliases(struct kh_test *t)
{
	static struct answer a;
	char from[20], to[20];
	(void)t;

	/* In any order; an address of the alias itself is not one of the name that it leads to. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 4);
	put_record(&a, "c.test", KH_DNS_A, "\x01\x02\x03\x04", 4);
	put_alias(&a, "b.test", "c.test");
	put_alias(&a, "@12", "b.test");
	put_record(&a, "@12", KH_DNS_A, "\x09\x09\x09\x09", 4);
	expect(&a, KH_DNS_ANSWERED, 1);
	/* In a circle. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 3);
	put_alias(&a, "@12", "b.test");
	put_alias(&a, "b.test", "@12");
	put_record(&a, "b.test", KH_DNS_A, "\x01\x02\x03\x04", 4);
	expect(&a, KH_DNS_FAILED, 0);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	put_alias(&a, "@12", "@12");
	expect(&a, KH_DNS_FAILED, 0);
	/* Eight are followed, nine are not. */
	for (unsigned depth = 8; depth <= 9; depth++) {
		put_head(&a, ID, OK, "www.example.com", KH_DNS_A, depth + 1);
		for (unsigned i = 0; i < depth; i++) {
			snprintf(from, sizeof(from), i == 0 ? "@12" : "n%u.test", i);
			snprintf(to, sizeof(to), "n%u.test", i + 1);
			put_alias(&a, from, to);
		}
		put_record(&a, to, KH_DNS_A, "\x01\x02\x03\x04", 4);
		expect(&a, depth == 8 ? KH_DNS_ANSWERED : KH_DNS_FAILED, 1);
	}
	/* To a name that nothing is said of. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	put_alias(&a, "@12", "nowhere.test");
	expect(&a, KH_DNS_ANSWERED, 0);
	/* An alias with bytes behind its name. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	put_record(&a, "@12", 5,
		   "\x01"
		   "b\x00rest",
		   7);
	expect(&a, KH_DNS_FAILED, 0);
}

/* Lies about lengths and places. */
static void test_broken(struct kh_test *t)
{
	static struct answer a;
	char forward[20];
	(void)t;

	/* More records than there are. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 2);
	put_record(&a, "@12", KH_DNS_A, "\x01\x02\x03\x04", 4);
	expect(&a, KH_DNS_FAILED, 0);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 65535);
	expect(&a, KH_DNS_FAILED, 0);
	/* An address of another length. */
	for (size_t n = 0; n <= 16; n++) {
		put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
		put_record(&a, "@12", KH_DNS_A, "0123456789abcdef", n);
		expect(&a, n == 4 ? KH_DNS_ANSWERED : KH_DNS_FAILED, 1);
	}
	/* Data that would go on past the end. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	put_record(&a, "@12", KH_DNS_A, "\x01\x02\x03\x04", 4);
	a.bytes[a.n - 5] = 5;
	expect(&a, KH_DNS_FAILED, 0);
	/* Pointers to themselves, forwards, and labels of a kind that there is not. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	snprintf(forward, sizeof(forward), "@%zu", a.n);
	put_record(&a, forward, KH_DNS_A, "\x01\x02\x03\x04", 4);
	expect(&a, KH_DNS_FAILED, 0);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	put_record(&a, "@60", KH_DNS_A, "\x01\x02\x03\x04\x00\x00\x00\x00\x00\x00\x00", 4);
	expect(&a, KH_DNS_FAILED, 0);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	size_t at = a.n;
	put_record(&a, "x", KH_DNS_A, "\x01\x02\x03\x04", 4);
	a.bytes[at] = 0x41;
	expect(&a, KH_DNS_FAILED, 0);
	/* Every beginning of a good answer. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 1);
	size_t head = a.n;
	put_record(&a, "@12", KH_DNS_A, "\x01\x02\x03\x04", 4);
	while (a.n-- > 0)
		expect(&a, a.n < head ? KH_DNS_FOREIGN : KH_DNS_FAILED, 0);
}

/* As many records as a packet holds, and names made of as many pointers as it holds. */
static void test_floods(struct kh_test *t)
{
	static struct answer a;
	struct kh_address list[KH_DNS_ADDRESSES];
	size_t count = 0;
	(void)t;

	unsigned records = 4000;
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, records);
	for (unsigned i = 0; i < records; i++)
		put_record(&a, "@12", KH_DNS_A, &(unsigned char[4]){1, 2, (unsigned char)(i >> 8), (unsigned char)i},
			   4);
	assert_true(a.n < KH_DNS_PACKET);
	assert_int_equal(read(&a, list, &count), KH_DNS_ANSWERED);
	assert_int_equal(count, KH_DNS_ADDRESSES);
	assert_memory_equal(list[7].bytes, "\x01\x02\x00\x07", 4);
	/* It says 10,000 and has 4,000. */
	a.bytes[6] = 10000 >> 8;
	a.bytes[7] = 10000 & 0xff;
	expect(&a, KH_DNS_FAILED, 0);

	/* A record whose data are pointers, each to the one before; a name that begins at the last of them. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 2);
	put_record(&a, "@12", 16, "", 0);
	size_t length = a.n - 2, first = a.n;
	for (unsigned i = 0; i < 8000; i++)
		put16(&a, 0xc000 | (unsigned)(i == 0 ? 12 : first + 2 * (size_t)i - 2));
	a.bytes[length] = 16000 >> 8;
	a.bytes[length + 1] = 16000 & 0xff;
	char last[20];
	snprintf(last, sizeof(last), "@%zu", first + 15998);
	put_record(&a, last, KH_DNS_A, "\x01\x02\x03\x04", 4);
	expect(&a, KH_DNS_FAILED, 0);
	/* A few in a row are fine. */
	snprintf(last, sizeof(last), "@%zu", first + 20);
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 2);
	a.n = first + 16000;
	put_record(&a, last, KH_DNS_A, "\x01\x02\x03\x04", 4);
	expect(&a, KH_DNS_ANSWERED, 1);
	/* A name that grows past its longest by pointers to itself. */
	put_head(&a, ID, OK, "www.example.com", KH_DNS_A, 5);
	put_record(&a, "@12", 16, "", 0);
	size_t before = 12;
	for (int i = 0; i < 4; i++) {
		char name[120];
		size_t here = a.n;
		snprintf(name, sizeof(name), "%063d@%zu", i, before);
		put_record(&a, name, 16, "", 0);
		before = here;
	}
	expect(&a, KH_DNS_FAILED, 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_write),   KH_TEST_ONCE(test_good),   KH_TEST_ONCE(test_none),   KH_TEST_ONCE(test_foreign),
	KH_TEST_ONCE(test_aliases), KH_TEST_ONCE(test_broken), KH_TEST_ONCE(test_floods),
};
KH_TEST_MAIN(cases)
