// The inventory of documented symbols: what each does here, and the file of the tests that uses it.

import Foundation
import Testing
import _TestSupport

@Suite struct InventoryTests {
    /// A line of `Fixtures/inventory.tsv`.
    private struct Row {
        let symbol: String
        let status: String
        let file: String

        /// The last name in the symbol, without labels.
        var name: String {
            let path = symbol.prefix { $0 != "(" }
            let last = path.split(separator: ".").last.map(String.init) ?? ""
            return last == "init" || last == "subscript"
                ? String(path.split(separator: ".").dropLast().last ?? "") : last
        }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private func rows() throws -> [Row] {
        let text = try String(contentsOf: Self.folder.appending(path: "Fixtures/inventory.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let cells = line.split(separator: "\t").map(String.init)
            try #require(cells.count == 3, "\(line)")
            return Row(symbol: cells[0], status: cells[1], file: cells[2])
        }
    }

    @Test("Each symbol is named once, and used by the file that its row names")
    func uses() throws {
        let rows = try rows()
        #expect(Set(rows.map(\.symbol)).count == rows.count && rows.count > 200)
        var texts: [String: Set<String>] = [:]
        for row in rows where row.status != "absent" {
            #expect(["works", "fails as documented"].contains(row.status), "\(row.symbol)")
            if texts[row.file] == nil {
                let text = try String(
                    contentsOf: Self.folder.appending(path: row.file + ".swift"), encoding: .utf8)
                texts[row.file] = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            }
            #expect(texts[row.file]?.contains(row.name) == true, "\(row.symbol) is not in \(row.file)")
        }
    }

    @Test("What is absent is declared nowhere")
    func absences() throws {
        let sources = Self.folder.appending(path: "../../Sources/CloudKitCompat").standardizedFileURL
        var text = ""
        for name in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift") {
            text += try String(contentsOf: sources.appending(path: name), encoding: .utf8)
        }
        for row in try rows() where row.status == "absent" {
            #expect(!text.contains("class \(row.name)") && !text.contains("struct \(row.name)"), "\(row.symbol)")
        }
    }
}
