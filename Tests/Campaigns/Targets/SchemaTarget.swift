// Schema texts from strangers: whatever they hold, the answer is a schema that writes itself or an error with its
// place.

import PredicateSyntax
import RecordDatabase

/// Reads a text in CloudKit's schema language, writes the schema, and reads that again.
enum SchemaCheck {
    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        let text = String(decoding: bytes, as: UTF8.self)
        let schema: ContainerSchema
        do throws(SyntaxError) { schema = try ContainerSchema(text: text) } catch {
            return fault(of: error, in: text).map { .finding($0) } ?? .rejected
        }
        let printed = schema.text
        do throws(SyntaxError) {
            let again = try ContainerSchema(text: printed)
            guard again == schema else { return .finding("the schema reads otherwise as it is written: \(printed)") }
            guard again.text == printed else { return .finding("the schema is written in two ways: \(printed)") }
        } catch {
            return .finding("what is written does not read: \(error) in \(printed)")
        }
        return .accepted
    }

    /// What is wrong with an error: it has a place within the text, between characters, and words; it can be shown.
    private static func fault(of error: SyntaxError, in text: String) -> String? {
        let (start, end) = (Int(error.span.lowerBound), Int(error.span.upperBound))
        guard start <= end, end <= text.utf8.count else { return "an error behind the text: \(error)" }
        for place in [start, end] {
            let index = text.utf8.index(text.utf8.startIndex, offsetBy: place)
            if index.samePosition(in: text.unicodeScalars) == nil { return "an error within a character: \(error)" }
        }
        if error.message.isEmpty { return "an error without words" }
        return SourceText(text).rendering(of: error).isEmpty ? "an error that cannot be shown: \(error)" : nil
    }

    static let seeds = [
        """
        DEFINE SCHEMA
            CREATE ROLE Editors;
            CREATE ROLE "night shift";
            RECORD TYPE Book (
                "___createTime" TIMESTAMP QUERYABLE SORTABLE, "___createdBy" REFERENCE, "___etag" STRING,
                "___modTime" TIMESTAMP, "___modifiedBy" REFERENCE, "___recordID" REFERENCE QUERYABLE,
                author REFERENCE QUERYABLE, cover ASSET, "double" DOUBLE QUERYABLE SORTABLE, notes ENCRYPTED STRING,
                pages NUMBER PREFERRED AS INT64 QUERYABLE, weight NUMBER PREFERRED AS DOUBLE,
                places LIST<LOCATION>, secrets LIST<ENCRYPTED BYTES>, tags LIST<STRING> QUERYABLE SEARCHABLE,
                title STRING QUERYABLE SEARCHABLE SORTABLE, hidden ENCRYPTED LIST<STRING>,
                GRANT READ, CREATE, WRITE TO "Editors", GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );
            RECORD TYPE Users ("___recordID" REFERENCE QUERYABLE, roles LIST<INT64>, GRANT READ TO "_world");
        """,
        "\u{FEFF}DEFINE\tSCHEMA // end\n-- a\n/* b\n */ RECORD TYPE \"Record\"(\"read\" INT64);\r\nRECORD TYPE T ();",
        "DEFINE SCHEMA RECORD TYPE T (a STRING LANGUAGE german STOP WORDS (x, \"y\") SYNONYMS ((a, b), (c, \"צה\"\"ל\")));",
        "DEFINE SCHEMA RECORD TYPE T (grant STRING, schema BYTES, GRANT READ, READ TO r, GRANT WRITE TO r);",
    ]

    private static let pieces = [
        "DEFINE", "SCHEMA", "CREATE", "ROLE", "RECORD", "TYPE", "GRANT", "READ", "WRITE", "TO", "QUERYABLE", "SORTABLE",
        "SEARCHABLE", "ENCRYPTED", "LIST", "NUMBER", "PREFERRED", "AS", "ASSET", "BYTES", "DOUBLE", "INT64", "LOCATION",
        "REFERENCE", "STRING", "TIMESTAMP", "(", ")", ",", ";", "<", ">", "\"", "\"\"", "\"a b\"", "\"é\"", "\"_x\"",
        "_x",
        "___etag", "\"___recordID\"", "\"_creator\"", "a", "A", "1", "a1", "recordID", "creationDate", "grant", "/*",
        "*/",
        "//", "--", "\n", "\r", "\u{0}", "é", "“", "\u{FEFF}", "LIST<LIST<", "ENCRYPTED LIST<ENCRYPTED",
        "RECORD TYPE T (a STRING);", "LANGUAGE english", "STOP WORDS (a, \"b\")", "SYNONYMS ((a, b), (c))",
        "CREATE ROLE r;", "GRANT READ TO r", "\"\u{301}\"", "\\", "\t",
    ]

    private static let types = ["DOUBLE", "INT64", "LOCATION", "REFERENCE", "STRING", "TIMESTAMP", "BYTES", "ASSET"]
    private static let options = ["QUERYABLE", "SORTABLE", "SEARCHABLE"]

    /// A text like another one. Most keep the form: words become others of their kind, options and comments come and
    /// go.
    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var parts = parts(of: bytes)
        if generator.oneIn(3) {
            for _ in 0..<Int.random(in: 1...4, using: &generator) { disturb(&parts, &generator) }
        } else {
            for _ in 0..<Int.random(in: 1...4, using: &generator) { vary(&parts, &generator) }
        }
        return Array(parts.joined())
    }

    /// Puts a word of its kind in the place of a word.
    private static func vary(_ parts: inout [[UInt8]], _ generator: inout SeededGenerator) {
        guard !parts.isEmpty else { return }
        let place = Int.random(in: 0..<parts.count, using: &generator)
        let word = String(decoding: parts[place], as: UTF8.self)
        if options.contains(word) {
            parts[place] = []
        } else if ["READ", "WRITE", "CREATE"].contains(word), place + 2 < parts.count,
            parts[place + 2] != Array("ROLE".utf8)
        {
            parts[place] = Array(generator.pick(["READ", "WRITE", "CREATE", "READ, CREATE"]).utf8)
        } else if types.contains(word) {
            parts[place] = Array(generator.pick(types + ["STRING QUERYABLE", "INT64 SORTABLE"]).utf8)
        } else if word == " " || word == "\n" {
            parts[place] = Array(generator.pick([" ", "\n", "\t", " /* x */ ", " // y\n", "--\"\n"]).utf8)
        } else if word.utf8.contains(where: { (0x61...0x7A).contains($0) }), !word.hasPrefix("_") {
            let number = Int.random(in: 0..<100, using: &generator)
            parts[place] = Array(generator.pick(["n\(number)", "Type\(number)", "N_\(number)", word + word]).utf8)
        }
    }

    /// Takes words and signs out, repeats, exchanges or puts in some.
    private static func disturb(_ parts: inout [[UInt8]], _ generator: inout SeededGenerator) {
        let place = Int.random(in: 0...parts.count, using: &generator)
        let end = min(parts.count, place + Int.random(in: 0...6, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: parts.removeSubrange(place..<end)
        case 1: parts.insert(contentsOf: parts[place..<end], at: place)
        case 2: parts.insert(Array(generator.pick(pieces).utf8), at: place)
        case 3, 4: if place < end { parts[place] = Array(generator.pick(pieces).utf8) }
        case 5: if place < end { parts[place] = generator.pick(parts) }
        default:
            if place < end, !parts[place].isEmpty {
                let index = Int.random(in: 0..<parts[place].count, using: &generator)
                parts[place][index] = UInt8.random(in: 0...255, using: &generator)
            }
        }
    }

    /// Words, and all other bytes one by one.
    private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var isInWord = false
        for byte in bytes {
            let isWord =
                byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x5F
            if isWord, isInWord { parts[parts.count - 1].append(byte) } else { parts.append([byte]) }
            isInWord = isWord
        }
        return parts
    }
}

extension FuzzTarget {
    static let schema = FuzzTarget(
        name: "schema", summary: "schema texts: read, written, read again, errors with their places",
        run: { SchemaCheck.run($0) }, seeds: { SchemaCheck.seeds.map { Array($0.utf8) } },
        mutated: { SchemaCheck.mutated($0, &$1) })
}
