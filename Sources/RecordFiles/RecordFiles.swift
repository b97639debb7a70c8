// Records from files.
