// `words`: megabytes of text a second cut into folded words, beside ICU's boundaries alone.

import CICU
import RecordDatabase
import TextAnalysis

/// Times the tokenizer on the texts of a field.
enum WordsSuite: Suite {
    static let name = "words"
    static let summary = """
        --data FILE --field FIELD [--where PREDICATE] [--budget MS]: texts of a field cut into folded words, and by ICU alone
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["data", "field", "where", "budget"])
        guard let path = options["data"], let field = options["field"] else {
            throw UsageError(description: "words needs --data FILE and --field FIELD")
        }
        let budget = Double(try options.count("budget", default: 1000)) / 1000
        let texts = try texts(field, of: path, where: options["where"] ?? "TRUEPREDICATE")
        guard !texts.isEmpty else { throw UsageError(description: "no record has a text in \(field)") }
        let bytes = texts.reduce(0) { $0 + $1.utf8.count }
        print(Machine.current().line)
        print("\(texts.count.separated) texts, \(bytes.separated) bytes")
        var table = TextTable(["tokenizer", "words", "MB/s", "MB/CPU-s", "runs"])
        var expected: Int?
        func add(_ name: String, _ count: () throws -> Int) throws {
            var words = 0
            let time = try Measurement.of(budget: budget) { words = try count() }
            table.add([
                name, words.separated, (Double(bytes) / time.median / 1e6).figure,
                (Double(bytes) / time.processor / 1e6).figure, time.runs.separated,
            ])
            guard words == expected ?? words else {
                throw WrongResult(description: "\(name) found \(words) words, not \(expected ?? 0)")
            }
            expected = words
        }
        for (name, options) in [
            ("ours, folded", TextOptions([.caseInsensitive, .diacriticInsensitive])), ("ours, as written", []),
        ] {
            let tokenizer = Tokenizer(options: options)
            try add(name) {
                var words = 0
                for text in texts {
                    tokenizer.forEachToken(in: text.utf8.span) { _, _, _ in
                        words += 1
                        return true
                    }
                }
                return words
            }
        }
        let units = texts.map { Array($0.utf16) }
        try add("ICU's boundaries in UTF-16, nothing else") { try units.reduce(0) { try $0 + wordCount($1) } }
        print(table.text)
    }

    private static func texts(_ field: String, of path: String, where predicate: String) throws -> [String] {
        let records = try RecordSet(contentsOf: path)
        return try records.prepare(try RecordPredicate(format: predicate)).records().compactMap { record in
            if case .string(let text)? = record.fields[field] { text } else { nil }
        }
    }

    /// ICU's breaker, opened once.
    nonisolated(unsafe) private static let breaker: OpaquePointer? = {
        var breaker: OpaquePointer?
        // SAFETY: the seam writes one pointer, or nil where it fails.
        return unsafe cicu_word_breaker_open(&breaker) <= 0 ? breaker : nil
    }()

    private static func wordCount(_ units: [UInt16]) throws -> Int {
        guard let breaker = unsafe breaker else { throw WrongResult(description: "ICU has no word boundaries") }
        return unsafe units.withUnsafeBufferPointer { units in
            // SAFETY: the text outlives all calls, and each writes at most as many pairs as there is room for.
            _ = unsafe cicu_breaker_set_text(breaker, units.baseAddress, Int32(truncatingIfNeeded: units.count))
            var words = 0
            return unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 512) { pairs in
                while case let found = Int(unsafe cicu_breaker_next_words(breaker, pairs.baseAddress, 256)), found > 0 {
                    words += found
                }
                return words
            }
        }
    }
}
