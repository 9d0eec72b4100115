"""Release: checks that a release is complete and works, and builds it. Nothing is published."""
