/* What the machine's settings say about a sandbox and about fetching: read, not tried (sandbox/probe.h tries). */
#ifndef KH_CLI_MACHINE_H
#define KH_CLI_MACHINE_H

#include "wire/diagnosis.h"

#define KH_MACHINE_SETTINGS 4
#define KH_MACHINE_NETWORK  2

/* Settings of the kernel that can take user namespaces away. */
void kh_machine_settings(struct kh_diagnosis ret[KH_MACHINE_SETTINGS]);

/* What `sandbox fetch` needs: name servers, certificates. */
void kh_machine_network(struct kh_diagnosis ret[KH_MACHINE_NETWORK]);

#endif
