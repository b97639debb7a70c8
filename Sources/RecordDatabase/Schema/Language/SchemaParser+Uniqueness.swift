// Fields that are unique together, in the schema language.

import PredicateSyntax

extension SchemaParser {
    /// A part of a record type: `UNIQUE (owner, name)`.
    mutating func uniqueTogether() throws(SyntaxError) -> (keys: [String], span: SourceSpan) {
        let start = token.span
        try take(keywords: ["UNIQUE"])
        try take(sign: "(")
        var keys: [String] = []
        repeat { keys.append(try name("the name of a field").text) } while take(ifSign: ",")
        let end = token.span
        if !take(ifSign: ")") { throw unexpected([",", ")"], keywords: []) }
        return (keys, SourceSpan(start.range.lowerBound, end.range.upperBound))
    }

    /// The type with lists of fields that are unique together, which may precede the fields.
    static func adding(
        _ lists: [(keys: [String], span: SourceSpan)], to type: ContainerSchema.RecordType
    ) throws(SyntaxError) -> ContainerSchema.RecordType {
        var type = type
        for (keys, span) in lists {
            if let fault = type.fault(of: keys) {
                throw SyntaxError(.semantic, span: span, message: fault.reason, hint: fault.hint)
            }
            if type.uniqueTogether.contains(where: { Set($0) == Set(keys) }) {
                throw SyntaxError(
                    .semantic, span: span, message: "\(ContainerSchema.words(uniqueTogether: keys)) appears twice")
            }
            type.uniqueTogether.append(keys)
        }
        return type
    }
}
