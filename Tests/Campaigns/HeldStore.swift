// A store that somebody has open and works on by commands: in this process, or in one of its own.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// The writer of a store, which does what a line says and tells how that went.
struct HeldStore {
    private let container: Container
    private let folder: String

    /// Opens or makes a store.
    init(_ folder: String, durability: StorageOptions.Durability = .full) throws {
        self.folder = folder
        container = try Container(
            identifier: nil, storedAt: URL(filePath: folder), options: StorageOptions(durability: durability))
    }

    /// What may be asked for, each with a word of its own where it needs one.
    static let changes = ["save x", "load x", "asset x", "checkpoint", "compact", "reindex", "sweep", "roles"]

    /// Does what a line says.
    ///
    /// - Returns: `ok`, or `failed` with the reason. A sweep tells how many files it removed.
    func perform(_ line: String) async -> String {
        let words = line.split(separator: " ").map(String.init)
        let name = words.count > 1 ? words[1] : ""
        do {
            return "ok\(try await perform(words.first ?? "", name))"
        } catch let error as DatabaseError {
            let error = error.partialErrors.values.first ?? error
            return "failed \(error.code) \(error.reason)\(error.hint.map { " (\($0))" } ?? "")"
        } catch {
            return "failed \(error)"
        }
    }

    private func perform(_ verb: String, _ name: String) async throws -> String {
        let database = container.privateDatabase
        switch verb {
        case "save": try await save(Record(type: "T", id: Record.ID(name), fields: ["t": .string("text \(name)")]))
        case "large":
            let text = FieldValue.string(String(repeating: "text ", count: 60_000))
            try await save(Record(type: "L", id: Record.ID(name), fields: ["t": text]))
        case "group": return try await saveTogether(name)
        case "load":
            let records = (0..<200).map {
                Record(type: "T", id: Record.ID("\(name)-\($0)"), fields: ["t": .string("row \($0)")])
            }
            if let rejected = try database.load(0..<200, of: try RecordSet(records: records)).first {
                throw rejected.error
            }
        case "asset":
            let file = FileManager.default.temporaryDirectory.appending(path: "asset-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data("bytes of \(name) in \(folder)".utf8).write(to: file)
            let fields = ["file": FieldValue.asset(try Asset(fileURL: file))]
            try await save(Record(type: "A", id: Record.ID("asset-\(name)"), fields: fields))
        case "checkpoint": try await container.checkpoint()
        case "compact": try await container.compact()
        case "reindex": try await container.rebuildTextIndexes()
        case "sweep": return " \(await container.removeUnusedAssets())"
        case "roles": try container.setRoles(["reader"], ofUser: "_a")
        case "backup": try await container.backUp(to: URL(filePath: name))
        case "close": container.close()
        default: throw DatabaseError(.invalidArguments, "there is no command \(verb)")
        }
        return ""
    }

    private func save(_ record: Record) async throws {
        let results = try await container.privateDatabase.modifyRecords(saving: [record], deleting: [])
        for result in results.saveResults.values { _ = try result.get() }
    }

    /// Saves sixteen records from as many tasks; tells the names of those that are saved.
    private func saveTogether(_ name: String) async throws -> String {
        let database = container.privateDatabase
        let saved = await withTaskGroup(of: String?.self) { group in
            for number in 0..<16 {
                let record = Record(type: "T", id: Record.ID("\(name)-\(number)"), fields: ["t": .string("text")])
                group.addTask { (try? await database.save(record)) == nil ? nil : record.id.recordName }
            }
            return await group.reduce(into: [String]()) { if let name = $1 { $0.append(name) } }
        }
        return saved.map { " " + $0 }.joined()
    }

    /// Reads commands from the standard input until it ends.
    ///
    /// - Parameter durability: `full`, `normal` or `off`.
    static func serve(_ folder: String, _ durability: String) async {
        do {
            guard let durability = CrashWriter.durabilities[durability] else {
                return print("failed: which durability?")
            }
            let store = try HeldStore(folder, durability: durability)
            print("open")
            fflush(nil)
            while let line = readLine() {
                print(await store.perform(line))
                fflush(nil)
            }
            // Whoever does not say so does not close the store: what is only in the log stays there.
            withExtendedLifetime(store) { exit(0) }
        } catch {
            print("failed \(error)")
        }
    }
}
