"""The evidence pack: what runs stored, laid out along the standards a reader asks for, with a place for a person's part."""

from __future__ import annotations
