// Reading the fixtures, and seeded randomness for the text tests.
import Foundation
import TextAnalysis

/// The fixtures beside this file, and the larger record sets where they exist.
enum TextFixtures {
    /// Whether to run long campaigns instead of samples: set RECORD_DATABASE_THOROUGH to anything.
    static let isThorough = ProcessInfo.processInfo.environment["RECORD_DATABASE_THOROUGH"] != nil

    /// The rows of a tab-separated fixture.
    static func rows(_ name: String, file: String = #filePath) throws -> [[String]] {
        let url = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)")
        let text = try String(contentsOf: url, encoding: .utf8)
        return text.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Text from code points in hexadecimal.
    static func text(_ codePoints: String) -> String {
        String(
            String.UnicodeScalarView(
                codePoints.split(separator: " ").compactMap { code in
                    UInt32(code, radix: 16).flatMap(Unicode.Scalar.init)
                }))
    }

    /// Sentences by language: the large set where it exists, else the fixture.
    static func sentences(file: String = #filePath) throws -> [(language: String, text: String)] {
        let root = URL(fileURLWithPath: file)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let shared =
            ProcessInfo.processInfo.environment["RECORD_DATABASE_SHARED"]
            ?? root.deletingLastPathComponent().appendingPathComponent("shared").path
        let large = URL(fileURLWithPath: shared).appendingPathComponent("data/sentences/sentences.ndjson")
        guard let data = try? String(contentsOf: large, encoding: .utf8) else {
            return try rows("sentences.tsv", file: file).map { ($0[0], $0[1]) }
        }
        struct Sentence: Decodable {
            let lang: String
            let text: String
        }
        let decoder = JSONDecoder()
        return try data.split(separator: "\n").map { line in
            let sentence = try decoder.decode(Sentence.self, from: Data(line.utf8))
            return (sentence.lang, sentence.text)
        }
    }
}

/// A small generator with a seed (xorshift64*), so that failures repeat.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// Text of up to `length` pieces drawn from `pieces`.
    mutating func text(of pieces: [String], upTo length: Int) -> String {
        (0..<Int.random(in: 0...length, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }
}

extension String {
    /// The scalars in hexadecimal, for messages.
    var codePoints: String {
        unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
