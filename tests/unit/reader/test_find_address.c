#include "reader/find_address.h"

#include "extracting.h"

static const char mail[] =
	"From: Ann Lee <ann.lee@example.org>\n"
	"To: bob@example.com\n"
	"Subject: Order A-77\n\n"
	"Your order A-1044/B is on its way. Questions go to help+desk@sub.example.net. Fax 555-0100-22.\n"
	"Call us: (305) 555-4321 x12. Ticket #88231.\n";

/* I3, B11: addresses. */
static void test_mail_addresses(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"What is the sender's address?", mail, "ann.lee@example.org"},
		{"What is the recipient's address?", mail, "bob@example.com"},
		{"Where do questions go?", mail, "help+desk@sub.example.net"},
		{"What is the address?", "Write to a@b, @c, d@ or x@y.z", "reject"},
		{"What is the address?", "Write to <first.last@example.org>.", "first.last@example.org"},
		{"What is the address?", "", "reject"},
	};
	ALL_ANSWERED(t, "email", all);
}

static void test_phones(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"Which number should one call?", mail, "3055554321 x12"},
		{"What is the fax number?", mail, "555010022"},
		{"What is the phone number?", "Phone: +33 1 42 60 30 40, open 9:00", "+33142603040"},
		{"What is the phone number?", "On 2026-03-15 we had 12 guests and 1,200 EUR.", "reject"},
		{"What is the phone number?", "Tel. 55512", "55512"},
	};
	ALL_ANSWERED(t, "phone", all);
}

static void test_identifiers(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"What is the order number?", mail, "a-1044/b"},
		{"What is the ticket number?", mail, "#88231"},
		{"What is the code?", "Your security code is: 463820", "463820"},
		{"What is the booking code?", "On 3 May at 3pm. The booking PX77QR is confirmed.", "px77qr"},
		{"What is the code?", "There is none.", "reject"},
	};
	ALL_ANSWERED(t, "identifier", all);
}

static const struct kh_test_case cases[] = {KH_TEST(test_mail_addresses), KH_TEST(test_phones),
					    KH_TEST(test_identifiers)};
KH_TEST_MAIN(cases)
