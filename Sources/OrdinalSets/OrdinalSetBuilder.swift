// Sets built member by member.

/// Gathers ordinals and becomes a set of whichever form suits them; never holds more than a bitmap's memory.
package struct OrdinalSetBuilder: Sendable {
    private let universe: Int
    /// The members until they are too many for a list; they may still have to be sorted.
    private var list: [UInt32] = []
    private var bitmap: Bitmap?

    /// No members yet. Ordinals beyond `universe` will be left out.
    package init(universe: Int) { self.universe = universe }

    /// Adds an ordinal; cheapest in ascending order. Complexity: amortised O(1).
    package mutating func append(_ ordinal: UInt32) {
        if bitmap != nil {
            if Int(ordinal) < universe { bitmap?[Int(ordinal)] = true }
        } else {
            list.append(ordinal)
            spillIfLarge()
        }
    }

    /// Adds ordinals; cheapest in ascending order. Complexity: amortised O(ordinals).
    package mutating func append(contentsOf ordinals: [UInt32]) {
        if bitmap != nil {
            bitmap?.insert(ordinals)
        } else {
            list.append(contentsOf: ordinals)
            spillIfLarge()
        }
    }

    /// The set.
    package consuming func finish() -> OrdinalSet {
        bitmap.map { OrdinalSet($0) } ?? OrdinalSet(list, universe: universe)
    }

    private mutating func spillIfLarge() {
        guard list.count >= 64, OrdinalSet.isDense(list.count, universe) else { return }
        bitmap = Bitmap(ordinals: list, count: universe)
        list = []
    }
}
