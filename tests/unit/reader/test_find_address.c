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

/* B11: blanks between the groups of an identifier are part of it: it is found whole or not at all, never cut short. */
static void test_grouped(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"What is the flight number?", "Your flight LA 2485 leaves at 10:30 from gate 7.", "la 2485"},
		{"What is the flight number?", "Flight: BA 117\nGate: 22", "ba 117"},
		{"What is the IBAN?", "Please pay to IBAN DE89 3704 0044 0532 0130 00 by Friday.",
		 "de89 3704 0044 0532 0130 00"},
		{"What is the IBAN?", "IBAN: GB29 NWBK 6016 1331 9268 19.", "gb29 nwbk 6016 1331 9268 19"},
		{"What is the account?", "Account FR76 3000 6000 0112 3456 7890 189, thank you",
		 "fr76 3000 6000 0112 3456 7890 189"},
		{"What is the card number?", "Card number 4111 1111 1111 1111 was charged 20 EUR.",
		 "4111 1111 1111 1111"},
		{"What is the tracking number?", "Tracking number 1Z 999 AA1 01 2345 6784 (UPS)",
		 "1z 999 aa1 01 2345 6784"},
		{"What is the postcode?", "The postcode is SW1A 1AA in London.", "sw1a 1aa"},
		{"What is the VAT number?", "Our VAT GB 123 4567 89 is on the invoice.", "gb 123 4567 89"},
		{"What is the PNR?", "PNR X7K2QP, seat 12A", "x7k2qp"},
		{"What is the code?", "Code 11 22 33 44 55 66 77 88 99 10 11 12 13", "reject"},
		/* What stands beside an identifier is not part of it. */
		{"What is the order number?", "Order 12345 of 3 May has 20 pieces.", "12345"},
		{"What is the ticket number?", "Ticket 88231 20 EUR", "88231"},
		{"What is the order number?", "Order A-1044 2 items", "a-1044"},
		{"What is the booking code?", "Booking code QX77 on MAY 12 2026", "qx77"},
		{"What is the flight number?", "Flight LH 454\n2026 is the year", "lh 454"},
		{"What is the code?", "CODE 4638 PM", "4638"},
	};
	ALL_ANSWERED(t, "identifier", all);
}

static const struct kh_test_case cases[] = {KH_TEST(test_mail_addresses), KH_TEST(test_phones),
					    KH_TEST(test_identifiers), KH_TEST(test_grouped)};
KH_TEST_MAIN(cases)
