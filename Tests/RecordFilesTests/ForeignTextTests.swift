// Texts as other programs write them: two bytes for each unit, and numbers that JSON does not have.

import Foundation
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct ForeignTextTests {
    /// Characters of every first byte and of every second one, and some of those that two units have.
    private static let text: String = {
        let scalars =
            Array(0..<0x100) + stride(from: 0x100, to: 0x1_0000, by: 0xFF)
            + [0xD7FF, 0xE000, 0xFFFF] + stride(from: 0x1_0000, to: 0x11_0000, by: 0x3FFF)
        return String(String.UnicodeScalarView(scalars.compactMap { Unicode.Scalar(UInt32($0)) }))
    }()

    /// Foundation writes the bytes that are read here, in pieces that end anywhere.
    @Test(arguments: [1, 2, 3, 4096, .max], [true, false])
    func bothOrdersOfBytes(pieceSize: Int, isLittleEndian: Bool) throws {
        let data = try #require(Self.text.data(using: isLittleEndian ? .utf16LittleEndian : .utf16BigEndian))
        let encoding: ForeignEncoding = isLittleEndian ? .utf16LittleEndian : .utf16BigEndian
        var (found, rest): ([UInt8], [UInt8]) = ([], [])
        var left = ArraySlice(data)
        while !left.isEmpty {
            found += encoding.utf8(left.prefix(pieceSize), &rest)
            left = left.dropFirst(pieceSize)
        }
        #expect(rest.isEmpty)
        #expect(found == Array(Self.text.utf8))
    }

    /// Files in both orders, with a mark at the front and without one.
    @Test(arguments: [[0xFF, 0xFE], [0xFE, 0xFF], []] as [[UInt8]], [true, false])
    func filesInBothOrders(mark: [UInt8], isLittleEndian: Bool) throws {
        guard mark.isEmpty || (mark[0] == 0xFF) == isLittleEndian else { return }
        let line = #"{"id":"é","t":"ÿĀ€ 𝄞"}"# + "\n"
        let data = try #require(line.data(using: isLittleEndian ? .utf16LittleEndian : .utf16BigEndian))
        let loaded = try load(mark + data)
        #expect(loaded.report.notes == ["f.ndjson: read as \(isLittleEndian ? "UTF-16" : "UTF-16, big-endian")"])
        let records = loaded.records
        try #require(records.count == 1)
        #expect(records[0].record.id.recordName == "é" && records[0]["t"] == "ÿĀ€ 𝄞")
    }

    @Test(
        "Letters that begin as byte order marks do are read",
        arguments: [
            ("þorp", String.Encoding.windowsCP1252), ("ÿorp", .windowsCP1252), ("þorp", .utf16LittleEndian),
            ("ÿorp", .utf16LittleEndian), ("þorp", .utf16BigEndian), ("þorp", .utf8),
        ])
    func lettersLikeMarks(title: String, encoding: String.Encoding) throws {
        let data = try #require("\(title),b\n1,x\n".data(using: encoding))
        let records = try load(Array(data), name: "f.csv").records
        try #require(records.count == 1)
        #expect(records[0][title] == 1 && records[0]["b"] == "x")
    }

    @Test("A file in UTF-16 that ends within a character is an error", arguments: [[0x0A], [0x34, 0xD8]] as [[UInt8]])
    func textsThatAreCutOff(end: [UInt8]) throws {
        let data = try #require("a,b\n1,x\n".data(using: .utf16LittleEndian))
        let error = #expect(throws: FileError.self) { _ = try load(Array(data) + end, name: "f.csv") }
        #expect(error?.kind == .encoding && error?.message.contains("ends within a character") == true)
        // It is no fault of a record that could be left out.
        let again = #expect(throws: FileError.self) {
            _ = try load(Array(data) + end, name: "f.csv") { $0.skipBadLines = true }
        }
        #expect(again?.kind == .encoding)
    }

    @Test(arguments: [("Infinity", Double.infinity), ("-Infinity", -.infinity), ("NaN", .nan), ("-0.0", -0.0)])
    func numbersThatJSONDoesNotHave(_ text: String, _ number: Double) throws {
        for written in ["{\"v\":\(text)}\n{\"v\": \(text) }", "[{\"v\":\(text)},\n {\"v\": \(text)}]"] {
            let records = try load(written, name: "f").records
            try #require(records.count == 2)
            for value in [records[0]["v"], records[1]["v"]] {
                guard case .double(let found) = value else {
                    Issue.record("\(value)")
                    continue
                }
                #expect(found == number && found.sign == number.sign || found.isNaN && number.isNaN)
            }
        }
    }
}
