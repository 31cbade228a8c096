"""pygal, which draws the charts, without what it leaves behind in the interpreter."""

from __future__ import annotations

import sys

import pygal
from pygal.config import Config
from pygal.graph.bar import Bar
from pygal.graph.horizontalbar import HorizontalBar
from pygal.graph.line import Line
from pygal.graph.stackedbar import StackedBar
from pygal.style import Style

__all__ = ["Bar", "Config", "HorizontalBar", "Line", "StackedBar", "Style"]

# Its finder for plugins with maps is of a kind that Python 3.12 no longer asks, and that older ones warn of
# at every import that follows. Nothing here needs it.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]
