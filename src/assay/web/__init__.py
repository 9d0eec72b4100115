"""The web pages over a store: one page per file. Starlette and jinja2 are loaded when an application is made."""
