"""Matrix products of SciPy's BLAS that let other threads run meanwhile.

`scipy.linalg.blas` holds Python's lock while it computes, so that threads wait for each other. Here large products call
the same routines, with the same result to the last bit, by the pointers that SciPy has for Cython; ctypes lets go of
the lock. Small ones, where that would cost more than it saves, go the usual way. Arguments are those of
`scipy.linalg.blas`, of which the ones used here are understood; arrays that are written to must be in Fortran order.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import blas, cython_blas

from sgpmic_cli._typing import Array

LARGE = 1 << 15  # multiplications, some ten microseconds

# All arguments are pointers: to a letter, a whole number, a double, an array.
_POINTERS: dict[str, Any] = {
    "c": ctypes.c_char_p,
    "i": ctypes.POINTER(ctypes.c_int),
    "d": ctypes.POINTER(ctypes.c_double),
    "a": ctypes.c_void_p,
}


def _routine(name: str, arguments: str) -> Callable[..., None]:
    pointer, called = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    called.restype, called.argtypes = ctypes.c_char_p, [ctypes.py_object]
    capsules: dict[str, Any] = dict(cython_blas.__pyx_capi__)
    capsule = capsules[name]
    return ctypes.CFUNCTYPE(None, *(_POINTERS[kind] for kind in arguments))(
        pointer(capsule, called(capsule))
    )


_dgemm = _routine("dgemm", "cciiidaiaidai")
_dsyrk = _routine("dsyrk", "cciidaidai")
_dsymm = _routine("dsymm", "cciidaiaidai")
_dtrmm = _routine("dtrmm", "cccciidaiai")
_dtrsm = _routine("dtrsm", "cccciidaiai")


def dgemm(
    alpha: float,
    a: Array,
    b: Array,
    beta: float = 0.0,
    c: Array | None = None,
    *,
    trans_a: bool = False,
    trans_b: bool = False,
    overwrite_c: bool = False,
) -> Array:
    """alpha op(a) op(b) + beta c."""
    m, k = a.shape[::-1] if trans_a else a.shape
    n = b.shape[0] if trans_b else b.shape[1]
    if m * n * k < LARGE or not (c is None or overwrite_c):
        return np.asarray(blas.dgemm(alpha, a, b, beta, c, trans_a, trans_b, overwrite_c))
    a, b, c = (
        np.asfortranarray(a),
        np.asfortranarray(b),
        np.zeros((m, n), order="F") if c is None else _writable(c),
    )
    flags = _flag(trans_a, b"TN"), _flag(trans_b, b"TN")
    _dgemm(*flags, _i(m), _i(n), _i(k), _d(alpha), *_of(a), *_of(b), _d(beta), *_of(c))
    return c


def dsyrk(
    alpha: float,
    a: Array,
    beta: float = 0.0,
    c: Array | None = None,
    *,
    lower: bool = False,
    overwrite_c: bool = False,
) -> Array:
    """alpha a a' + beta c, one triangle of it."""
    n, k = a.shape
    if n * n * k < LARGE or not (c is None or overwrite_c):
        return np.asarray(blas.dsyrk(alpha, a, beta, c, lower=lower, overwrite_c=overwrite_c))
    a, c = np.asfortranarray(a), np.zeros((n, n), order="F") if c is None else _writable(c)
    _dsyrk(
        _flag(lower, b"LU"),
        _flag(False, b"TN"),
        _i(n),
        _i(k),
        _d(alpha),
        *_of(a),
        _d(beta),
        *_of(c),
    )
    return c


def dsymm(
    alpha: float,
    a: Array,
    b: Array,
    beta: float = 0.0,
    c: Array | None = None,
    *,
    lower: bool = False,
    overwrite_c: bool = False,
) -> Array:
    """alpha a b + beta c, with one triangle of the symmetric a."""
    m, n = b.shape
    if m * m * n < LARGE or not (c is None or overwrite_c):
        return np.asarray(blas.dsymm(alpha, a, b, beta, c, lower=lower, overwrite_c=overwrite_c))
    a, b, c = (
        np.asfortranarray(a),
        np.asfortranarray(b),
        np.zeros((m, n), order="F") if c is None else _writable(c),
    )
    flags = _flag(False, b"RL"), _flag(lower, b"LU")
    _dsymm(*flags, _i(m), _i(n), _d(alpha), *_of(a), *_of(b), _d(beta), *_of(c))
    return c


def dtrmm(
    alpha: float,
    a: Array,
    b: Array,
    *,
    lower: bool = False,
    trans_a: bool = False,
    overwrite_b: bool = False,
) -> Array:
    """alpha op(a) b for a triangular a."""
    return _triangular(_dtrmm, blas.dtrmm, alpha, a, b, lower, trans_a, overwrite_b)


def dtrsm(
    alpha: float,
    a: Array,
    b: Array,
    *,
    lower: bool = False,
    trans_a: bool = False,
    overwrite_b: bool = False,
) -> Array:
    """alpha op(a)^-1 b for a triangular a."""
    return _triangular(_dtrsm, blas.dtrsm, alpha, a, b, lower, trans_a, overwrite_b)


def _triangular(
    large: Callable[..., None],
    small: Callable[..., Any],
    alpha: float,
    a: Array,
    b: Array,
    lower: bool,
    trans_a: bool,
    overwrite_b: bool,
) -> Array:
    m, n = b.shape
    if m * m * n < LARGE:
        return np.asarray(small(alpha, a, b, lower=lower, trans_a=trans_a, overwrite_b=overwrite_b))
    a, b = np.asfortranarray(a), np.array(b, order="F", copy=None if overwrite_b else True)
    flags = _flag(False, b"RL"), _flag(lower, b"LU"), _flag(trans_a, b"TN"), _flag(False, b"UN")
    large(*flags, _i(m), _i(n), _d(alpha), *_of(a), *_of(b))
    return b


_i, _d = ctypes.c_int, ctypes.c_double


def _flag(on: bool, letters: bytes) -> bytes:
    return letters[:1] if on else letters[1:]


def _of(matrix: Array) -> tuple[Any, Any]:
    """A matrix in Fortran order, and the length of its columns."""
    return matrix.ctypes.data, _i(max(1, matrix.shape[0]))


def _writable(matrix: Array) -> Array:
    if not (matrix.flags.f_contiguous and matrix.flags.writeable and matrix.dtype == np.float64):
        raise ValueError("the result goes into a writable matrix of doubles in Fortran order")
    return matrix
