// Tests of PredicateSemantics.
