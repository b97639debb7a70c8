// Fields that records of files name without a value.

/// The fields of each record that are null in JSON, or an empty cell in CSV.
package struct NullFields: Sendable {
    /// The place of the record among all that were loaded, ascending, once for each field.
    private var positions: [Int] = []
    private var keys: [Int32] = []
    /// The names by their numbers.
    fileprivate(set) var names: [String] = []

    /// Notes fields of the record loaded last.
    mutating func note(_ numbers: [Int], ofRecordAt position: Int) {
        for number in numbers {
            positions.append(position)
            keys.append(Int32(truncatingIfNeeded: number))
        }
    }

    /// The same with the names of fields, by their numbers.
    func named(_ names: [String]) -> NullFields {
        var fields = self
        fields.names = names
        return fields
    }

    /// The names of the fields of a record. Complexity: O(log n + fields).
    package func names(ofRecordAt position: Int) -> [String] {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = low + (high - low) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        return zip(positions[low...], keys[low...]).prefix { $0.0 == position }.compactMap { _, key in
            names.indices.contains(Int(key)) ? names[Int(key)] : nil
        }
    }
}
