"""The JSON API: the records of its endpoints, their functions, and their routes."""
