// Predicates of fields that get other names: the record's own, and those behind references.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct RenamingTests {
    /// What becomes of a predicate where the record's field `a` is called `b`.
    static let fields: [(text: String, arguments: [FieldValue], renamed: String, kept: [FieldValue])] = [
        ("a == 1 AND x.a == 2", [], "b == 1 AND x.a == 2", []),
        ("NOT (a == 1 OR x == a)", [], "NOT (b == 1 OR x == b)", []),
        ("SELF.a == 1", [], "SELF.b == 1", []), ("a.a == 1", [], "b.a == 1", []), ("x[a] == 1", [], "x[b] == 1", []),
        ("SUBQUERY(a, $x, $x.a == a).@count > 0", [], "SUBQUERY(b, $x, $x.a == b).@count > 0", []),
        ("@max.a.price > 1", [], "@max.b.price > 1", []), ("SELF.@sum.a.a > 1", [], "@sum.b.a > 1", []),
        ("SELF.x.@sum.a > 1", [], "SELF.x.@sum.a > 1", []), ("@count == a", [], "@count == b", []),
        ("ANY a.@max.a > 1", [], "ANY b.@max.a > 1", []), ("a IN {a, 'a', $a}", [], "b IN {b, \"a\", $a}", []),
        ("TERNARY(a == 1, a, -a) == CAST(a, 'NSNumber')", [], "TERNARY(b == 1, b, -b) == CAST(b, \"NSNumber\")", []),
        ("length(a) > sum(a, 1)", [], "length(b) > sum(b, 1)", []), ("aa == 'a'", [], "aa == \"a\"", []),
        ("%K == %@", ["a", 5], "b == %@", [5]),
        ("%K == %@ AND %K > %d", ["a.c", 5, "x", 6], "b.c == %@ AND x > %d", [5, 6]),
        ("x.%K == 1", ["a"], "x.a == 1", []), ("%K.%K == 1", ["a", "a"], "b.a == 1", []),
    ]

    @Test(arguments: fields)
    func ofARecord(text: String, arguments: [FieldValue], renamed: String, kept: [FieldValue]) throws {
        let predicate = try RecordPredicate(format: text, arguments: arguments).renamingField("a", to: "b")
        #expect(predicate.text == renamed && predicate.arguments == kept)
        #expect(try predicate.validated().renamingField("a", to: "c").text == renamed)
    }

    /// What becomes of a predicate where every key behind the first gets a 2, and the keys that were asked about.
    static let paths: [(text: String, renamed: String, asked: [[String]])] = [
        ("owner == 1 AND name == 'x'", "owner == 1 AND name == \"x\"", []),
        ("owner.name == 'x'", "owner.name2 == \"x\"", [["owner", "name"]]),
        ("SELF.owner.name == 1", "SELF.owner.name2 == 1", [["owner", "name"]]),
        ("owner.boss.name == a.b", "owner.boss2.name2 == a.b2", [["owner", "boss", "name"], ["a", "b"]]),
        ("items.@sum.price > 1", "items.@sum.price2 > 1", [["items", "price"]]),
        ("owner[0].name == x[a.b]", "owner[0].name2 == x[a.b2]", [["owner", "name"], ["a", "b"]]),
        (
            "SUBQUERY(friends, $f, $f.name == a.b).@count > 0", "SUBQUERY(friends, $f, $f.name2 == a.b2).@count > 0",
            [["friends", "name"], ["a", "b"]]
        ),
        (
            "SUBQUERY(friends, $f, SUBQUERY($f.pets, $p, $p.name == 1).@count > 0).@count > 0",
            "SUBQUERY(friends, $f, SUBQUERY($f.pets2, $p, $p.name2 == 1).@count > 0).@count > 0",
            [["friends", "pets"], ["friends", "pets", "name"]]
        ),
        ("$v.name == 1", "$v.name == 1", []),
    ]

    @Test(arguments: paths.indices) func behindReferences(_ number: Int) throws {
        let (text, renamed, asked) = Self.paths[number]
        var seen: [[String]] = []
        let predicate = try RecordPredicate(format: text).renamingPaths { keys in
            seen.append(keys)
            return keys.map { $0 + "2" }
        }
        #expect(predicate.text == renamed)
        // Each path is asked about by the names before; that one key alone may be asked about says nothing.
        #expect(Set(seen.filter { $0.count > 1 }) == Set(asked))
    }

    @Test func pathsOfArguments() throws {
        let predicate = try RecordPredicate(format: "%K.%K == %@ AND %K == 1", arguments: ["owner", "name", 7, "a.b"])
        let renamed = predicate.renamingPaths { $0.map { $0 + "2" } }
        #expect(renamed.text == "owner.name2 == %@ AND a.b2 == 1" && renamed.arguments == [7])
    }
}
