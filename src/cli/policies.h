/* `keyhole policy test`: holds a policy to the decisions that a file expects of it. */
#ifndef KH_CLI_POLICIES_H
#define KH_CLI_POLICIES_H

/* ARGV[0] is the command's own name.  Returns the exit status: 0 all as expected, 1 some differ, 2 not usable. */
int kh_policies_test_main(int argc, char **argv);

#endif
