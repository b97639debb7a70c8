// Percolation: one record against very many stored predicates.

package import PredicateSemantics
package import RecordModel

/// Stored predicates, indexed so that a record finds those that hold for it by looking its values up.
///
/// Each predicate is listed under its most selective condition: a value, an element, a word, the beginning of a text, a
/// place, or one of several of these; a range sorts what is listed under one condition. What holds is what
/// `BoundPredicate.evaluate` says, errors included. A predicate none of whose conditions can be looked up is tried on
/// every record.
///
/// An index is a value. To match while predicates come and go, keep it under a lock and match on copies: a copy costs
/// nothing, and the next insertion or removal after it copies about 100 bytes a predicate of the record type.
package struct PredicateIndex: Sendable {
    /// Names a stored predicate; the owner chooses it.
    package typealias ID = Int

    /// A predicate that cannot be evaluated on a record.
    package struct Failure: Sendable {
        package var id: ID
        package var error: EvaluationError
    }

    /// What a record matches.
    package struct Matches: Sendable {
        /// The predicates that hold, each once, in no order.
        package internal(set) var ids: [ID] = []
        /// The predicates that have no meaning for the record, in no order.
        package internal(set) var failures: [Failure] = []
    }

    /// Where a predicate is stored.
    private struct Place: Sendable {
        var type: Int
        var slot: Int
    }

    private(set) var types: [TypeIndex] = []
    /// The position of a record type; nil stands for predicates over records of any type.
    private var typeNumbers: [String?: Int] = [:]
    private var places: [ID: Place] = [:]

    /// An index without predicates.
    package init() {}

    /// Number of stored predicates.
    package var count: Int { places.count }

    /// Number of stored predicates that are tried on every record of their type, nothing in them being of a kind that
    /// can be looked up.
    package var alwaysTriedCount: Int { types.reduce(0) { $0 + $1.alwaysTried } }

    /// Bytes of memory, about, without the predicates themselves. Complexity: O(n).
    package var byteCount: Int {
        types.reduce(places.capacity * (MemoryLayout<Place>.stride + 9)) { $0 + $1.byteCount }
    }

    /// Stores a predicate; one of the same identifier is replaced.
    ///
    /// - Parameters:
    ///   - predicate: The predicate. One that reads the clock does so for each record.
    ///   - id: Its name in results.
    ///   - type: The type of the records that it is for; nil for records of all types.
    /// - Returns: Whether there was room for it: a record type can have 2^30 predicates.
    /// - Complexity: O(n) in the nodes of the predicate and the elements of its lists, O(log m) comparisons in the
    ///   predicates listed under the same condition, and moving those behind it.
    @discardableResult
    package mutating func insert(_ predicate: BoundPredicate, id: ID, type: String?) -> Bool {
        remove(id)
        let number = typeNumbers[type] ?? types.count
        if number == types.count {
            types.append(TypeIndex())
            typeNumbers[type] = number
        }
        guard let slot = types[number].insert(predicate, id: id) else { return false }
        places[id] = Place(type: number, slot: slot)
        return true
    }

    /// Forgets a predicate; returns whether there was one. Complexity: as for insertion.
    @discardableResult
    package mutating func remove(_ id: ID) -> Bool {
        guard let place = places.removeValue(forKey: id) else { return false }
        types[place.type].remove(slot: place.slot)
        return true
    }

    /// The stored predicates that hold for a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - context: Clock, chance and late variables; by default those of this moment, one for all predicates.
    ///   - resolver: Finds the record behind a reference; without one, paths through references are nil.
    /// - Complexity: O(n) in the record, the predicates that hold, and the candidates that turn out not to.
    package func matches(
        _ record: Record, context: EvaluationContext? = nil, resolver: (@Sendable (RecordReference) -> Record?)? = nil
    ) -> Matches {
        let candidates = indexes(for: record.type)
        let context = context ?? moment(of: candidates)
        let record = RecordFields(record, resolver: resolver)
        var matches = Matches()
        for index in candidates {
            var matching = Matching(record, RecordTerms(of: record, in: index), in: index, context: context)
            matching.run()
            matches.add(matching)
        }
        return matches
    }

    /// The predicates over a type, and those over all types.
    func indexes(for type: String) -> [TypeIndex] {
        let numbers = [typeNumbers[type], typeNumbers[nil]]
        return numbers.compactMap { number in number.map { types[$0] } }.filter { $0.count > 0 }
    }

    /// A context for all predicates, of this moment if one needs it.
    func moment(of indexes: [TypeIndex]) -> EvaluationContext {
        indexes.contains { $0.contextReaders > 0 } ? .current() : .unused
    }
}

extension PredicateIndex.Matches {
    fileprivate mutating func add(_ matching: Matching) {
        ids.reserveCapacity(ids.count + matching.slots.count)
        for slot in matching.slots { ids.append(matching.index.ids[Int(slot)]) }
        failures += matching.failures.map { .init(id: matching.index.ids[$0.slot], error: $0.error) }
    }
}
