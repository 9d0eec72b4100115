"""The queue: the pools that people judge, what a judge sees next, and how far all judges are."""
