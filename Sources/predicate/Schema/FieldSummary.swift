// What the values of one field look like: how many, how many different, from where to where.

import RecordDatabase

/// Facts about the values of a field, gathered value by value.
struct FieldSummary {
    private(set) var present = 0
    private(set) var distinct = DistinctSketch()
    private var smallest: FieldValue?
    private var largest: FieldValue?
    /// How often each value occurs, of those that came first.
    private var counts: [FieldValue: Int] = [:]
    private var examples: [FieldValue] = []
    /// At most so many different values are counted.
    private static let capacity = 4096
    private var elementCounts: (least: Int, most: Int)?
    private var box: (south: Double, north: Double, west: Double, east: Double)?

    /// Takes a value into account; missing ones do not count.
    mutating func insert(_ value: FieldValue) {
        if value.isNull { return }
        present += 1
        distinct.insert(value)
        switch value {
        case .int64, .double, .date: widen(value)
        case .location(let place):
            let old = box ?? (place.latitude, place.latitude, place.longitude, place.longitude)
            box = (
                min(old.south, place.latitude), max(old.north, place.latitude), min(old.west, place.longitude),
                max(old.east, place.longitude)
            )
        case .list(let elements):
            let old = elementCounts ?? (elements.count, elements.count)
            elementCounts = (min(old.least, elements.count), max(old.most, elements.count))
            for element in elements { addExample(element) }
        case .null, .bool, .string, .data, .reference, .asset, .set, .object: addExample(value)
        }
    }

    private mutating func addExample(_ value: FieldValue) {
        if let count = counts[value] {
            counts[value] = count + 1
        } else if counts.count < Self.capacity {
            counts[value] = 1
            if examples.count < 3, !ValueText.display(value).isEmpty { examples.append(value) }
        }
    }

    /// The values that occur most; the first ones, where none is seen more often than others.
    private var shownExamples: [String] {
        let most = counts.filter { $0.value > 1 && !ValueText.display($0.key).isEmpty }
            .sorted { ($1.value, ValueText.display($0.key)) < ($0.value, ValueText.display($1.key)) }
            .prefix(3).map(\.key)
        var texts: [String] = []
        for value in most + examples where texts.count < 3 {
            let (text, _) = TableWriter.cut(ValueText.display(value), to: 24)
            if !texts.contains(text) { texts.append(text) }
        }
        return texts
    }

    private mutating func widen(_ value: FieldValue) {
        if smallest.map({ SortOrder.compare(value, $0) < 0 }) ?? true { smallest = value }
        if largest.map({ SortOrder.compare(value, $0) > 0 }) ?? true { largest = value }
    }

    /// Range, sizes or examples, for people.
    var values: String {
        if let smallest, let largest { return "\(ValueText.display(smallest)) … \(ValueText.display(largest))" }
        if let box {
            return "latitude \(box.south) … \(box.north), longitude \(box.west) … \(box.east)"
        }
        let shown = shownExamples.joined(separator: ", ")
        guard let elementCounts else { return shown }
        return "\(elementCounts.least) … \(elementCounts.most) elements: \(shown)"
    }
}
