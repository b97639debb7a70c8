// Stores under a schema in CloudKit's language: made with it, and put under it by an import.

import Foundation
import Testing

@Suite struct StoreSchemaTests {
    private static let schema = """
        DEFINE SCHEMA

            CREATE ROLE Editors;

            RECORD TYPE City (
                name       STRING QUERYABLE SORTABLE,
                population INT64 QUERYABLE,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );

        """
    private static let kyiv = #"{"id":"a","type":"City","name":"Kyiv","population":2950000}"# + "\n"

    private func run(_ folder: borrowing TemporaryFolder, _ line: String) throws -> CommandRun {
        try CommandRun(shell: "cd '\(folder.url.path)' && \(line)")
    }

    @Test func aStoreIsMadeWithASchema() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("app.ckdb", Self.schema)
        _ = try folder.file("kyiv.ndjson", Self.kyiv)
        _ = try folder.file("wrong.ndjson", #"{"id":"b","type":"City","name":"Lviv","population":"many"}"# + "\n")
        let made = try run(folder, "$predicate create s --schema app.ckdb")
        #expect(made.status == 0 && made.errors.contains("an empty store with 1 record type in s"), "\(made.errors)")
        let text = try run(folder, "$predicate schema s -o ckdb")
        #expect(text.output.hasPrefix(Self.schema), "\(text.output)")
        // From standard input, too.
        let again = try run(folder, "$predicate create -q t --schema - < app.ckdb && $predicate schema t -o ckdb")
        #expect(again.output == text.output)
        // What does not fit is refused, what fits is saved.
        let rejected = try run(folder, "$predicate import s wrong.ndjson")
        #expect(
            rejected.status == 3 && rejected.errors.contains("the field is INT64, the value STRING")
                && rejected.errors.contains("1 rejected"), "\(rejected.errors)")
        #expect(try run(folder, "$predicate import -q s kyiv.ndjson").status == 0)
        #expect(try run(folder, "$predicate query 'population > 1' s --count").output == "1\n")
        #expect(try run(folder, "$predicate schema s -o ckdb").output == text.output)
    }

    @Test func anImportPutsAStoreUnderASchema() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("app.ckdb", Self.schema)
        _ = try folder.file("more.ckdb", Self.schema.replacing("name  ", with: "mayor STRING, name "))
        _ = try folder.file("other.ckdb", "DEFINE SCHEMA RECORD TYPE City (name INT64, population STRING);")
        _ = try folder.file("kyiv.ndjson", Self.kyiv)
        // A new store, and one that is there.
        let first = try run(folder, "$predicate import s --schema app.ckdb kyiv.ndjson")
        #expect(first.status == 0 && first.errors.contains("1 record"), "\(first.errors)")
        #expect(try run(folder, "$predicate schema s -o ckdb").output.hasPrefix(Self.schema))
        let second = try run(folder, "$predicate import s --schema more.ckdb --restart kyiv.ndjson")
        #expect(second.status == 0, "\(second.errors)")
        let grown = try run(folder, "$predicate schema s -o ckdb").output
        #expect(grown.contains("        mayor      STRING,\n"), "\(grown)")
        // Fields stay what they are, and nothing is imported.
        _ = try run(folder, "sed 's/\"a\"/\"b\"/' kyiv.ndjson > b.ndjson")
        let clash = try run(folder, "$predicate import s --schema other.ckdb b.ndjson")
        #expect(clash.status == 2 && clash.errors.contains("field name of City must stay STRING"), "\(clash.errors)")
        #expect(try run(folder, "$predicate query TRUEPREDICATE s --count").output == "1\n")
        #expect(try run(folder, "$predicate schema s -o ckdb").output == grown)
    }

    @Test(arguments: ["create s", "import s kyiv.ndjson"]) func schemasThatCannotBeRead(_ verb: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("kyiv.ndjson", Self.kyiv)
        _ = try folder.file("bad.ckdb", "DEFINE SCHEMA\nRECORD TYPE City ( name STRNG );\n")
        let bad = try run(folder, "$predicate \(verb) --schema bad.ckdb")
        #expect(bad.status == 3)
        #expect(bad.errors.hasPrefix("error: bad.ckdb:2:25: expected ASSET, BYTES,"), "\(bad.errors)")
        let excerpt = "\n  RECORD TYPE City ( name STRNG );\n                          ^~~~~\n"
        #expect(bad.errors.hasSuffix(excerpt + "hint: did you mean STRING?\n"), "\(bad.errors)")
        let missing = try run(folder, "$predicate \(verb) --schema none.ckdb")
        #expect(missing.status == 4 && missing.errors == "error: cannot read the schema 'none.ckdb'\n")
        _ = try run(folder, "printf 'DEFINE SCHEMA \\377' > latin.ckdb")
        let latin = try run(folder, "$predicate \(verb) --schema latin.ckdb")
        #expect(latin.status == 3 && latin.errors == "error: the schema 'latin.ckdb' is not UTF-8\n", "\(latin.errors)")
        // No store is made for a schema that is wrong.
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/s"))
    }
}
