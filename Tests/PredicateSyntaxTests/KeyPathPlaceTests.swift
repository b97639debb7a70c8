// Key paths as arguments of %K: the place of each part in the argument, and what an empty key is told.

import PredicateSyntax
import Testing

@Suite("Places in key paths")
struct KeyPathPlaceTests {
    /// A path, and its parts with their places in bytes: the base first, then the steps.
    static let paths: [(text: String, parts: String)] = [
        ("a", "a 0–1"), ("ab.c", "ab 0–2, c 3–4"), ("é.x y.z", "é 0–2, x y 3–6, z 7–8"),
        ("self", "SELF 0–4"), ("SELF.a", "SELF 0–4, a 5–6"), ("a.self", "a 0–1, SELF 2–6"),
        ("items.@sum.price", "items 0–5, @sum 6–10, price 11–16"),
        // An operator at the begin is one over the record: nothing is written there.
        ("@count", "SELF 0–0, @count 0–6"), ("@id", "@id 0–3"),
        // Signs that mark a key are part of its place, and not of the key.
        ("#size.x", "size 0–5, x 6–7"), ("x.#'a.b'.c", "x 0–1, a.b 2–8, c 9–10"), ("#'a.b", "'a 0–3, b 4–5"),
        ("#", "# 0–1"), ("a.#.b", "a 0–1, # 2–3, b 4–5"),
    ]

    private static func written(_ step: PathStep) -> String {
        switch step.kind {
        case .key(let name): name
        case .collectionOperator(let operation): "@\(operation.rawValue)"
        case .selfObject: "SELF"
        case .placeholder, .index, .first, .last, .size: "another step"
        }
    }

    private static func place(_ span: SourceSpan) -> String { "\(span.lowerBound)–\(span.upperBound)" }

    @Test(arguments: paths) func parts(text: String, parts: String) throws {
        let node = try SyntaxTree.parseKeyPath(text)
        var (base, steps) = (node, [PathStep]())
        if case .path(let first, let others) = node.kind {
            (base, steps) = (first, others)
            #expect(node.span.range == 0..<text.utf8.count)
        }
        let head: String
        switch base.kind {
        case .key(let name): head = name
        case .selfObject: head = "SELF"
        default: head = "another value"
        }
        let found = ["\(head) \(Self.place(base.span))"] + steps.map { "\(Self.written($0)) \(Self.place($0.span))" }
        #expect(found.joined(separator: ", ") == parts)
    }

    /// Where a key is missing, and whether it is the first one.
    @Test(arguments: [
        ("", 0, "key expected"), (".a", 0, "key expected"), ("a..b", 2, "key expected after ."),
        ("é.", 3, "key expected after ."),
    ])
    func missingKeys(text: String, place: Int, message: String) throws {
        let error = #expect(throws: SyntaxError.self) { try SyntaxTree.parseKeyPath(text) }
        #expect(error?.message == message && error?.expected == ["key", "@operator"])
        #expect(error?.span.range == place..<place)
    }
}
