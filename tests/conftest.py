"""How much the Hypothesis tests try: `pytest --hypothesis-profile=thorough` for an hour, `sanitize` for slow builds."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "normal", max_examples=30, deadline=None, print_blob=True, suppress_health_check=_QUIET
)
settings.register_profile("thorough", settings.get_profile("normal"), max_examples=1500)
settings.register_profile("sanitize", settings.get_profile("normal"), max_examples=6)
settings.load_profile("normal")
