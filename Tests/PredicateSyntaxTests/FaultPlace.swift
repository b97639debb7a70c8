// What is said of a text that is no predicate, and of which part of it.

import PredicateSyntax
import Testing

/// A text, the place of its fault in scalars, the message, and how the hint begins; none where it is nil.
typealias FaultPlace = (text: String, place: Range<Int>, message: String, hint: String?)

func check(_ fault: FaultPlace, _ kind: SyntaxError.Kind) throws {
    let error = try #require(syntaxError(fault.text))
    let source = SourceText(fault.text)
    let (start, end) = (error.span.range.lowerBound, error.span.range.upperBound)
    #expect(error.kind == kind)
    #expect(source.scalarOffset(ofByte: start)..<source.scalarOffset(ofByte: end) == fault.place)
    #expect(error.message == fault.message)
    if let hint = fault.hint {
        #expect(error.hint?.hasPrefix(hint) == true, "\(error.hint ?? "no hint")")
    } else {
        #expect(error.hint == nil)
    }
}
