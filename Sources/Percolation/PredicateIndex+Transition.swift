// What a change of a record means to the stored predicates.

package import PredicateSemantics
package import RecordModel

extension PredicateIndex {
    /// What a record matched before and after a change.
    ///
    /// A predicate that fails on a record does not hold for it.
    package struct Transition: Sendable {
        /// The predicates that hold after the change and did not before, in no order.
        package internal(set) var entered: [ID] = []
        /// The predicates that held before and hold after, in no order.
        package internal(set) var stayed: [ID] = []
        /// The predicates that held before and no longer do, in no order.
        package internal(set) var left: [ID] = []
        /// The predicates that have no meaning for the record as it was.
        package internal(set) var failuresBefore: [Failure] = []
        /// The predicates that have no meaning for the record as it is.
        package internal(set) var failuresAfter: [Failure] = []
    }

    /// Compares what holds for a record before and after a change.
    ///
    /// Fields whose values did not change are looked up once.
    ///
    /// - Parameters:
    ///   - old: The record before; nil where it is new.
    ///   - new: The record after; nil where it is deleted.
    ///   - context: Clock, chance and late variables for both; by default those of this moment.
    ///   - resolver: Finds the record behind a reference; without one, paths through references are nil.
    /// - Complexity: That of `matches` for each record.
    package func transition(
        from old: Record?, to new: Record?, context: EvaluationContext? = nil,
        resolver: (@Sendable (RecordReference) -> Record?)? = nil
    ) -> Transition {
        guard let old, let new, old.type == new.type else {
            let before = old.map { matches($0, context: context, resolver: resolver) } ?? Matches()
            let after = new.map { matches($0, context: context, resolver: resolver) } ?? Matches()
            return Transition(from: before, to: after)
        }
        let candidates = indexes(for: new.type)
        let context = context ?? moment(of: candidates)
        let before = RecordFields(old, resolver: resolver)
        let after = RecordFields(new, resolver: resolver)
        var transition = Transition()
        for index in candidates {
            let oldTerms = RecordTerms(of: before, in: index)
            let newTerms = RecordTerms(of: after, in: index, earlier: (before, oldTerms))
            var held = Matching(before, oldTerms, in: index, context: context)
            var holding = Matching(after, newTerms, in: index, context: context)
            held.run()
            holding.run()
            transition.add(held, holding)
        }
        return transition
    }
}

extension PredicateIndex.Transition {
    /// The change between records of which at most one is there, or that are of two types.
    fileprivate init(from before: PredicateIndex.Matches, to after: PredicateIndex.Matches) {
        let (old, new) = (Set(before.ids), Set(after.ids))
        entered = after.ids.filter { !old.contains($0) }
        stayed = after.ids.filter(old.contains)
        left = before.ids.filter { !new.contains($0) }
        failuresBefore = before.failures
        failuresAfter = after.failures
    }

    fileprivate mutating func add(_ before: Matching, _ after: Matching) {
        let ids = before.index.ids
        var held = [UInt64](repeating: 0, count: (ids.count + 63) / 64)
        for slot in before.slots { held[Int(slot >> 6)] |= 1 &<< UInt64(slot & 63) }
        for slot in after.slots {
            let (word, bit) = (Int(slot >> 6), UInt64(1) &<< UInt64(slot & 63))
            if held[word] & bit != 0 {
                stayed.append(ids[Int(slot)])
                held[word] &= ~bit
            } else {
                entered.append(ids[Int(slot)])
            }
        }
        for slot in before.slots where held[Int(slot >> 6)] >> UInt64(slot & 63) & 1 != 0 {
            left.append(ids[Int(slot)])
        }
        failuresBefore += before.failures.map { .init(id: ids[$0.slot], error: $0.error) }
        failuresAfter += after.failures.map { .init(id: ids[$0.slot], error: $0.error) }
    }
}
