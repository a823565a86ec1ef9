/*
 * keyhole comm: external operations by hand, as a Controller calls them (E3-E12).  Decided in this process, and carried
 * out by its executor.  `comm check`, which needs no home, is offline.h's.
 */
#ifndef KH_CLI_COMMS_H
#define KH_CLI_COMMS_H

int kh_comms_search_main(int argc, char **argv);
int kh_comms_fetch_main(int argc, char **argv);
int kh_comms_query_main(int argc, char **argv);
int kh_comms_read_main(int argc, char **argv);
int kh_comms_exec_main(int argc, char **argv);

#endif
