// Stores written as text and read into other stores: nothing is lost on the way.

import Foundation
import RecordDatabase
import Testing

@testable import Campaigns

@Suite struct RoundTripTests {
    /// Runs the command where paths are relative to a folder, so that texts that name files are the same.
    private func run(_ folder: borrowing TemporaryFolder, _ line: String) throws -> CommandRun {
        try CommandRun(shell: "cd '\(folder.url.path)' && \(line)")
    }

    /// The fields of random records that hold assets, and lists of them.
    private static let assets = "f7"
    private static let assetLists = "l7"

    /// Random records that a database takes, as NDJSON, with assets that are there.
    private func records(_ seed: UInt64) throws -> String {
        var values = RandomValues(seed: seed, isStorable: true)
        let records = values.records(40).map { record in
            // Files of assets are put in below.
            let fields = record.fields.filter { $0.key != Self.assets && $0.key != Self.assetLists }
            return Record(type: record.type, id: record.id, fields: fields)
        }
        let text = try RecordExport(RecordSet(records: records), as: .ndjson).text()
        return text + #"{"id":"asset","type":"City","file":{"$asset":"a.bin"},"files":[{"$asset":"a.bin"}]}"# + "\n"
            + #"{"id":"below","type":"City","$parent":{"reference":"asset"}}"# + "\n"
            + #"{"id":"empty","type":"Port","nothing":{"$list":[],"of":"TIMESTAMP"}}"# + "\n"
    }

    @Test(arguments: [UInt64(1), 2, 3, 4], ["ndjson", "csv"])
    func exportsOfTwoStoresAreEqual(_ seed: UInt64, _ format: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("a.bin", "bytes of an asset")
        _ = try folder.file("in.ndjson", records(seed))
        let first = try run(folder, "$predicate create s1 && $predicate import s1 in.ndjson")
        #expect(first.status == 0, "\(first.errors)")
        let export = "-o \(format) --assets files"
        let second = try run(
            folder,
            "$predicate export s1 \(export) > 1.\(format) && $predicate import s2 1.\(format) && $predicate export s2 \(export) > 2.\(format)"
        )
        #expect(second.status == 0, "\(second.errors)")
        #expect(try run(folder, "cmp 1.\(format) 2.\(format)").status == 0)
        let ends = try run(folder, "grep -c -e '^below,' -e '^{\"id\":\"empty\"' 1.\(format)")
        #expect(ends.output == "1\n")
        // The other form of both stores, and their schemas, say the same, too.
        let others = try run(
            folder,
            """
            for s in s1 s2; do for f in ndjson csv; do $predicate export $s -o $f --assets files; done
            $predicate schema $s -o ckdb; done > all; head -c $(($(wc -c < all) / 2)) all > half; cat half half | cmp - all
            """)
        #expect(others.status == 0, "\(others.output)\(others.errors)")
        #expect(try run(folder, "$predicate verify s2").output == "ok\n")
    }

    @Test func systemFieldsArePrintedAndPassedOver() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("in.ndjson", #"{"id":"a","type":"T","n":1}"# + "\n")
        #expect(try run(folder, "$predicate import s in.ndjson").status == 0)
        for format in ["ndjson", "csv"] {
            let printed = try run(folder, "$predicate export s --system-fields -o \(format) | tee e.\(format)")
            #expect(printed.output.contains("$created") && printed.output.contains("$changeTag"))
            let again = try run(folder, "$predicate import t.\(format) e.\(format) && $predicate export t.\(format)")
            #expect(again.output == #"{"id":"a","type":"T","n":1}"# + "\n", "\(again.errors)")
        }
    }

    @Test func schemasGoIntoStoresAndComeOut() throws {
        let folder = try TemporaryFolder()
        let schema = """
            DEFINE SCHEMA

                CREATE ROLE Editors;

                RECORD TYPE City (
                    "___recordID" REFERENCE QUERYABLE,
                    founded       TIMESTAMP SORTABLE,
                    name          STRING QUERYABLE SEARCHABLE,
                    size          DOUBLE,
                    GRANT READ, WRITE TO "Editors"
                );

                RECORD TYPE Users (
                    roles LIST<INT64>,
                    GRANT READ TO "_world"
                );

            """
        _ = try folder.file("app.ckdb", schema)
        let made = try run(folder, "$predicate create s --schema app.ckdb && $predicate schema s -o ckdb")
        #expect(made.output == schema, "\(made.errors)")
        #expect(made.errors == "made an empty store with 1 record type in s\n")
        // A whole number for a field that is DOUBLE is one.
        _ = try folder.file("in.ndjson", #"{"id":"a","type":"City","size":2}"# + "\n")
        #expect(try run(folder, "$predicate import -q s in.ndjson").errors == "")
        #expect(try run(folder, "$predicate export s").output == #"{"id":"a","type":"City","size":2.0}"# + "\n")
        _ = try folder.file("bad.ckdb", "DEFINE SCHEMA\n  RECORD TYPE City (\n    size FLOAT\n  );\n")
        let bad = try run(folder, "$predicate create t --schema bad.ckdb")
        #expect(
            bad.status == 3 && bad.errors.contains("bad.ckdb:3:10: ") && bad.errors.contains("DOUBLE"), "\(bad.errors)")
        #expect(bad.errors.contains("^~~~~"))
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/t"))
        // The records of files, too, fit a schema.
        let inferred = try run(folder, "$predicate schema in.ndjson -o ckdb")
        #expect(inferred.output.contains("size            INT64 QUERYABLE SORTABLE,"), "\(inferred.output)")
    }
}
