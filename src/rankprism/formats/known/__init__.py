"""The file formats that are known, one module for each family.

A new format is a new module here that registers its record. Nothing else has to name it. TREC's formats,
which most files have, are in `rankprism.formats.trec`; the modules here are loaded only for other files.
"""

import importlib
import pkgutil

# The common formats come first in help and documentation.
from rankprism.formats import trec  # noqa: F401
from rankprism.formats.format import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS, SCORE_FORMATS
from rankprism.formats.known import preference_tables  # noqa: F401

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["JUDGMENT_FORMATS", "PREFERENCE_FORMATS", "RUN_FORMATS", "SCORE_FORMATS"]
