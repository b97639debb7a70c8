// Arguments that do not fit: the placeholder is at fault, and what helps is told.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct ArgumentPlaceTests {
    private static let schema = RecordSchema(
        recordType: "T",
        fields: [.init(name: "n", type: .int64), .init(name: "tags", type: .list(.string))])

    /// A predicate with a key path as its argument, the kind of error and the part of the predicate that is at fault.
    static let keyPaths: [(text: String, path: String, kind: BindingError.Kind, part: String)] = [
        ("n == 1 AND %K == 1", "nope", .unknownField, "%K"), ("n == 1 AND %K == 1", "nope.a", .unknownField, "%K"),
        ("n == 1 AND %K == 1", "n.foo", .typeMismatch, "%K"), ("n == 1 AND %K == 1", "tags.foo", .typeMismatch, "%K"),
        ("n == 1 AND %K == 1", "n.@sum.self", .typeMismatch, "%K"),
        ("n == 1 AND %K == 1", "a..b", .invalidKeyPath, "%K"), ("n == 1 AND tags.%K == 1", "", .invalidKeyPath, "%K"),
        // Other steps behind the path, and the path behind others.
        ("n == 1 AND %K[0] == 1", "n.foo", .typeMismatch, "%K"), ("n == 1 AND %K[0] == 1", "n", .typeMismatch, "[0]"),
        ("n == 1 AND SELF.%K == 1", "n.foo", .typeMismatch, "%K"),
        ("n == 1 AND SELF.%K == 1", "nope.foo", .unknownField, "%K"),
        ("n == 1 AND tags.%K == 1", "foo", .typeMismatch, "%K"),
        // What follows has its own place again.
        ("%K == 1 AND nope == 1", "n", .unknownField, "nope"),
    ]

    @Test(arguments: keyPaths)
    func keyPath(text: String, path: String, kind: BindingError.Kind, part: String) throws {
        let tree = try SyntaxTree(parsing: text)
        let error = #expect(throws: BindingError.self) {
            try Binder(schema: Self.schema).bind(tree, arguments: [.string(path)])
        }
        #expect(error?.kind == kind, "\(String(describing: error))")
        #expect(error.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) } == part)
    }

    private static let quoted = "a placeholder between quotes is text and takes no argument"
    private static let missing = "give one value for each placeholder"
    private static let bounds = "write BETWEEN {low, high}"

    static let hints: [(text: String, arguments: [FieldValue], hint: String)] = [
        ("a == '%@'", [1], quoted), ("a == %@", [1, 2], quoted), ("a == %@", [], missing),
        ("a == %@ AND b == %@", [1], missing), ("5 BETWEEN %@", [[1]], bounds), ("a BETWEEN %@", [[1, 2, 3]], bounds),
    ]

    @Test(arguments: hints) func hint(text: String, arguments: [FieldValue], hint: String) throws {
        let tree = try SyntaxTree(parsing: text)
        let error = #expect(throws: BindingError.self) { try Binder().bind(tree, arguments: arguments) }
        #expect(error?.hint == hint, "\(String(describing: error))")
    }

    /// How a number is laid out, and how large it is in C, changes nothing; the letter says whether it is whole.
    @Test(arguments: [("%+d", "5"), ("%-5d", "5"), ("%05ld", "5"), ("%@", "5"), ("%+.2f", "5.0"), ("%f", "5.0")])
    func layoutsOfNumbers(_ placeholder: String, _ value: String) throws {
        let predicate = try RecordPredicate(format: "a == \(placeholder)", arguments: [5])
        #expect(predicate.description == "a == \(value)")
    }
}
