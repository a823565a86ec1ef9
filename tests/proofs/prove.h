/*
 * Proofs by exhaustion: ordinary programs that try every value of a finite set with the functions of the library
 * themselves, and print what they proved and over which set.  A proof that finds a counterexample says which and fails.
 */
#ifndef KH_TESTS_PROVE_H
#define KH_TESTS_PROVE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program where CONDITION does not hold; the rest says for what. */
#define PROVE(condition, ...)                                                                          \
	do {                                                                                           \
		if (!(condition)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__);                                                  \
			fputc('\n', stderr);                                                           \
			exit(1);                                                                       \
		}                                                                                      \
	} while (0)

/* A line of the report. */
#define PROVED(...) (printf("proved: "), printf(__VA_ARGS__), putchar('\n'))

#endif
