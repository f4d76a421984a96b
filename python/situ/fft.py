"""Fourier transforms of any length: the fft extension of the array API."""
from ._made.fft import *  # noqa: F401,F403
