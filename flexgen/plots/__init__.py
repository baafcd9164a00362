"""Pictures of results: datasets and result objects come in, Matplotlib figures go out.

Every function returns a `Figure` of its own and leaves the state of Matplotlib as it was, so
that it works without a display, in a thread of a server or in a notebook alike. Axes carry
units, and colours stay apart for readers who do not see all of them (Okabe and Ito 2008).
"""

from .counts import operation_counts
from .energy import energy
from .histories import deflections, time_histories
from .response import frf
from .save import save, svg_text
from .shapes import mode_shapes

__all__ = [
    "deflections",
    "energy",
    "frf",
    "mode_shapes",
    "operation_counts",
    "save",
    "svg_text",
    "time_histories",
]
