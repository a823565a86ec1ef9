"""A validator of JSON Schema (2020-12): as much of it as the OpenAPI document uses, and no more.

A keyword that is not known here is an error of the schema: nothing in a schema is passed over in silence.
"""

import re

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}
DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
NOTES = {"description", "title", "examples"}


class BadSchema(Exception):
    pass


def resolve(schema, root):
    """The schema that SCHEMA stands for: references are followed; what stands beside one is a note."""
    for _ in range(16):
        if "$ref" not in schema:
            return schema
        if set(schema) - {"$ref"} - NOTES:
            raise BadSchema("beside a reference: %s" % sorted(schema))
        found = root
        for part in schema["$ref"][2:].split("/"):
            if part not in found:
                raise BadSchema("nothing at %s" % schema["$ref"])
            found = found[part]
        schema = found
    raise BadSchema("references in a circle")


def types(schema):
    wanted = schema.get("type", [])
    return wanted if isinstance(wanted, list) else [wanted]


def same(a, b):
    return type(a) is type(b) and a == b


def check_object(value, schema, root, at):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield "%s: no %s" % (at, name)
    for name, member in value.items():
        if name in properties:
            yield from check(member, properties[name], root, "%s.%s" % (at, name))
        elif schema.get("additionalProperties") is False:
            yield "%s: %s is not described" % (at, name)


def check_array(value, schema, root, at):
    if len(value) > schema.get("maxItems", len(value)):
        yield "%s: %d items" % (at, len(value))
    for i, item in enumerate(value):
        yield from check(item, schema.get("items", {}), root, "%s[%d]" % (at, i))


def check_string(value, schema, at):
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield "%s: %d characters" % (at, len(value))
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield "%s: %.80r does not match %s" % (at, value, schema["pattern"])
    if "format" in schema:
        if schema["format"] != "date-time":
            raise BadSchema("format %s" % schema["format"])
        if not DATE_TIME.fullmatch(value):
            yield "%s: %.80r is no time" % (at, value)


KEYWORDS = {"type", "enum", "const", "oneOf", "properties", "required", "additionalProperties", "items", "maxItems",
            "minLength", "maxLength", "pattern", "format", "minimum", "maximum"} | NOTES


def check(value, schema, root, at="$"):
    """What is wrong with VALUE, as sentences."""
    schema = resolve(schema, root)
    if set(schema) - KEYWORDS:
        raise BadSchema("%s: unknown keywords %s" % (at, sorted(set(schema) - KEYWORDS)))
    wanted = types(schema)
    if wanted and not any(TYPES[name](value) for name in wanted):
        yield "%s: %.80r is no %s" % (at, value, " or ".join(wanted))
        return
    if "enum" in schema and not any(same(value, word) for word in schema["enum"]):
        yield "%s: %.80r is none of %s" % (at, value, schema["enum"])
    if "const" in schema and not same(value, schema["const"]):
        yield "%s: %.80r is not %r" % (at, value, schema["const"])
    if "oneOf" in schema:
        fit = [one for one in schema["oneOf"] if not list(check(value, one, root, at))]
        if len(fit) != 1:
            yield "%s: fits %d of %d forms: %.200r" % (at, len(fit), len(schema["oneOf"]), value)
    if isinstance(value, dict):
        yield from check_object(value, schema, root, at)
    elif isinstance(value, list):
        yield from check_array(value, schema, root, at)
    elif isinstance(value, str):
        yield from check_string(value, schema, at)
    elif TYPES["number"](value):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield "%s: %r is out of range" % (at, value)


def walk(schema, root, at="$"):
    """Looks at every part of SCHEMA: raises BadSchema where a reference or keyword is not known."""
    if "$ref" in schema:
        resolve(schema, root)
        return
    if set(schema) - KEYWORDS:
        raise BadSchema("%s: unknown keywords %s" % (at, sorted(set(schema) - KEYWORDS)))
    for name in schema.get("required", []):
        if "properties" in schema and name not in schema["properties"]:
            raise BadSchema("%s: %s is required and not described" % (at, name))
    for name, part in schema.get("properties", {}).items():
        walk(part, root, "%s.%s" % (at, name))
    for i, part in enumerate(schema.get("oneOf", [])):
        walk(part, root, "%s|%d" % (at, i))
    if "items" in schema:
        walk(schema["items"], root, at + "[]")
