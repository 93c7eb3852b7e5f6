"""The unit tests of the page's JavaScript, run by node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="There is no node here; get one with: apt-get install nodejs")
def test_unit_tests_pass_in_node():
    scripts = sorted(str(path) for path in HERE.glob("*.test.js"))
    result = subprocess.run([NODE, "--test", *scripts], capture_output=True, text=True, timeout=120)
    assert scripts
    assert result.returncode == 0, result.stdout + result.stderr
