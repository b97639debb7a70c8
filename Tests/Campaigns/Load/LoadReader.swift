// A process that reads the store of a load, beside its writer and beside none.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// Opens the store again and again, and checks the moment that it finds: at once, and once more after a while.
struct LoadReader {
    let folder: String
    let seed: UInt64

    func run() async {
        var random = SeededGenerator(seed: seed)
        while !LoadReport.isInputAtEnd(after: Int32.random(in: 0...100, using: &random)) {
            do {
                let fault = try Self.fault(at: URL(filePath: folder), holding: Int.random(in: 0...300, using: &random))
                if let fault { LoadReport.fault("a reader: \(fault)") }
                LoadReport.say("moment \(ProcessMemory.resident) \(ProcessMemory.allocated)")
            } catch let error as DatabaseError where error.code == .serviceUnavailable {
                // The disk is full, or the list of readers.
                LoadReport.refused("\(error)")
            } catch {
                LoadReport.fault("a reader: \(error)")
            }
        }
    }

    /// What is wrong with the moment that a store is opened at.
    ///
    /// - Parameter milliseconds: How long it is held, to be checked again; 0 for once.
    static func fault(at folder: URL, holding milliseconds: Int = 0) throws -> String? {
        let reader = try Container(identifier: nil, storedAt: folder, options: StorageOptions(mode: .readOnly))
        defer { reader.close() }
        let snapshot = try reader.privateDatabase.snapshot()
        if let fault = try LoadStore.fault(snapshot) { return fault }
        guard milliseconds > 0 else { return nil }
        let heads = try LoadStore.heads(snapshot)
        usleep(UInt32(milliseconds) * 1000)
        if let fault = try LoadStore.fault(snapshot) { return "later: \(fault)" }
        return try LoadStore.heads(snapshot) == heads ? nil : "the moment has other heads later"
    }
}
