"""The entry point for MLflow, which loads it with every registry: what does the work is imported when an address asks for it."""

from __future__ import annotations

from typing import Any, Optional


def registry_store(store_uri: str, tracking_uri: Optional[str] = None) -> Any:
    """The store behind `unskew+http://...`: see `unskew.mlflow`."""
    from . import mlflow

    return mlflow.registry_store(store_uri, tracking_uri)
