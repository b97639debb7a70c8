// Which part of a result is wanted.

/// The part of an ordered result that is wanted: at most so many elements behind so many others.
struct ResultWindow: Sendable {
    let limit: Int?
    let offset: Int

    /// - Parameters: A negative one is 0.
    init(limit: Int? = nil, offset: Int = 0) { (self.limit, self.offset) = (limit.map { max(0, $0) }, max(0, offset)) }

    /// How many elements have to be found; `nil` for all.
    var end: Int? {
        guard let limit else { return nil }
        let (end, isTooLarge) = limit.addingReportingOverflow(offset)
        return isTooLarge ? nil : end
    }

    /// Whether it is the whole result.
    var isWhole: Bool { limit == nil && offset == 0 }

    /// Leaves the part that is wanted.
    func cut(_ elements: inout [some Any]) {
        if let end { elements.removeLast(max(0, elements.count - end)) }
        elements.removeFirst(min(offset, elements.count))
    }
}
