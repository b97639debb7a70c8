// What one of two copies does at a time.

import RecordDatabase
import RecordModel

/// A step of the campaign of sync engines: the same one for a number, whatever came before.
struct SyncStep: CustomStringConvertible {
    /// What is done to the store or the engines afterwards.
    enum Restart: Sendable {
        case none
        /// Engines are made again from their serialised states.
        case engines
        /// The store is closed and opened, too.
        case store
    }

    /// Of three servers each is on another one, and none on the first.
    static let zones = [RecordZone.ID("Lists"), RecordZone.ID("Drafts")]
    private static let recordCount = 24

    /// The copy that does it.
    let copy: Int
    /// Records with their new values; `nil` deletes one.
    var changes: [(id: Record.ID, value: Int64?)] = []
    let deletesZone: Bool
    let synchronizes: Bool
    let sends: Bool
    let restart: Restart
    /// The time until the process is killed, where it is, in microseconds.
    let delay: Int

    init(_ number: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 0x1_0000_0001 &+ UInt64(number))
        copy = Int.random(in: 0..<2, using: &random)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let id = Record.ID(
                "r\(Int.random(in: 0..<Self.recordCount, using: &random))", zoneID: random.pick(Self.zones))
            changes.append((id, random.oneIn(5) ? nil : Int64.random(in: 0..<1_000_000, using: &random)))
        }
        deletesZone = random.oneIn(150)
        synchronizes = !random.oneIn(3)
        sends = !random.oneIn(4)
        restart = random.oneIn(25) ? .engines : random.oneIn(60) ? .store : .none
        delay = Int.random(in: 0..<4000, using: &random)
    }

    var description: String {
        let changed = changes.map { "\($0.id.short) = \($0.value.map(String.init) ?? "gone")" }
        var parts = ["copy \(copy): \(changed.joined(separator: ", "))"]
        if deletesZone { parts.append("zone \(Self.zones[1].zoneName) gone") }
        if synchronizes { parts.append(sends ? "fetches and sends" : "fetches") }
        switch restart {
        case .engines where synchronizes: parts.append("engines made again")
        case .store where synchronizes: parts.append("store opened again")
        default: break
        }
        return parts.joined(separator: ", ")
    }
}
