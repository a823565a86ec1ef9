/* Bounds of a schema and of a check.  docs/reference/SCHEMAS.md has them. */
#ifndef KH_CORE_SCHEMA_LIMITS_H
#define KH_CORE_SCHEMA_LIMITS_H

#define KH_SCHEMA_SIZE     (256U << 10) /* bytes of a schema's text */
#define KH_SCHEMA_MEMORY   (32U << 20)  /* that a compiled schema may take */
#define KH_SCHEMA_NODES    16384        /* schemas in a schema */
#define KH_SCHEMA_KEYWORDS 65536        /* keywords in all of them */
#define KH_SCHEMA_COST     65536        /* schemas that one value is compared with, without going into it */
#define KH_SCHEMA_DEPTH    256          /* schemas within each other while a value is checked */
#define KH_SCHEMA_STEPS    (1U << 24)   /* of one check: about 0.2 s */
#define KH_SCHEMA_ERRORS   32           /* that are reported at once */

#endif
