"""A plan as JSON and back: `plan_from_json(plan_to_json(plan)) == plan`. Versioned; other versions are refused."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from subiso.errors import QueryError
from subiso.plan import plan as nodes
from subiso.plan import twig_plan as twig_nodes
from subiso.plan.plan import VERSION, Plan
from subiso.plan.twig_plan import VERSION as TWIG_VERSION
from subiso.plan.twig_plan import TwigPlan

_NODES = {
    name: node
    for name, node in (vars(nodes) | vars(twig_nodes)).items()
    if isinstance(node, type) and (is_dataclass(node) or hasattr(node, "_fields"))
}
_VERSIONS = {"Plan": VERSION, "TwigPlan": TWIG_VERSION}


def plan_to_json(plan: Plan | TwigPlan) -> str:
    """The plan as JSON text; every node carries its kind."""
    return json.dumps(_encode(plan))


def plan_from_json(text: str) -> Plan | TwigPlan:
    """The plan that `plan_to_json` wrote."""
    try:
        raw = json.loads(text)
        version, known = raw["version"], _VERSIONS.get(raw["kind"], VERSION)
    except (ValueError, TypeError, KeyError) as error:
        raise QueryError(f"this is not a plan's JSON: {error}", hint="write one with plan_to_json") from error
    if version != known:
        raise QueryError(
            f"the plan has version {version!r}, this subiso reads version {known}",
            hint="plan the query again",
        )
    try:
        plan = _decode(raw)
    except (KeyError, TypeError) as error:
        raise QueryError(f"this is not a plan's JSON: {error}", hint="write one with plan_to_json") from error
    if not isinstance(plan, Plan | TwigPlan):
        raise QueryError("this JSON holds a part of a plan, not a plan")
    return plan


def _encode(value: Any) -> Any:
    names = getattr(value, "_fields", None) or (
        [f.name for f in fields(value)] if is_dataclass(value) else None
    )
    if names is not None:
        return {"kind": type(value).__name__, **{name: _encode(getattr(value, name)) for name in names}}
    return [_encode(v) for v in value] if isinstance(value, tuple) else value


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        node = _NODES[value["kind"]]
        return node(**{name: _decode(v) for name, v in value.items() if name != "kind"})
    return tuple(_decode(v) for v in value) if isinstance(value, list) else value
