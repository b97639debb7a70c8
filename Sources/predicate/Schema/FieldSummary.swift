// What the values of one field look like: how many, how many different, from where to where.

import RecordDatabase

/// Facts about the values of a field, gathered value by value.
struct FieldSummary {
    private(set) var present = 0
    private(set) var distinct = DistinctSketch()
    private var smallest: FieldValue?
    private var largest: FieldValue?
    private var examples: [String] = []
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
            for element in elements where examples.count < 3 { addExample(element) }
        case .null, .bool, .string, .data, .reference, .asset, .set, .object: addExample(value)
        }
    }

    private mutating func addExample(_ value: FieldValue) {
        if examples.count == 3 { return }
        let (text, _) = TableWriter.cut(ValueText.display(value), to: 24)
        if !text.isEmpty, !examples.contains(text) { examples.append(text) }
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
        let shown = examples.joined(separator: ", ")
        guard let elementCounts else { return shown }
        return "\(elementCounts.least) … \(elementCounts.most) elements: \(shown)"
    }
}
