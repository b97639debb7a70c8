// Tests of PredicateSyntax.
