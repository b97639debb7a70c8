// The process that opens what a power cut left, and says which batch it holds.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// Opens folders that may be damaged: in a process of its own, so that one that is ended by a signal is a fault like
/// others.
struct PowerCutReader {
    private struct Rejection: Error {
        let reason: String
    }

    private struct Fault: Error {
        let reason: String
    }

    private let folder: String
    private let seed: UInt64
    /// What is stored after each batch, beginning with none.
    private let models: [CrashModel]

    init(folder: String, seed: UInt64, scenario: PowerCutScenario) {
        (self.folder, self.seed) = (folder, seed)
        var models = [CrashModel()]
        for number in 1...scenario.lastBatch + 1 {
            var model = models[number - 1]
            model.apply(CrashBatch(number, seed: seed))
            models.append(model)
        }
        self.models = models
    }

    /// Opens some states, and prints a line for each.
    func run(_ states: Range<Int>) async {
        for state in states {
            let path = "\(folder)/\(state)"
            let words: String
            do {
                let (batch, asset) = try await read("\(path)/\(PowerCutWriter.store)")
                words = "opened\t\(batch) \(asset) \(try await readCopies(in: path))"
            } catch let rejection as Rejection {
                words = "refused\t\(rejection.reason)"
            } catch let fault as Fault {
                words = "fault\t\(fault.reason)"
            } catch {
                words = "fault\t\(error)"
            }
            let line = Array("\(state)\t\(words.replacing("\n", with: " "))\n".utf8)
            _ = unsafe write(1, line, line.count)
        }
    }

    /// Opens a store, writes on, and opens it again.
    ///
    /// - Returns: The last batch that it held, and the last file beside a record.
    private func read(_ path: String) async throws -> (batch: Int, asset: Int) {
        let container = try open(path, .readWrite)
        defer { container.close() }
        let found = try await contents(of: container)
        let next = models[min(models.count - 1, found.batch + 1)]
        do {
            try await container.privateDatabase.save(RecordZone(id: CrashBatch.zone))
            if next.last > found.batch { try await CrashBatch(next.last, seed: seed).write(to: container) }
        } catch {
            throw Rejection(reason: "writing on: \(error)")
        }
        container.close()
        let problems = try Container.verify(storedAt: URL(filePath: path))
        if !problems.isEmpty { throw Rejection(reason: "verify: \(problems)") }
        let again = try open(path, .readOnly)
        defer { again.close() }
        guard try await next.holds(again) else {
            throw Fault(reason: "batch \(next.last) was written and is not there")
        }
        return found
    }

    /// Opens the copies of a store, which have their batches in their names.
    private func readCopies(in path: String) async throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("copy-") }
        for name in names {
            do {
                let container = try open("\(path)/\(name)", .readOnly)
                defer { container.close() }
                let batch = try await contents(of: container).batch
                guard name == "copy-\(batch)" else { throw Fault(reason: "\(name) holds batch \(batch)") }
            } catch let rejection as Rejection {
                throw Fault(reason: "\(name): \(rejection.reason)")
            }
        }
        return names.count
    }

    private func open(_ path: String, _ mode: StorageOptions.Mode) throws(Rejection) -> Container {
        do throws(DatabaseError) {
            return try Container(
                identifier: "crash", storedAt: URL(filePath: path), options: StorageOptions(mode: mode),
                configuration: CrashBatch.configuration)
        } catch {
            throw Rejection(reason: "\(error)")
        }
    }

    private func contents(of container: Container) async throws -> (batch: Int, asset: Int) {
        let records: (private: [String: [String: FieldValue]], public: [String: [String: FieldValue]])
        do {
            records = (
                try CrashModel.privateRecords(container), try await CrashModel.publicRecords(container)
            )
        } catch {
            throw Rejection(reason: "reading: \(error)")
        }
        let model = models.last { $0.privateRecords == records.private && $0.publicRecords == records.public }
        guard let model else { throw Fault(reason: "the records are those after no batch") }
        if let fault = try await model.faultOfResults(container, number: Int64(model.last / 2), word: "gamma") {
            throw Fault(reason: fault)
        }
        let counts = try await PowerCutBase.counts(in: container)
        guard counts == PowerCutBase.expectedCounts || (counts == [0, 0] && model.last == 0) else {
            throw Fault(reason: "\(counts) records that were loaded first")
        }
        return (model.last, try await asset(of: container, at: model.last))
    }

    /// The number of the last file that was saved beside a record.
    private func asset(of container: Container, at batch: Int) async throws -> Int {
        let record: Record
        do throws(DatabaseError) {
            record = try await container.privateDatabase.record(for: PowerCutAsset.id)
        } catch {
            if error.code == .unknownItem { return 0 }
            throw Rejection(reason: "reading: \(error)")
        }
        guard case .int64(let number)? = record.fields["number"], case .asset(let asset)? = record.fields["file"] else {
            throw Fault(reason: "the record with a file is \(record.fields)")
        }
        // A file that was saved before the next batch may be there.
        guard [PowerCutAsset.number(at: batch), PowerCutAsset.number(at: batch + 1)].contains(Int(number)) else {
            throw Fault(reason: "file \(number) beside batch \(batch)")
        }
        let bytes = asset.fileURL.flatMap { FileManager.default.contents(atPath: $0.path) }.map(Array.init)
        guard bytes == PowerCutAsset.bytes(Int(number)) else {
            throw Rejection(reason: "file \(number) holds \(bytes.map { "\($0.count) other bytes" } ?? "nothing")")
        }
        return Int(number)
    }
}
