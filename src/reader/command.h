/*
 * The driver `command` (I3): a Reader that is a program, in a sandbox of its own for every ask.
 *
 * The program gets the message of kh_reader_message() as one line on its standard input, and then the end of input.  It
 * writes one line, `{"type":"bcp_response","query_id":...,"response":{...}}` or BCPRespond's arguments, and ends with
 * status 0.  It has no network, no file except the system's programs, its own file and what the configuration names,
 * and a folder of its own that is removed with it.  Everything that it writes until its end counts:
 *
 *   late       it has not ended in its time, whatever it wrote before; it is killed
 *   dead       it could not be started, was killed by a signal, ended with another status than 0, or without output;
 *              also if the executor is gone
 *   garbage    another line or a second one, no JSON, another type (a Reader starts nothing, B4), another query's id,
 *              more than the limit
 *
 * What it writes to standard error goes into the detail of a fault, quoted and cut, for humans.
 */
#ifndef KH_READER_COMMAND_H
#define KH_READER_COMMAND_H

#include "reader/reader.h"

#define KH_COMMAND_TIMEOUT_MS 30000         /* if a Reader has none */
#define KH_COMMAND_ANSWER     (256U << 10)  /* most bytes of its line */
#define KH_COMMAND_OUTPUT     (1024U << 10) /* bytes of both of its outputs together */
#define KH_COMMAND_ERRORS     4096          /* bytes of standard error that are kept */

#endif
