"""Zstandard, which Python has included since 3.14."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd
