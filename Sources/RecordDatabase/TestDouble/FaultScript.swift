// Failures on order, for tests of code that must bear them.

public import RecordModel
import Synchronization

/// What goes wrong with the calls of a client, and when.
///
///     let script = FaultScript()
///     configuration.faults = script.faults
///     let container = try Container(identifier: "test", configuration: configuration)
///     script.failNext(2, .modifyRecords, with: .networkFailure)
///
/// Orders are carried out in the order of giving, each on the next call that it is about; a call that no order is about
/// goes through, unless it fails by chance. May be used from any thread.
public final class FaultScript: Sendable {
    private struct Order {
        /// The kinds of calls that it is about; `nil` for all.
        var kind: DatabaseCall.Kind?
        var times: Int
        var action: @Sendable () -> DatabaseError?
    }

    fileprivate struct Chance {
        var probability: Double
        var codes: [DatabaseError.Code]
        /// State of the random numbers (SplitMix64).
        var state: UInt64
    }

    private struct State {
        var orders: [Order] = []
        var chance: Chance?
        var calls: [DatabaseCall] = []
    }

    private let state = Mutex(State())

    /// A script without orders: all calls go through.
    public init() {}

    /// What `Configuration.faults` is set to.
    public var faults: @Sendable (DatabaseCall) -> DatabaseError? { { self.fault(in: $0) } }

    /// The calls that were made, in order.
    public var calls: [DatabaseCall] { state.withLock { $0.calls } }

    // MARK: Orders

    /// Makes the next calls fail.
    ///
    /// - Parameters:
    ///   - count: How many; none for less than one.
    ///   - kind: Which calls; `nil` for all.
    ///   - retryAfter: The wait that errors with one carry; a second by default.
    public func failNext(
        _ count: Int = 1, _ kind: DatabaseCall.Kind? = nil, with code: DatabaseError.Code,
        retryAfter: Duration = .seconds(1)
    ) {
        guard count > 0 else { return }
        let error = Self.error(code, retryAfter)
        state.withLock { $0.orders.append(Order(kind: kind, times: count) { error }) }
    }

    /// Does something just before the next call, which then goes through: signs the user out, say, or saves the record
    /// that the call is going to save.
    ///
    /// - Parameter action: Runs on the thread of the call. Calls that it makes itself are not scripted by this order.
    public func beforeNext(_ kind: DatabaseCall.Kind? = nil, do action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.orders.append(
                Order(kind: kind, times: 1) {
                    action()
                    return nil
                })
        }
    }

    /// Lets another client save a record just before the next batch, so that saving an older version of it conflicts.
    ///
    /// - Parameters:
    ///   - record: What the other client saves; its fields overwrite those that are stored.
    ///   - database: The other client's database: one of `Container(sharing:account:)`.
    public func conflictNext(with record: Record, savedIn database: Database) {
        beforeNext(.modifyRecords) {
            _ = try? database.modify(ModifyRequest(saves: [record], policy: .allKeys))
        }
    }

    /// Makes calls fail by chance, the same calls for the same seed.
    ///
    /// - Parameters:
    ///   - probability: Of each call, from 0 to 1.
    ///   - codes: What they fail with, one as likely as another; by default what a network does.
    public func failRandomly(
        probability: Double, with codes: [DatabaseError.Code] = FaultScript.networkCodes, seed: UInt64
    ) {
        state.withLock { state in
            let chance = Chance(probability: probability, codes: codes, state: seed)
            state.chance = codes.isEmpty || probability <= 0 ? nil : chance
        }
    }

    /// Forgets all orders and chances.
    public func clear() {
        state.withLock { state in
            state.orders = []
            state.chance = nil
        }
    }

    /// Codes of a network that does not work and of a server that is too busy.
    public static let networkCodes: [DatabaseError.Code] = [
        .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
        .serverResponseLost,
    ]

    // MARK: Calls

    private func fault(in call: DatabaseCall) -> DatabaseError? {
        let action = state.withLock { state -> (@Sendable () -> DatabaseError?)? in
            state.calls.append(call)
            if let position = state.orders.firstIndex(where: { $0.kind == nil || $0.kind == call.kind }) {
                let action = state.orders[position].action
                state.orders[position].times -= 1
                if state.orders[position].times == 0 { state.orders.remove(at: position) }
                return action
            }
            guard let code = state.chance?.draw() else { return nil }
            return { Self.error(code, .seconds(1)) }
        }
        // Outside of the lock: an action may make calls.
        return action?()
    }

    private static func error(_ code: DatabaseError.Code, _ retryAfter: Duration) -> DatabaseError {
        DatabaseError(code, "a fault was injected", hint: "this is a test", retryAfter: retryAfter)
    }
}

extension FaultScript.Chance {
    /// The code of a failure, or `nil` when the call goes through.
    fileprivate mutating func draw() -> DatabaseError.Code? {
        let share = Double(next() >> 11) * 0x1p-53
        guard share < probability else { return nil }
        return codes[Int(next() % UInt64(codes.count))]
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
