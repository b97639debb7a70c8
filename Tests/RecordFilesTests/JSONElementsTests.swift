// The texts of an array's elements, also of a document that ends early or with blanks.

import Testing

@testable import RecordFiles

@Suite struct JSONElementsTests {
    /// A document, the array's key, and the elements without blanks.
    static let cases: [(text: String, key: String?, elements: [String])] = [
        (#"[{"a": 1}, {"b" : [2, 3]}]"#, nil, [#"{"a":1}"#, #"{"b":[2,3]}"#]),
        (" [ 1 , \"x ,]\" , null ] ", nil, ["1", "\"x ,]\"", "null"]), ("[]", nil, []), (" [ ] ", nil, []),
        (#"{"type": "FeatureCollection", "features": [ {"a": "\\" }, 2 ] }"#, "features", [#"{"a":"\\"}"#, "2"]),
        (#"{"name":"x","features":[1]}"#, "features", ["1"]), (#"{"name":"x"}"#, "features", []),
        // What ends within, or with blanks, ends the elements.
        ("", nil, []), ("  ", nil, []), ("[ ", nil, []), ("[1, ", nil, ["1"]), ("[1,\n\t", nil, ["1"]),
        ("[1", nil, ["1"]),
        ("[1 ", nil, ["1"]), ("{ ", "features", []), (#"{"name" "#, "features", []), (#"{"name": "#, "features", []),
        (#"{"features": "#, "features", []), (#"{"features": [ "#, "features", []),
    ]

    @Test(arguments: cases.indices) func elementsOfADocument(_ number: Int) {
        let (text, key, expected) = Self.cases[number]
        // Just so many bytes, so that whoever reads behind them is found.
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        defer { unsafe bytes.deallocate() }
        _ = bytes.initialize(from: text.utf8)
        let document = unsafe UnsafeBufferPointer(bytes)
        var elements = unsafe JSONElements(document, in: key)
        var found: [String] = []
        while let element = unsafe elements.next(document), found.count < 10 {
            found.append(String(decoding: element, as: UTF8.self))
        }
        #expect(found == expected, "\(text)")
    }
}
