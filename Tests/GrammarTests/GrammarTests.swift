// Tests of Grammar.
