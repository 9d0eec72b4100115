"""Images and other files of a benchmark, and the layouts of image–caption sets."""
