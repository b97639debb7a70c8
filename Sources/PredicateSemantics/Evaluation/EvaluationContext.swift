// What evaluation needs besides the record: the clock, chance, and late variables.

package import FoundationEssentials
package import RecordModel
import Synchronization

/// The surroundings of an evaluation, the same for all records of one query.
package final class EvaluationContext: Sendable {
    /// What `now()` gives.
    package let now: Date
    /// Values of `$variables` that were not given when the predicate was bound.
    package let variables: [String: FieldValue]
    /// Steps that deciding one record may take: comparisons, and elements of lists that are looked at or made.
    package let maximumSteps: Int
    private let seed: UInt64?
    /// In place of a seed, drawn when it is needed; 0 until then: chance costs a call of the system.
    private let drawnSeed = Atomic<UInt64>(0)
    private let draws = Atomic<UInt64>(0)

    /// The steps that a record may take where nothing else is said: some seconds.
    package static let defaultMaximumSteps = 50_000_000

    /// A context.
    ///
    /// - Parameters:
    ///   - now: The instant that `now()` gives throughout.
    ///   - seed: Where `random` starts; one seed gives one sequence, `nil` another one each time.
    ///   - variables: Values of variables left open by the binder.
    ///   - maximumSteps: Steps that deciding one record may take.
    package init(
        now: Date, seed: UInt64? = 0, variables: [String: FieldValue] = [:], maximumSteps: Int = defaultMaximumSteps
    ) {
        self.now = now
        self.seed = seed
        self.variables = variables
        self.maximumSteps = maximumSteps
    }

    /// A context of this moment.
    package static func current(
        variables: [String: FieldValue] = [:], maximumSteps: Int = defaultMaximumSteps
    ) -> EvaluationContext {
        EvaluationContext(
            now: Date(), seed: nil, variables: variables, maximumSteps: maximumSteps)
    }

    /// For predicates that read neither clock nor chance nor variables.
    package static let unused = EvaluationContext(now: Date(timeIntervalSinceReferenceDate: 0))

    private var start: UInt64 {
        if let seed { return seed }
        let known = drawnSeed.load(ordering: .acquiring)
        if known != 0 { return known }
        let fresh = UInt64.random(in: 1 ... .max)
        let (isFirst, drawn) = drawnSeed.compareExchange(expected: 0, desired: fresh, ordering: .acquiringAndReleasing)
        return isFirst ? fresh : drawn
    }

    /// The next 64 random bits (SplitMix64 by counter, so that threads may draw at once).
    func nextRandom() -> UInt64 {
        let index = draws.wrappingAdd(1, ordering: .relaxed).newValue
        var bits = start &+ index &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
