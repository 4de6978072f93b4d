"""Blocks of a few rows, so that small problems need several of them."""

import pytest


@pytest.fixture(params=["one block", "many blocks"])
def block_sizes(request, monkeypatch):
    products = pytest.importorskip("sgpmic_cli.model.device.products", exc_type=ImportError)
    if request.param == "many blocks":
        monkeypatch.setattr(products, "STRIP", 7)
        monkeypatch.setattr(products, "HOST_BYTES", 1)
