/* What a schema says for certain of a member: kh_schema_typed() of schema.h. */
#ifndef KH_CORE_SCHEMA_TYPED_H
#define KH_CORE_SCHEMA_TYPED_H

#include "core/schema/schema.h"

#endif
