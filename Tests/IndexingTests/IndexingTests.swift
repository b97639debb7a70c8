// Tests of Indexing.
