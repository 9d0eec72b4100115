"""Tools for whoever changes the source tree; nothing here is part of the library."""
