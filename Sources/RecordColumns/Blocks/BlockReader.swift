// Reading stored structures: every number is checked against what it must be before anything relies on it.

package import OrdinalSets
package import RecordModel

/// Memory that holds blocks, such as a mapped file.
package protocol BlockSource: AnyObject, Sendable {
    /// The bytes of a block, aligned for every element and as they were written; they stay as they are for as long as
    /// the source is referenced.
    /// - Throws: `BlockError` for a place that is not in the source, and for bytes that have changed; its `part` is
    ///   empty.
    func bytes(of place: BlockPlace) throws(BlockError) -> UnsafeRawBufferPointer
}

/// Reads a stored structure part by part. Buffers borrow the memory of the source.
package struct BlockReader: Sendable {
    private let tree: BlockTree<BlockPlace>
    private let source: any BlockSource
    /// What the structure is, for errors.
    private let path: String

    /// - Parameter path: What the structure is, for errors.
    package init(_ tree: BlockTree<BlockPlace>, in source: any BlockSource, path: String) {
        self.tree = tree
        self.source = source
        self.path = path
    }

    /// The error of a part.
    package func failure(_ name: String, _ reason: String) -> BlockError {
        BlockError(part: "\(path).\(name)", reason)
    }

    /// Whether there is a part of that name.
    package func has(_ name: String) -> Bool { tree[name] != nil }

    /// Where the blocks of the structure lie, in order.
    package var places: [BlockPlace] { tree.blocks }

    // MARK: Small parts

    /// A number within a range.
    /// - Throws: `BlockError`.
    package func number(_ name: String, _ range: ClosedRange<Int> = 0...Int.max) throws(BlockError) -> Int {
        guard case .number(let number)? = tree[name] else { throw failure(name, "there is no such number") }
        guard let number = Int(exactly: number), range.contains(number) else {
            throw failure(name, "expected a number of \(range.lowerBound) to \(range.upperBound), found \(number)")
        }
        return number
    }

    /// A number that says yes or no.
    /// - Throws: `BlockError`.
    package func flag(_ name: String) throws(BlockError) -> Bool { try number(name, 0...1) == 1 }

    /// All bits of a number.
    /// - Throws: `BlockError`.
    package func bits(_ name: String) throws(BlockError) -> UInt64 {
        UInt64(bitPattern: Int64(try number(name, Int.min...Int.max)))
    }

    /// A value that was stored in its binary form.
    /// - Throws: `BlockError`.
    package func value<Value: BinaryCodable>(
        _ name: String, of: Value.Type = Value.self
    ) throws(BlockError) -> Value {
        guard case .bytes(let bytes)? = tree[name] else { throw failure(name, "there are no such bytes") }
        do throws(BinaryError) { return try Value(binary: bytes) } catch { throw failure(name, "\(error)") }
    }

    /// A structure inside this one.
    /// - Throws: `BlockError`.
    package func structure(_ name: String) throws(BlockError) -> BlockReader {
        guard case .tree(let inner)? = tree[name] else { throw failure(name, "there is no such structure") }
        return BlockReader(inner, in: source, path: "\(path).\(name)")
    }

    /// The structures of a list inside this one.
    /// - Throws: `BlockError`.
    package func structures(_ name: String) throws(BlockError) -> [BlockReader] {
        guard case .trees(let inner)? = tree[name] else { throw failure(name, "there is no such list") }
        return inner.enumerated().map { BlockReader($1, in: source, path: "\(path).\(name).\($0)") }
    }

    // MARK: Blocks

    /// The elements of a block, `count` of them where that is known.
    /// - Throws: `BlockError`.
    package func buffer<Element: BitwiseCopyable>(
        _ name: String, of: Element.Type = Element.self, count: Int? = nil
    ) throws(BlockError) -> ColumnBuffer<Element> {
        guard case .block(let place)? = tree[name] else { throw failure(name, "there is no such block") }
        let stride = MemoryLayout<Element>.stride
        guard place.byteCount >= 0, place.byteCount % stride == 0 else {
            throw failure(name, "\(place.byteCount) bytes are no whole number of elements of \(stride)")
        }
        guard count == nil || place.byteCount / stride == count else {
            throw failure(name, "expected \(count ?? 0) elements, found \(place.byteCount / stride)")
        }
        do throws(BlockError) {
            let bytes = unsafe try source.bytes(of: place)
            guard bytes.count == place.byteCount else { throw failure(name, "the block is cut off") }
            // SAFETY: blocks are aligned for every element, any bits are an element, and the source keeps them.
            return unsafe ColumnBuffer(borrowing: bytes.bindMemory(to: Element.self), of: source)
        } catch {
            throw error.part.isEmpty ? failure(name, error.reason) : error
        }
    }

    /// A block of numbers that are all below a limit.
    /// - Throws: `BlockError`.
    package func numbers(
        _ name: String, count: Int? = nil, below limit: Int
    ) throws(BlockError) -> ColumnBuffer<UInt32> {
        let numbers: ColumnBuffer<UInt32> = try buffer(name, count: count)
        try expect(numbers.count == 0 ? 0 : Int(numbers.greatest) + 1, name, limit)
        return numbers
    }

    /// As `numbers`, of two bytes each.
    /// - Throws: `BlockError`.
    package func shortNumbers(_ name: String, below limit: Int) throws(BlockError) -> ColumnBuffer<UInt16> {
        let numbers: ColumnBuffer<UInt16> = try buffer(name)
        try expect(numbers.count == 0 ? 0 : Int(numbers.greatest) + 1, name, limit)
        return numbers
    }

    private func expect(_ end: Int, _ name: String, _ limit: Int) throws(BlockError) {
        guard end <= limit else { throw failure(name, "expected numbers below \(limit), found \(end - 1)") }
    }

    /// A block that says where each of `count` things starts among `end` others, and at the end where the last one
    /// ends.
    ///
    /// - Parameter isStrict: Whether no thing may be empty.
    /// - Throws: `BlockError`.
    package func bounds(
        _ name: String, count: Int? = nil, end: Int, isStrict: Bool = false
    ) throws(BlockError) -> ColumnBuffer<UInt32> {
        let bounds: ColumnBuffer<UInt32> = try buffer(name, count: count.map { $0 + 1 })
        guard bounds.count > 0, bounds[0] == 0, bounds.isAscending(strictly: isStrict) else {
            throw failure(name, "the bounds do not ascend from 0")
        }
        guard bounds[bounds.count - 1] == end else {
            throw failure(name, "expected a last bound of \(end), found \(bounds[bounds.count - 1])")
        }
        return bounds
    }

    /// A bitmap of `count` rows.
    /// - Throws: `BlockError`.
    package func bitmap(_ name: String, count: Int) throws(BlockError) -> Bitmap {
        let words: ColumnBuffer<UInt64> = try buffer(name, count: (count + 63) / 64)
        return unsafe Bitmap(words: words.withElements { unsafe Array($0) }, count: count)
    }

    /// As `bitmap`; `nil` when there is none.
    /// - Throws: `BlockError`.
    package func optionalBitmap(_ name: String, count: Int) throws(BlockError) -> Bitmap? {
        has(name) ? try bitmap(name, count: count) : nil
    }

    /// The elements of a block, copied.
    /// - Throws: `BlockError`.
    package func array<Element: BitwiseCopyable>(
        _ name: String, of: Element.Type = Element.self, count: Int? = nil
    ) throws(BlockError) -> [Element] {
        let buffer: ColumnBuffer<Element> = try buffer(name, count: count)
        return unsafe buffer.withElements { unsafe Array($0) }
    }
}

extension BlockTree where Block == any BlockMemory {
    /// Adds a bitmap, if there is one; its number of rows is known otherwise.
    package mutating func add(_ name: String, _ bitmap: Bitmap?) {
        if let bitmap { add(name, bitmap.words) }
    }

    /// Adds all bits of a number.
    package mutating func add(_ name: String, bits: UInt64) { self[name] = .number(Int64(bitPattern: bits)) }

    /// Adds a value in its binary form.
    /// - Throws: `BinaryError` of kind `tooDeep`.
    package mutating func add(_ name: String, _ value: some BinaryCodable) throws(BinaryError) {
        self[name] = .bytes(try value.binary())
    }
}

// Each for its type of numbers: nothing but a loop that is compiled for the type is as fast as memory.

extension ColumnBuffer where Element == UInt16 {
    /// The greatest element; 0 when there is none. Complexity: O(count).
    fileprivate var greatest: UInt16 { unsafe withElements { unsafe Numbers.greatest($0) } }
}

extension ColumnBuffer where Element == UInt32 {
    /// The greatest element; 0 when there is none. Complexity: O(count).
    fileprivate var greatest: UInt32 { unsafe withElements { unsafe Numbers.greatest($0) } }

    /// Whether no element is below the one before it, or strictly: each is above it. Complexity: O(count).
    fileprivate func isAscending(strictly isStrict: Bool) -> Bool {
        unsafe withElements { elements in
            guard elements.count > 1 else { return true }
            // Without a branch for each element, so that many are compared at once.
            var falls: UInt32 = 0
            if isStrict {
                // SAFETY: positions are below `count`.
                for position in 1..<elements.count {
                    falls |= unsafe elements[position &- 1] >= elements[position] ? 1 : 0
                }
            } else {
                for position in 1..<elements.count {
                    falls |= unsafe elements[position &- 1] > elements[position] ? 1 : 0
                }
            }
            return falls == 0
        }
    }
}

private enum Numbers {
    @inline(__always)
    static func greatest<Number: FixedWidthInteger & UnsignedInteger>(
        _ elements: UnsafeBufferPointer<Number>
    ) -> Number {
        var greatest: Number = 0
        for position in 0..<elements.count {
            // SAFETY: the position is below `count`.
            let element = unsafe elements[position]
            greatest = element > greatest ? element : greatest
        }
        return greatest
    }
}
