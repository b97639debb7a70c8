// Records on their way from a set into a database, piece by piece.

import FoundationEssentials
import RecordDatabase

/// Saves the records of a set in a database.
struct Importing {
    private let set: RecordSet
    private var records: RecordImport
    private let database: Database
    private let batch: Int
    /// Names what is imported; `nil` for what cannot be read again.
    private let name: String?
    /// The files that the records are of.
    private let files: [String]
    private let session: Session
    private let isQuiet: Bool
    private(set) var rejectedCount = 0
    /// Why records were rejected, in the order of the first of each.
    private var rejections: [Rejection] = []
    private var next = 0
    /// The ordinals of records that wait for those that their references lead to.
    private var late: [Int] = []
    private let clock = ContinuousClock()
    /// Tells this call from others: a database takes a batch of the same mark for one that it has saved already.
    private let call = UInt64.random(in: .min ... .max)

    /// How records are saved.
    struct Settings {
        var batch: Int
        /// Names what is imported; `nil` for what cannot be read again.
        var name: String?
        /// The files that the records are of.
        var files: [String]
        var replaces: Bool
        var isQuiet: Bool
    }

    init(set: RecordSet, database: Database, _ settings: Settings, session: Session) {
        (self.set, self.database, self.session) = (set, database, session)
        (batch, name, files, isQuiet) = (settings.batch, settings.name, settings.files, settings.isQuiet)
        records = RecordImport(set, into: database, replacing: settings.replaces)
    }

    /// The mark that a piece leaves in the database, with the piece itself. It tells the number of the last change that
    /// there will be when all of the piece is saved.
    private func mark(_ piece: Range<Int>) throws(DatabaseError) -> Data? {
        guard let name else { return nil }
        let change = try database.lastChange().number + Int64(piece.count)
        return Data("import \(piece.upperBound) \(change) \(rejectedCount + late.count) \(call) \(name)".utf8)
    }

    /// Goes on behind the last piece of the same files, when the call did not come to its end, no record was rejected,
    /// and nothing was changed since.
    mutating func resume() throws(DatabaseError) {
        let (change, token) = try database.lastChange()
        guard let name, let token else { return }
        let words = String(decoding: token, as: UTF8.self).split(separator: " ", maxSplits: 5).map(String.init)
        guard words.count == 6, words[0] == "import", let end = Int(words[1]), words[5] == name, end < set.count,
            words[2] == "\(change)", words[3] == "0"
        else { return }
        next = end
        if !isQuiet {
            session.note("\(next.grouped) of \(set.count.grouped) records were saved before (--restart starts over)")
        }
    }

    /// Makes the zones that records are in.
    func prepare() throws(DatabaseError) { try records.prepare() }

    /// Saves piece after piece, to the last one or until it is no longer wanted.
    mutating func run(while isWanted: () -> Bool) throws(DatabaseError) {
        let (start, first) = (clock.now, next)
        let count = records.count
        var shown = clock.now
        while next < count, next == first || isWanted() {
            let end = min(count, next + batch)
            let rejected = try records.save(next..<end, clientToken: mark(next..<end))
            let waiting = records.late(rejected, of: next..<end)
            let names = Set(waiting.map(set.recordID(at:)))
            reject(rejected.filter { !names.contains($0.id) }, records.ordinals(next..<end))
            late += waiting
            next = end
            if !isQuiet, StandardStream.error.isTerminal, next < count, clock.now - shown > .milliseconds(500) {
                shown = clock.now
                show(rate(next - first, since: start), left: count - next)
            }
        }
        if next == count, !late.isEmpty {
            reject(try records.save(late: late), late[...])
            late = []
        }
        if next == count, next > first { records.end() }
        tellRejections()
        if isQuiet { return }
        let all = next - first - late.count
        if StandardStream.error.isTerminal { session.messages.write("\r\u{1B}[K") }
        let saved = all - rejectedCount
        session.note(
            "\(saved.grouped) \(saved == 1 ? "record" : "records") saved"
                + (saved > 0 ? ", \(rate(saved, since: start).grouped) a second" : "")
                + (rejectedCount > 0 ? "; \(rejectedCount.grouped) rejected" : ""))
        let left = count - next + late.count
        if next < count { session.note("stopped; \(left.grouped) are left, the same call saves them") }
    }

    /// Counts records that were rejected, and tells of each, in the order of the files.
    private mutating func reject(_ rejected: [(id: Record.ID, error: DatabaseError)], _ ordinals: ArraySlice<Int>) {
        if rejected.isEmpty { return }
        for (id, error) in rejected { note(error, id) }
        rejectedCount += rejected.count
        if StandardStream.error.isTerminal { session.messages.write("\r\u{1B}[K") }
        let errors = Dictionary(rejected.map { ($0.id, $0.error) }) { first, _ in first }
        for ordinal in ordinals {
            let id = set.recordID(at: ordinal)
            guard let error = errors[id] else { continue }
            let (file, line) = set.origin(at: ordinal)
            let path = files.indices.contains(file) ? files[file] : "-"
            var failure = CommandError(
                .badData,
                "\(path == "-" ? "standard input" : path):\(line): record '\(id.recordName)' was not saved: "
                    + error.reason)
            failure.stage = "store"
            failure.details = [
                JSONValue.Member(key: "file", value: .string(path)),
                JSONValue.Member(key: "line", value: .int64(Int64(line))),
                JSONValue.Member(key: "record", value: .string(id.recordName)),
                JSONValue.Member(key: "code", value: .string("\(error.code)")),
            ]
            session.report(failure)
        }
    }

    /// Why records were rejected.
    private struct Rejection {
        var reason: String
        var hint: String?
        var count = 1
        /// The first record.
        var name: String
    }

    /// More reasons than these are counted together.
    private static let mostReasons = 10

    private mutating func note(_ error: DatabaseError, _ id: Record.ID) {
        if let index = rejections.firstIndex(where: { $0.reason == error.reason }) {
            rejections[index].count += 1
        } else if rejections.count < Self.mostReasons {
            rejections.append(Rejection(reason: error.reason, hint: error.hint, name: id.recordName))
        }
    }

    /// A line for each reason: how many records, and the first of them.
    private func tellRejections() {
        if rejections.isEmpty { return }
        if StandardStream.error.isTerminal { session.messages.write("\r\u{1B}[K") }
        for rejection in rejections {
            let records = rejection.count == 1 ? "record" : "records"
            let first = "(first: \(rejection.name))"
            session.note("\(rejection.count.grouped) \(records) rejected: \(rejection.reason) \(first)")
            if let hint = rejection.hint { session.note("  hint: \(hint)") }
        }
        let others = rejectedCount - rejections.reduce(0) { $0 + $1.count }
        if others > 0 { session.note("\(others.grouped) rejected for other reasons") }
    }

    private func rate(_ count: Int, since start: ContinuousClock.Instant) -> Int {
        Int(Double(count) / max(1e-3, (clock.now - start) / .seconds(1)))
    }

    private func show(_ rate: Int, left: Int) {
        session.messages.write(
            "\r\(next.grouped) of \(set.count.grouped) records, \(rate.grouped) a second, "
                + "\(left / max(1, rate)) s left\u{1B}[K")
        session.messages.flush()
    }
}

extension RecordSet {
    /// Checks what records say of the one above them: an import takes nothing but a reference for it.
    /// - Parameter paths: The files that the records are of.
    /// - Throws: `FileError` with the place of the first record that says something else.
    func checkParents(of paths: [String]) throws(FileError) {
        // A field is of one type: where that is right, no record has to be looked at.
        let isSuspect = schemas.contains { schema in
            schema.fields.contains { $0.name == SystemKeys.parent && $0.type != .reference }
        }
        guard isSuspect else { return }
        let ordinals = recordType.map { self.ordinals(ofType: $0) } ?? Array(0..<count)
        guard let ordinal = ordinals.first(where: { hasUnsuitableParent($0) }) else { return }
        let (file, line) = origin(at: ordinal)
        throw FileError(
            kind: .value, file: paths.indices.contains(file) ? paths[file] : "", line: line, field: SystemKeys.parent,
            message: "expected a reference",
            hint: #"write {"reference": "name"}, in CSV under the title $parent:REFERENCE"#)
    }

    private func hasUnsuitableParent(_ ordinal: Int) -> Bool {
        guard let parent = record(at: ordinal)?.fields[SystemKeys.parent] else { return false }
        switch parent {
        case .null, .reference: return false
        default: return true
        }
    }
}
