// An array in pages, of which a changed copy shares those that did not change.

/// Elements in pages of 512: changing a copy copies one page and the list of pages, and not all elements.
struct PagedArray<Element: Sendable>: Sendable {
    private var pages: [[Element]] = []
    private(set) var count = 0

    private static var shift: Int { 9 }
    private static var mask: Int { 1 << shift - 1 }

    /// Adds an element at the end.
    mutating func append(_ element: Element) {
        if count & Self.mask == 0 {
            var page: [Element] = []
            // The first page may be the only one.
            page.reserveCapacity(count == 0 ? 4 : Self.mask + 1)
            pages.append(page)
        }
        pages[count >> Self.shift].append(element)
        count += 1
    }
}

extension PagedArray: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Element {
        @inline(__always) get { pages[index >> Self.shift][index & Self.mask] }
        @inline(__always) _modify { yield &pages[index >> Self.shift][index & Self.mask] }
    }
}
