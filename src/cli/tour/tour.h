/*
 * `keyhole demo`: a guided tour in a temporary home that is gone afterwards; nothing but loopback is reached.
 *
 * It runs this same program, the commands that a reader could type, and looks at what they write and how they end.
 * Nothing is faked: a step that does not come out as it must is said so, and makes the exit status 1.
 */
#ifndef KH_CLI_TOUR_TOUR_H
#define KH_CLI_TOUR_TOUR_H

int kh_tour_main(int argc, char **argv);

#endif
