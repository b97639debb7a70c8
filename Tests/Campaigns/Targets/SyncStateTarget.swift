// Stored states of sync engines, and positions in changes, from strangers.

import FoundationEssentials
import RecordDatabase
import RecordFiles
import RecordModel

/// Reads the state of an engine or a token, goes on from it, and writes it again.
struct SyncStateCheck: Sendable {
    private let container: Container
    private let zone = RecordZone.ID("Home")

    static let shared = try? SyncStateCheck()

    private init() throws {
        container = try Container(identifier: "states", account: .localUser)
        let database = container.privateDatabase
        _ = try database.modifyZones(saving: [RecordZone(id: zone)], deleting: [])
        for number in 0..<6 {
            let id = Record.ID("r\(number)", zoneID: number % 2 == 0 ? zone : .default)
            let record = Record(type: "Note", id: id, fields: ["a": .int64(Int64(number))])
            _ = try database.modify(ModifyRequest(saves: [record]))
        }
        _ = try database.modify(ModifyRequest(deletes: [Record.ID("r4", zoneID: zone)]))
    }

    /// - Parameter bytes: JSON of `state`, what an engine stores, or of `token`, a position.
    func run(_ bytes: [UInt8]) -> FuzzOutcome {
        guard let json = try? JSONReader.tree(bytes) else { return .rejected }
        if let state = json["state"] { return run(state: Data(Self.text(of: state))) }
        return json["token"].map { run(token: Data(Self.text(of: $0))) } ?? .rejected
    }

    private static func text(of json: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(json)
        return writer.bytes
    }

    private func run(state data: Data) -> FuzzOutcome {
        guard let stored = try? JSONDecoder().decode(SyncEngine.State.Serialization.self, from: data) else {
            return .rejected
        }
        let state = SyncEngine.State(stored)
        let (records, zones) = (state.pendingRecordChanges, state.pendingZoneChanges)
        guard Set(records.map(\.recordID)).count == records.count, Set(zones.map(\.zoneID)).count == zones.count else {
            return .finding("one record or zone is to be sent twice")
        }
        // What is stored is what was read, apart from changes that a later one took the place of.
        let first = state.serialization
        guard let written = try? JSONEncoder().encode(first),
            let again = try? JSONDecoder().decode(SyncEngine.State.Serialization.self, from: written), again == first
        else { return .finding("the state is written otherwise than it is") }
        let next = SyncEngine.State(again)
        guard next.pendingRecordChanges == records, next.pendingZoneChanges == zones,
            next.zonesWithUnfetchedChanges == state.zonesWithUnfetchedChanges
        else { return .finding("the next engine has other changes to send") }
        // Of several changes of one record the last one counts, at the end.
        if let change = records.first {
            next.add([SyncEngine.PendingRecordChange.delete(change.recordID)])
            guard next.pendingRecordChanges.last == .delete(change.recordID),
                next.pendingRecordChanges.count == records.count
            else { return .finding("a change that is added does not take the place of the one before") }
        }
        next.remove(next.pendingRecordChanges)
        next.remove(next.pendingZoneChanges)
        return next.pendingRecordChanges.isEmpty && next.pendingZoneChanges.isEmpty
            ? .accepted : .finding("what is taken back is still to be sent")
    }

    /// A token leads to changes, or is refused as one of another history.
    private func run(token data: Data) -> FuzzOutcome {
        guard let token = try? JSONDecoder().decode(ChangeToken.self, from: data) else { return .rejected }
        guard let written = try? JSONEncoder().encode(token),
            (try? JSONDecoder().decode(ChangeToken.self, from: written)) == token
        else { return .finding("the token is written otherwise than it is") }
        let database = container.privateDatabase
        var isTaken = false
        for zone in [zone, .default] {
            do throws(DatabaseError) {
                let changes = try database.zoneChanges(zone, since: token, limit: 2)
                let all = try database.zoneChanges(zone, since: nil, limit: 100)
                let known = Set(all.modifications.map(\.id))
                guard changes.modifications.allSatisfy({ known.contains($0.id) }) else {
                    return .finding("a change of a record that the zone does not have")
                }
                isTaken = true
            } catch {
                guard [.changeTokenExpired, .invalidArguments].contains(error.code) else {
                    return .finding("an error that does not fit: \(error)")
                }
            }
        }
        do throws(DatabaseError) {
            _ = try database.zoneList(since: token)
            isTaken = true
        } catch {
            guard [.changeTokenExpired, .invalidArguments].contains(error.code) else {
                return .finding("an error that does not fit: \(error)")
            }
        }
        return isTaken ? .accepted : .rejected
    }

    // MARK: Inputs

    /// Tokens of the container, and states with changes to send.
    func seeds() -> [[UInt8]] {
        let database = container.privateDatabase
        var tokens: [ChangeToken] = []
        if let token = try? database.zoneList(since: nil).changeToken { tokens.append(token) }
        for zone in [zone, .default] {
            if let token = try? database.zoneChanges(zone, since: nil, limit: 2).changeToken { tokens.append(token) }
        }
        let state = SyncEngine.State(SyncEngine.State.Serialization())
        var states = [state.serialization]
        state.add([.save(Record.ID("r1")), .delete(Record.ID("r2", zoneID: zone)), .save(Record.ID("é"))])
        states.append(state.serialization)
        state.add([SyncEngine.PendingZoneChange.save(zone), .delete(RecordZone.ID("Away", ownerName: "_a11ce"))])
        states.append(state.serialization)
        return tokens.compactMap { Self.input("token", $0) } + states.compactMap { Self.input("state", $0) }
    }

    private static func input(_ key: String, _ value: some Encodable) -> [UInt8]? {
        guard let data = try? JSONEncoder().encode(value), let json = try? JSONReader.tree([UInt8](data)) else {
            return nil
        }
        return text(of: .object([JSONValue.Member(key: key, value: json)]))
    }
}

extension FuzzTarget {
    private static let stateWords = JSONMutator(words: [
        "state", "token", "hasBegun", "userName", "zoneTokens", "zonesToFetch", "items", "zones", "records",
        "unlistedZones", "unlistedRecords", "recordChanges", "zoneChanges", "save", "delete", "_0", "recordName",
        "zoneID", "zoneName", "ownerName", "format", "incarnation", "origin", "subject", "position", "deletionsAfter",
        "shares", "zone", "database", "made", "r1", "Home", "_defaultZone",
    ])

    static let syncStates = FuzzTarget(
        name: "syncstates", summary: "states of sync engines and positions in changes: gone on from, written again",
        run: { SyncStateCheck.shared?.run($0) ?? .finding("there is no container") },
        seeds: { SyncStateCheck.shared?.seeds() ?? [] },
        mutated: { stateWords.mutated($0, using: &$1) ?? FileMutator.mutated($0, using: &$1) })
}
