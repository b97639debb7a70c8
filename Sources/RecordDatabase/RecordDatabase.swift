// The public library: re-exports the vocabulary of the inner modules. Of the syntax, which is a product of its own,
// only what signatures here name.

@_exported public import Geospatial
@_exported public import PredicateSemantics
@_exported public import QueryFrontEnds
@_exported public import RecordFiles
@_exported public import RecordModel

@_exported public import struct PredicateSyntax.ComparisonOptions
@_exported public import enum PredicateSyntax.Dialect
@_exported public import struct PredicateSyntax.SourceSpan
@_exported public import struct PredicateSyntax.SourceText
@_exported public import struct PredicateSyntax.SyntaxError
@_exported public import struct TextAnalysis.TextAnalyzer
@_exported public import enum TextAnalysis.TextLanguage
