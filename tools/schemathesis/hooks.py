"""What schemathesis cannot know of this API."""

import json
import re

import schemathesis

POSITION = re.compile(r"^(0|[1-9][0-9]{0,19})$")


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    """Lines of JSON are a text to OpenAPI 3.1."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")


def reached(holder, name):
    """A position that is not there yet is waited for, on purpose: seconds for each request."""
    value = holder.get(name) if isinstance(holder, dict) or hasattr(holder, "get") else None
    if isinstance(value, str) and POSITION.match(value):
        holder[name] = "0"


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if case.headers:
        reached(case.headers, "palimpsest-at-least")
    if isinstance(case.body, dict):
        reached(case.body, "atLeast")
