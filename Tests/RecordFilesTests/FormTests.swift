// What a file is, by its name and its first bytes, and what its bytes may be.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct FormTests {
    @Test(
        "The ending of a name tells the form, before that of compression",
        arguments: [
            ("f.tsv", true), ("f.tab", true), ("f.TSV", true), ("f.tsv.gz", true), ("f.tab.zst", true),
            ("f.csv", false),
            ("f.CSV", false), ("f.csv.gz", false), ("f.txt", false), ("tsv", false), ("f.tsv.txt", false),
        ])
    func endings(name: String, isOfTabs: Bool) throws {
        let record = try load("a,b\tc\n1,2\t3\n", name: name).records[0]
        #expect(record[isOfTabs ? "c" : "a"] == (isOfTabs ? 3 : 1), "\(name)")
        #expect(record[isOfTabs ? "a,b" : "b\tc"] == (isOfTabs ? "1,2" : "2\t3"), "\(name)")
    }

    @Test(
        "Files of other programs are told, with what reads them",
        arguments: [
            ("f.xlsx", "a workbook of a spreadsheet", "libreoffice --convert-to csv f.xlsx"),
            ("f.ods", "a workbook of a spreadsheet", "libreoffice --convert-to csv f.ods"),
            ("f.zip", "a zip archive", "unzip -p f.zip | predicate"),
            ("-", "a zip archive", "unzip -p FILE | predicate"),
        ])
    func foreignFiles(name: String, words: String, hint: String) {
        let error = #expect(throws: FileError.self) { try load("PK\u{3}\u{4}rest", name: name) }
        #expect(error?.kind == .malformed && error?.message.contains(words) == true && error?.hint == hint)
    }

    /// The library's own validation is another one.
    @Test("Bytes are UTF-8 where the standard library says so")
    func validBytes() {
        let seconds: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        let others: [UInt8] = [0x7F, 0x80, 0xBF, 0xC0]
        var texts: [[UInt8]] = []
        for lead in UInt8(0x7F)...0xFF {
            texts.append([lead])
            for second in seconds {
                texts.append([lead, second])
                for third in others {
                    texts.append([lead, second, third])
                    for fourth in others { texts.append([lead, second, third, fourth]) }
                }
            }
        }
        let wrong = texts.filter { bytes in
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            return bytes.withUnsafeBufferPointer { (UTF8Check.firstFault($0) == nil) != isValid }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        // The first fault is where a character begins.
        for (bytes, place) in [([0x41, 0xC3, 0xA9, 0xE2, 0x82], 3), ([0xF0, 0x9D, 0x84, 0x9E, 0x80], 4)] {
            let fault = bytes.map { UInt8($0) }.withUnsafeBufferPointer { UTF8Check.firstFault($0) }
            #expect(fault == place)
        }
    }

    @Test("Fields that are named without a value are known by the places of their records")
    func fieldsWithoutValues() throws {
        let lines = """
            {"id":"1","a":null,"b":1}
            {"id":"2","b":2}
            {"id":"3","c":null,"b":"a mixture"}
            {"id":"4","b":null,"a":null}
            {"id":"5","a":"x"}

            """
        let loaded = try load(lines) { ($0.keepsNulls, $0.skipBadLines) = (true, true) }
        let nulls = try #require(loaded.nulls)
        #expect(loaded.records.count == 4)
        #expect((0..<5).map { nulls.names(ofRecordAt: $0).sorted() } == [["a"], [], ["a", "b"], [], []])
        let cells = try load("id,a,b\n1,,x\n2,\"\",y\n3,,\n", name: "f.csv") { $0.keepsNulls = true }
        let empty = try #require(cells.nulls)
        #expect((0..<3).map { empty.names(ofRecordAt: $0).sorted() } == [["a"], [], ["a", "b"]])
        #expect(try load(lines) { $0.skipBadLines = true }.nulls == nil)
    }
}
