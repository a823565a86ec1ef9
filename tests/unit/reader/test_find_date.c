#include "reader/find_date.h"

#include "extracting.h"

/* I3, B11: a date in any of the usual forms is found and delivered. */
static void test_date_forms(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"When is the review?", "The review is on 2026-03-15.", "2026-03-15"},
		{"When is the review?", "The review is on March 15, 2026.", "2026-03-15"},
		{"When is the review?", "The review is on March 15th 2026 in the hall.", "2026-03-15"},
		{"When is the review?", "The review is on the 15th of March 2026.", "2026-03-15"},
		{"When is the review?", "The review is on 15 March 2026, not later.", "2026-03-15"},
		{"When is the review?", "The review is on Sunday, March 15, 2026.", "2026-03-15"},
		{"When is the review?", "The review: Sun, 15 Mar 2026", "2026-03-15"},
		{"When is the review?", "The review is on 15.03.2026.", "2026-03-15"},
		{"When is the review?", "The review is on 03/15/2026 (bring a pen).", "2026-03-15"},
		{"When is the review?", "The review is on 15-Mar-2026.", "2026-03-15"},
		{"When is the review?", "The review is on March 15.", "--03-15"},
		{"When is the review?", "The review is on Friday, March 13th, in the hall.", "--03-13"},
		{"When is the review?", "Review planned for March 2026 at last.", "2026-03"},
		{"When is the review?", "It was moved. Review: 2026-03-15T14:30:00Z.", "2026-03-15"},
		{"When is the meeting?", "Die Besprechung ist am Montag, den 16. M\xc3\xa4rz 2026.", "2026-03-16"},
		{"When is the meeting?", "La r\xc3\xa9union est le lundi 16 mars 2026.", "2026-03-16"},
		{"When is the meeting?", "La reuni\xc3\xb3n es el 16 de marzo de 2026.", "2026-03-16"},
		{"When is the meeting?", "La riunione \xc3\xa8 il 16 marzo 2026.", "2026-03-16"},
		{"When is the meeting?", "A reuni\xc3\xa3o \xc3\xa9 a 16 de mar\xc3\xa7o de 2026.", "2026-03-16"},
		{"When is the meeting?", "De vergadering is op 16 maart 2026.", "2026-03-16"},
	};
	ALL_ANSWERED(t, "date", all);
}

/* The date that stands nearest to the question's words; the mail's own date only where it is asked for. */
static void test_date_nearest(struct kh_test *t)
{
	static const char mail[] = "From: Ann Lee <ann@example.org>\n"
				   "Date: Tue, 3 Mar 2026 09:10:12 +0000\n"
				   "Subject: Dates\n\n"
				   "The invoice was issued on March 1, 2026 and is due on April 2, 2026.\n"
				   "Our offsite runs from May 4, 2026 to May 8, 2026.\n";
	static const struct kh_asked all[] = {
		{"When is the invoice due?", mail, "2026-04-02"},
		{"When was the invoice issued?", mail, "2026-03-01"},
		{"When was this mail sent?", mail, "2026-03-03"},
		{"When does the offsite start?", mail, "2026-05-04"},
		{"When does the offsite end?", mail, "2026-05-08"},
		{"When was it received?", "RECEIVED DATE: Mon, 6 Mar 2022 09:10:12", "2022-03-06"}, /* a Sunday */
		{"What date is the deadline?", "Kick-off: 2 May 2026\nDeadline: 9 June 2026\n", "2026-06-09"},
	};
	ALL_ANSWERED(t, "date", all);
}

/* What two readers could take for two days, and what is no date, is not answered; the response is rejected. */
static void test_date_none(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"When is it?", "It is on 03/04/2026.", "reject"},
		{"When is it?", "It is on 31 February 2026.", "reject"},
		{"When is it?", "It is on 29 February 2023.", "reject"}, /* not: every 29 February */
		{"When is it?", "It is on February 29, 2023.", "reject"},
		{"When is it?", "You may 5 of them in march 7 times.", "reject"},
		{"When is it?", "Call INV-2026-03-15 or 2026-03-15-77.", "reject"},
		{"When is it?", "It is tomorrow.", "reject"},
		{"When is it?", "", "reject"},
	};
	ALL_ANSWERED(t, "date", all);
}

static void test_time_forms(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"At what time do we meet?", "We meet at 14:30.", "14:30"},
		{"At what time do we meet?", "We meet at 2:30 PM on Friday.", "14:30"},
		{"At what time do we meet?", "We meet at 2pm.", "14:00"},
		{"At what time do we meet?", "We meet at 8 a.m. sharp.", "08:00"},
		{"At what time do we meet?", "We meet at noon.", "12:00"},
		{"At what time do we meet?", "We meet at 14:30 UTC.", "14:30"},
		{"At what time, in which zone, do we meet?", "We meet at 14:30 UTC.", "14:30Z"},
		{"At what time does it start?", "Hours: 10:00 - 11:30", "10:00"},
		{"At what time does it end?", "Hours: 10:00 - 11:30", "11:30"},
		{"At what time do we meet?", "We meet in room 14, 30 of us, for $2.50.", "reject"},
	};
	ALL_ANSWERED(t, "time", all);
}

static void test_datetime_forms(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"When is the call?", "The call is on March 15, 2026 at 2:30 PM.", "2026-03-15T14:30"},
		{"When is the call?", "The call is at 2:30 PM on March 15, 2026.", "2026-03-15T14:30"},
		{"When is the call?", "Call: 2026-03-15T14:30:00Z", "2026-03-15T14:30"},
		{"When is the call?", "Call: 2026-03-15 14:30", "2026-03-15T14:30"},
		{"When is the call?", "The call is on March 15. We begin at 9:00.", "--03-15T09:00"},
		{"When was the mail sent?",
		 "Date: Tue, 3 Mar 2026 09:10:12 +0100\n\nThe call is on 5 May 2026 at 8:00.", "2026-03-03T09:10"},
		{"When does the call end?", "The call: 2026-03-15 14:30 to 2026-03-15 15:45", "2026-03-15T15:45"},
	};
	ALL_ANSWERED(t, "datetime", all);
}

static const struct kh_test_case cases[] = {KH_TEST(test_date_forms), KH_TEST(test_date_nearest),
					    KH_TEST(test_date_none), KH_TEST(test_time_forms),
					    KH_TEST(test_datetime_forms)};
KH_TEST_MAIN(cases)
