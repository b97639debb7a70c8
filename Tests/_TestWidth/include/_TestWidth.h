// Nothing is called: linking this is what counts.
