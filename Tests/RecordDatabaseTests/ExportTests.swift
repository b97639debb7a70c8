// Records as text and back: the same records, whatever is in them.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordDatabase

@Suite struct ExportTests {
    @Test(arguments: 0..<24)
    func randomRecordsComeBack(_ seed: Int) {
        let differences = ExportCampaign.run(seed: UInt64(seed), records: seed == 0 ? 1 : 60)
        for difference in differences.prefix(5) { Issue.record("\(difference)") }
    }

    private static let forms: [(value: FieldValue, json: String, title: String, cell: String)] = [
        ("text", #""text""#, "STRING", "text"), ("", #""""#, "STRING", #""""#),
        ("2025-07-04T12:00:00Z", #"{"$string":"2025-07-04T12:00:00Z"}"#, "STRING", "2025-07-04T12:00:00Z"),
        (.int64(.max), "9223372036854775807", "INT64", "9223372036854775807"), (.double(2), "2.0", "DOUBLE", "2.0"),
        (.double(-.infinity), #"{"$double":"-Infinity"}"#, "DOUBLE", "-Infinity"),
        (.bool(true), "true", "BOOLEAN", "true"),
        (
            .date(Date(timeIntervalSinceReferenceDate: 0.25)), #""2001-01-01T00:00:00.25Z""#, "TIMESTAMP",
            "2001-01-01T00:00:00.25Z"
        ),
        (
            .date(Date(timeIntervalSinceReferenceDate: 1e19)), #"{"$date":1e+19,"since":2001}"#, "TIMESTAMP",
            #""{""$date"":1e+19,""since"":2001}""#
        ),
        (.data(Data([0, 1])), #"{"$data":"AAE="}"#, "BYTES", "AAE="),
        (
            .location(Location(latitude: 1, longitude: 2, details: .init(altitude: 3))),
            #"{"latitude":1.0,"longitude":2.0,"details":{"altitude":3.0}}"#, "LOCATION",
            #""{""latitude"":1.0,""longitude"":2.0,""details"":{""altitude"":3.0}}""#
        ),
        (
            .reference(RecordReference(recordID: Record.ID("a", zoneID: RecordZone.ID("Z")), action: .deleteSelf)),
            #"{"reference":"a","action":"deleteSelf","zone":"Z","owner":"__defaultOwner__"}"#, "REFERENCE",
            #""{""reference"":""a"",""action"":""deleteSelf"",""zone"":""Z"",""owner"":""__defaultOwner__""}""#
        ),
        (.asset(Asset(path: "p")), #"{"$asset":"p"}"#, "ASSET", #""{""$asset"":""p""}""#),
        (.list(["a"]), #"["a"]"#, "LIST<STRING>", #""[""a""]""#), (.list([]), "[]", "LIST<>", "[]"),
    ]

    @Test func everyKindHasItsForm() throws {
        for (value, json, title, cell) in Self.forms {
            let set = try RecordSet(records: [Record(type: "T", id: Record.ID("r"), fields: ["f": value])])
            #expect(
                try RecordExport(set, as: .ndjson).text() == #"{"id":"r","type":"T","f":\#(json)}"# + "\n", "\(value)")
            #expect(try RecordExport(set, as: .csv).text() == "id,type,f:\(title)\nr,T,\(cell)\n", "\(value)")
        }
    }

    @Test func keysMayNotBeFields() throws {
        let set = try RecordSet(records: [Record(type: "T", id: Record.ID("r"), fields: ["id": 1, "name": 2])])
        #expect(throws: DatabaseError.self) { try RecordExport(set, as: .csv) }
        var options = RecordExport.Options()
        options.idKey = "key"
        #expect(try RecordExport(set, as: .csv, options: options).text() == "key,type,id:INT64,name:INT64\nr,T,1,2\n")
    }

    @Test func wrongCellsOfTypedColumnsHavePlaces() {
        let cases = [
            ("n:INT64", "1.5"), ("n:INT64", "x"), ("n:DOUBLE", "NAN"), ("n:TIMESTAMP", "yesterday"), ("n:BYTES", "?"),
            ("n:BOOLEAN", "1"), ("n:LOCATION", "[1]"), ("n:LIST<STRING>", "a"), ("n:REFERENCE", "a"),
            ("n:OBJECT", "[1]"),
            ("n:ANY", "{"), ("n:LIST<INT64>", #""[""a"", 1]""#),
            ("n:LOCATION", #""{""latitude"":95,""longitude"":0}""#),
        ]
        for (title, cell) in cases {
            let text = "id,\(title)\na,\n\nb,\(cell)\n"
            let error = #expect(throws: FileError.self, "\(title) \(cell)") {
                try RecordSet(bytes: Array(text.utf8), name: "a.csv")
            }
            #expect(error?.line == 4 && error?.field == "n", "\(title) \(cell): \(String(describing: error))")
        }
    }

    /// A sink that fails ends the export, and its error comes back.
    @Test(arguments: RecordFormat.allCases) func sinksMayFail(_ format: RecordFormat) throws {
        struct Full: Error, Equatable { var bytes: Int }
        let records = (0..<5_000).map {
            Record(type: "T", id: Record.ID("r\($0)"), fields: ["text": .string(String(repeating: "word ", count: 20))])
        }
        let export = try RecordExport(RecordSet(records: records), as: format)
        var taken: [UInt8] = []
        let error = #expect(throws: Full.self) {
            try export.write { piece in
                if taken.count > 100_000 { throw Full(bytes: taken.count) }
                taken += piece
                piece = []
            }
        }
        #expect(error == Full(bytes: taken.count) && taken.count < 300_000)
        #expect(try Data(taken) == export.data().prefix(taken.count))
    }

    @Test func filesAreReplacedAsAWhole() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.url.appending(path: "records.csv")
        try Data("old".utf8).write(to: file)
        let set = try RecordSet(records: [Record(type: "T", id: Record.ID("r"), fields: ["f": 1])])
        try RecordExport(set, as: .csv).write(to: file)
        #expect(try RecordSet(contentsOf: file).records(matching: "f == 1").map(\.id.recordName) == ["r"])
        let error = #expect(throws: DatabaseError.self) {
            try RecordExport(set, as: .csv).write(to: folder.url.appending(path: "missing/records.csv"))
        }
        #expect(error?.reason.contains("missing/records.csv") == true, "\(String(describing: error))")
    }

    @Test func filesOfAssetsGoAlong() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "a b")
        try Data("bytes".utf8).write(to: file)
        let asset = FieldValue.asset(Asset(path: file.path))
        let set = try RecordSet(records: [
            Record(type: "T", id: Record.ID("r"), fields: ["f": asset, "l": .list([asset])])
        ])
        var options = RecordExport.Options()
        options.assetFolder = folder.appending(path: "copies")
        for format in RecordFormat.allCases {
            let text = try RecordExport(set, as: format, options: options).text()
            let again = try RecordSet(bytes: Array(text.utf8), name: "a.\(format)")
            for field in ["f", "l"] {
                let value = try #require(again.record(at: 0)?.fields[field])
                let copies = value.assets
                #expect(copies.count == 1 && copies[0].path != file.path)
                #expect(try Data(contentsOf: URL(filePath: copies[0].path)) == Data("bytes".utf8))
            }
        }
    }
}
