// The public library: re-exports the vocabulary of the inner modules.

@_exported public import Geospatial
@_exported public import PredicateSemantics
@_exported public import PredicateSyntax
@_exported public import QueryFrontEnds
@_exported public import RecordFiles
@_exported public import RecordModel
@_exported public import TextAnalysis
