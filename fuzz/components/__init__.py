"""One file for each subject; its COMPONENTS are found without a list."""
