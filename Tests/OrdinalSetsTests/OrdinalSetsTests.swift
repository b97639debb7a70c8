// Tests of OrdinalSets.
