// How long an operation may take.

import Foundation
import RecordDatabase

/// The end of an operation's time, where its settings or those of its group say one.
struct OperationTime: Sendable {
    private let end: ContinuousClock.Instant?
    /// The setting that says so.
    private let name: String

    /// - Parameter added: When the operation was added; `nil` for one that was started without.
    init(_ settings: CKOperationConfiguration.Settings, added: ContinuousClock.Instant?) {
        let now = ContinuousClock.now
        let request = Self.duration(settings.timeoutIntervalForRequest).map { now + $0 }
        let resource = Self.duration(settings.timeoutIntervalForResource).map { (added ?? now) + $0 }
        let isRequest = resource.map { resource in request.map { $0 <= resource } ?? false } ?? true
        (end, name) = isRequest ? (request, "timeoutIntervalForRequest") : (resource, "timeoutIntervalForResource")
    }

    /// `nil` for what is no time: nothing, 0 and less, and more than clocks count.
    private static func duration(_ seconds: TimeInterval?) -> Duration? {
        seconds.flatMap { $0 > 0 && $0 < 1e9 ? .seconds($0) : nil }
    }

    /// What an operation whose time is over ends with; `nil` before.
    var error: DatabaseError? {
        guard let end, ContinuousClock.now >= end else { return nil }
        return DatabaseError(
            .networkFailure, "the operation has taken longer than its \(name)", hint: "set a longer time")
    }

    /// Reads from a database until the time is over.
    /// - Throws: `DatabaseError` of code `networkFailure` then, and others.
    func reading<Value>(
        _ database: Database, _ body: (Database) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        guard let end else { return try body(database) }
        do throws(DatabaseError) {
            return try database.reading(within: max(.zero, end - .now), body)
        } catch {
            throw error.code == .limitExceeded ? self.error ?? error : error
        }
    }
}
