"""The native core (native/bind/*.cpp). Its callers state the types of what comes back."""

from typing import Any

def __getattr__(name: str) -> Any: ...
