"""The documentation site: Markdown pages, and a reference generated from the code at build time."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

import reference_pages

import coactor

HERE = Path(__file__).parent
project = "coactor"
author = "the coactor authors"
project_copyright = "2026, the coactor authors"
version = release = coactor.__version__

extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
smartquotes = False
source_suffix = {".md": "markdown"}
exclude_patterns = ["results/tables/*", "__pycache__"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath", "attrs_block"]
myst_heading_anchors = 3
suppress_warnings = [
    "myst.header",  # generated tables begin below the first level
    "ref.python",  # names such as `weights` belong to several classes
]

autosummary_generate = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_use_param = False  # one entry describes several parameters
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 90

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "coactor"
html_logo = "images/icon.svg"
html_favicon = "images/icon.svg"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "coactor"},
    "show_toc_level": 2,
    "navbar_center": [],  # every page is in the sidebar
    "navigation_with_keys": False,
    "secondary_sidebar_items": {  # results have wide tables and no list of sections
        pattern: ["page-toc"] for pattern in ("[!r]*", "[!r]*/**", "reference/**")
    },
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"**": ["globaltoc.html"]}


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", lambda _: reference_pages.write(HERE / "reference" / "generated"))
    app.connect("autodoc-process-docstring", reference_pages.plain_docstring, priority=100)
