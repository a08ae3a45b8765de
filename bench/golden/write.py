"""JSON as the tests read it: whole numbers without a point, infinities and NaN as strings, small arrays on one line."""

import json
import math
import os


def _plain(value):
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        if value.is_integer() and abs(value) < 2**53 and not (value == 0 and math.copysign(1, value) < 0):
            return int(value)
    return value


def _flat(value):
    """Scalars, lists of scalars, and lists of these."""

    def scalars(value):
        return not isinstance(value, dict) and not (isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value))

    return scalars(value) or (isinstance(value, list) and all(scalars(v) for v in value))


def _render(value, indent):
    if _flat(value):
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(k)}: {_render(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(inner + _render(v, indent + 1) for v in value) + "\n" + " " * indent + "]"


def write_json(path, value):
    """Writes atomically, so that an interrupted run leaves the committed file alone."""
    part = path.with_suffix(".part")
    part.write_text(_render(_plain(value), 0) + "\n")
    os.replace(part, path)
