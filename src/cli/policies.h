/* `keyhole policy test`: compares a policy's decisions with those that a file expects. */
#ifndef KH_CLI_POLICIES_H
#define KH_CLI_POLICIES_H

/* ARGV[0] is the command's own name.  Returns the exit status: 0 all as expected, 1 some differ, 2 not usable. */
int kh_policies_test_main(int argc, char **argv);

#endif
