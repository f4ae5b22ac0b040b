"""jaxlib's own reader and printer of HLO text, in a process of its own.

It ends the process on some texts that it should refuse; the caller gets an error then, which
does not tell on which of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from sdykit import hlo
from sdykit.hlo.verify import verify

_PROGRAM = """
import json, sys
from jaxlib import _hlo
texts, canonical = json.load(sys.stdin)
options = _hlo.HloPrintOptions.canonical() if canonical else _hlo.HloPrintOptions()
options.print_large_constants = True
def reprinted(text):
    try:
        return _hlo.hlo_module_from_text(text).to_string(options)
    except RuntimeError as error:
        return f"refused: {error}"
json.dump([reprinted(text) for text in texts], sys.stdout)
"""


def reprinted(texts: Sequence[str], *, canonical: bool = False) -> list[str]:
    """Return texts, which the verifier accepts, as XLA reads and prints them.

    The result is `refused: ...` for a text that it does not read. With `canonical`, instructions
    are numbered instead of named, and computations that starts wrap are printed where they are
    called.
    """
    assert [error for text in texts for error in verify(hlo.read(text))] == []
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps([list(texts), canonical]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
