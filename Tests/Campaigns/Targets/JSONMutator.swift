// JSON texts like other ones.

import RecordFiles

/// Changes JSON as a tree of values, so that what comes out is JSON still.
struct JSONMutator {
    /// Texts that take the place of others: names that the reader knows.
    let words: [String]
    /// Numbers at their ends, and values that have a meaning of their own.
    /// Made anew each time: the leak sanitizer does not follow the marked pointers of indirect cases.
    private static var values: [JSONValue] {
        [
            .null, .bool(true), .int64(0), .int64(-1), .int64(.max), .int64(.min), .double(1e308), .double(-1e-308),
            .double(0.5), .double(1e19), .string(""), .string("é\u{301}"), .string("\u{0}"), .array([]), .object([]),
            .object([
                JSONValue.Member(key: "latitude", value: .int64(90)),
                JSONValue.Member(key: "longitude", value: .int64(-180)),
            ]),
            .object([JSONValue.Member(key: "$date", value: .double(1e17))]),
            .object([JSONValue.Member(key: "$set", value: .array([.int64(1), .null]))]),
        ]
    }

    /// The text with one value changed, or up to three; `nil` for a text that is no JSON.
    /// - Parameter text: Changes a text by its meaning, under the key that it has; `nil` for a text without one.
    func mutated(
        _ bytes: [UInt8], using generator: inout SeededGenerator,
        text: (String, String, inout SeededGenerator) -> String? = { _, _, _ in nil }
    ) -> [UInt8]? {
        guard var tree = try? JSONReader.tree(bytes) else { return nil }
        // Every change may make the rest meaningless.
        for _ in 0..<(generator.oneIn(2) ? 1 : Int.random(in: 1...3, using: &generator)) {
            var left = Int.random(in: 0..<max(1, count(tree)), using: &generator)
            tree = changed(tree, "", &left, &generator, text)
        }
        var writer = JSONWriter()
        writer.write(tree)
        return writer.bytes
    }

    /// The text with one value changed, or up to three; of what is no JSON, bytes.
    /// - Parameter key: That of texts that are predicates, which stay such.
    func mutated(_ bytes: [UInt8], predicates key: String, using generator: inout SeededGenerator) -> [UInt8] {
        let changed = mutated(bytes, using: &generator) { name, text, generator in
            guard name == key else { return nil }
            var mutator = PredicateMutator(generator)
            _ = generator.next()
            return mutator.mutated(text)
        }
        return changed ?? FileMutator.mutated(bytes, using: &generator)
    }

    private func count(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + count($1) }
        case .object(let members): members.reduce(1) { $0 + count($1.value) }
        default: 1
        }
    }

    /// The tree with its value number `left`, counted down, changed.
    private func changed(
        _ value: JSONValue, _ key: String, _ left: inout Int, _ generator: inout SeededGenerator,
        _ text: (String, String, inout SeededGenerator) -> String?
    ) -> JSONValue {
        left -= 1
        if left == -1 { return other(value, key, &generator, text) }
        switch value {
        case .array(let elements):
            return .array(elements.map { changed($0, key, &left, &generator, text) })
        case .object(let members):
            return .object(
                members.map { member in
                    JSONValue.Member(
                        key: member.key, value: changed(member.value, member.key, &left, &generator, text))
                })
        default: return value
        }
    }

    private func other(
        _ value: JSONValue, _ key: String, _ generator: inout SeededGenerator,
        _ text: (String, String, inout SeededGenerator) -> String?
    ) -> JSONValue {
        switch value {
        case .string(let old) where !generator.oneIn(6):
            return .string(
                text(key, old, &generator) ?? (generator.oneIn(2) ? old : generator.pick(words + [old])))
        case .int64(let number) where generator.oneIn(2):
            return .int64(number &+ Int64.random(in: -2...2, using: &generator))
        case .array(var elements) where !elements.isEmpty && !generator.oneIn(6):
            let place = Int.random(in: 0..<elements.count, using: &generator)
            if generator.oneIn(2) { elements.remove(at: place) } else { elements.append(elements[place]) }
            return .array(elements)
        case .object(var members) where !members.isEmpty && !generator.oneIn(6):
            let place = Int.random(in: 0..<members.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: members.remove(at: place)
            case 1: members[place].key = generator.pick(words)
            default: members.append(JSONValue.Member(key: generator.pick(words), value: members[place].value))
            }
            return .object(members)
        default: return generator.pick(Self.values)
        }
    }
}
