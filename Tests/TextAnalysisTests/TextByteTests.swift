// Bytes of texts: scalars read forwards and backwards, ill-formed ones too, the order of bytes, and words of errors.

import Testing

@testable import TextAnalysis

@Suite("Bytes of texts")
struct TextByteTests {
    /// Bytes that are one scalar, or begin with none: those give the replacement character for one byte.
    static let scalars: [(bytes: [UInt8], value: UInt32, length: Int)] = [
        ([0x41], 0x41, 1), ([0x7F], 0x7F, 1), ([0xC2, 0x80], 0x80, 2), ([0xC3, 0xA9], 0xE9, 2),
        ([0xDF, 0xBF], 0x7FF, 2),
        ([0xE0, 0xA0, 0x80], 0x800, 3), ([0xED, 0x9F, 0xBF], 0xD7FF, 3), ([0xEE, 0x80, 0x80], 0xE000, 3),
        ([0xEF, 0xBF, 0xBF], 0xFFFF, 3), ([0xF0, 0x90, 0x80, 0x80], 0x10000, 4),
        ([0xF4, 0x8F, 0xBF, 0xBF], 0x10FFFF, 4),
        // Longer than need be, halves of pairs, beyond the last scalar, cut off.
        ([0xC1, 0xBF], 0xFFFD, 1), ([0xE0, 0x9F, 0xBF], 0xFFFD, 1), ([0xF0, 0x8F, 0xBF, 0xBF], 0xFFFD, 1),
        ([0xED, 0xA0, 0x80], 0xFFFD, 1), ([0xED, 0xBF, 0xBF], 0xFFFD, 1), ([0xF4, 0x90, 0x80, 0x80], 0xFFFD, 1),
        ([0xF5, 0x80, 0x80, 0x80], 0xFFFD, 1), ([0xC3], 0xFFFD, 1), ([0xE2, 0x82], 0xFFFD, 1), ([0x80], 0xFFFD, 1),
    ]

    @Test(arguments: scalars) func scalar(bytes: [UInt8], value: UInt32, length: Int) {
        let (first, last) = (bytes.span.scalar(at: 0), bytes.span.scalar(before: bytes.count))
        #expect(first.value == value && first.length == length)
        #expect(last.value == value && last.length == length)
        // With letters on both sides.
        let among = [0x61] + bytes + [0x62]
        let (next, previous) = (among.span.scalar(at: 1), among.span.scalar(before: 1 + bytes.count))
        #expect(next.value == value && next.length == length)
        #expect(previous.value == value && previous.length == length)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65, 100]) func firstByteBeyondASCII(count: Int) {
        let plain = [UInt8](repeating: 0x7F, count: count)
        let bytes = plain + [0x80, 0x61]
        #expect(plain.span.isASCII && !bytes.span.isASCII)
        #expect(plain.span.firstNonASCII(from: 0) == count)
        #expect(bytes.span.firstNonASCII(from: 0) == count && bytes.span.firstNonASCII(from: count) == count)
        #expect(bytes.span.firstNonASCII(from: count + 1) == count + 2)
    }

    @Test("Bytes come before greater ones, and before longer texts that begin with them")
    func order() {
        let cases: [(left: [UInt8], right: [UInt8], order: Int)] = [
            ([], [], 0), ([], [0], -1), ([1], [1], 0), ([1], [1, 0], -1), ([2], [1, 9], 1), ([0x7F], [0x80], -1),
            ([1, 2, 3], [1, 2, 4], -1), ([0xFF], [0x00], 1),
        ]
        for (left, right, order) in cases {
            #expect(left.span.order(against: right.span) == order)
            #expect(right.span.order(against: left.span) == -order)
            #expect(left.span.hasSameBytes(as: right.span) == (order == 0))
        }
    }

    /// Each kind of error, with what it says and how its hint begins.
    static let errors: [(error: PatternError, message: String, hint: String?)] = [
        (
            PatternError(kind: .invalidPattern, icuName: "U_X", offset: 0),
            "not a regular expression at character 0: ICU rejects it (U_X)", "put a backslash"
        ),
        (
            PatternError(kind: .invalidPattern, icuName: "U_REGEX_NUMBER_TOO_BIG", offset: nil),
            "not a regular expression: a number that is too big (U_REGEX_NUMBER_TOO_BIG)", "put a backslash"
        ),
        (
            PatternError(kind: .timeLimit, icuName: "U_T", offset: nil),
            "the regular expression took too many steps (U_T)", "avoid nested repetitions"
        ),
        (
            PatternError(kind: .stackLimit, icuName: "U_S", offset: nil),
            "the regular expression needed too much memory (U_S)", "avoid nested repetitions"
        ),
        (PatternError(kind: .failure, icuName: "U_F", offset: nil), "the regular expression failed (U_F)", nil),
    ]

    @Test(arguments: errors) func error(error: PatternError, message: String, hint: String?) {
        #expect(error.message == message && error.description == message)
        #expect(error.hint.map { $0.hasPrefix(hint ?? "nothing") } == hint.map { _ in true })
    }
}
