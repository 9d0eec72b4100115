"""Site: builds the documentation as web pages that load nothing from other hosts."""
