// What a structure is made of when it is stored: a few numbers, and blocks of memory as they are.

package import RecordModel

/// The parts of a structure by name: numbers, short bytes, blocks of elements, and structures inside it.
///
/// The one form in which columns and indexes are stored. To be written, a structure names its own memory as blocks,
/// without a copy; in a file, each block is named by its place. A block is what it is in memory, lowest byte first.
package struct BlockTree<Block: Sendable>: Sendable {
    /// A part of a structure.
    package indirect enum Part: Sendable {
        case number(Int64)
        case bytes([UInt8])
        case block(Block)
        case tree(BlockTree)
        case trees([BlockTree])
    }

    /// The parts, in the order in which they were added: blocks lie in a file in that order.
    package private(set) var parts: [(name: String, part: Part)] = []

    /// A structure without parts.
    package init() {}

    /// A part by its name; setting one adds it, or does nothing for `nil`.
    package subscript(name: String) -> Part? {
        get { parts.first { $0.name == name }?.part }
        set {
            if let newValue { parts.append((name, newValue)) }
        }
    }

    /// The same structure with other blocks, which `transform` gives, called in order.
    package func map<Other, Failure: Error>(
        _ transform: (Block) throws(Failure) -> Other
    ) throws(Failure) -> BlockTree<Other> {
        var tree = BlockTree<Other>()
        for (name, part) in parts {
            switch part {
            case .number(let number): tree[name] = .number(number)
            case .bytes(let bytes): tree[name] = .bytes(bytes)
            case .block(let block): tree[name] = .block(try transform(block))
            case .tree(let inner): tree[name] = .tree(try inner.map(transform))
            case .trees(let inner):
                var trees: [BlockTree<Other>] = []
                for inner in inner { trees.append(try inner.map(transform)) }
                tree[name] = .trees(trees)
            }
        }
        return tree
    }

    /// All blocks, in order, those of inner structures among them.
    package var blocks: [Block] {
        var blocks: [Block] = []
        _ = map { blocks.append($0) }
        return blocks
    }
}

/// Memory that can be stored as a block.
package protocol BlockMemory: AnyObject, Sendable {
    /// Calls `body` with the bytes.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension ColumnBuffer: BlockMemory {
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withElements { elements throws(Failure) in try unsafe body(UnsafeRawBufferPointer(elements)) }
    }
}

/// A structure that is to be stored.
package typealias WrittenBlocks = BlockTree<any BlockMemory>

extension BlockTree where Block == any BlockMemory {
    /// Adds a number.
    package mutating func add(_ name: String, _ number: Int) { self[name] = .number(Int64(number)) }

    /// Adds a block of the elements of a buffer, if there is one.
    package mutating func add<Element>(_ name: String, _ buffer: ColumnBuffer<Element>?) {
        self[name] = buffer.map { .block($0) }
    }

    /// Adds a block of the elements of an array.
    package mutating func add<Element: BitwiseCopyable>(_ name: String, _ elements: [Element]) {
        self[name] = .block(ColumnBuffer(elements))
    }

    /// Adds a structure.
    package mutating func add(_ name: String, _ tree: WrittenBlocks) { self[name] = .tree(tree) }

    /// Adds a list of structures.
    package mutating func add(_ name: String, _ trees: [WrittenBlocks]) { self[name] = .trees(trees) }
}

/// Where a block lies in a file, and what it must be.
package struct BlockPlace: Hashable, Sendable {
    /// Bytes before it.
    package var offset: Int
    package var byteCount: Int
    package var checksum: UInt64

    package init(offset: Int, byteCount: Int, checksum: UInt64) {
        self.offset = offset
        self.byteCount = byteCount
        self.checksum = checksum
    }
}

extension BlockPlace: BinaryCodable {
    package func write(to writer: inout BinaryWriter) {
        writer.write(count: offset)
        writer.write(count: byteCount)
        writer.write(fixed: checksum)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        offset = try reader.number(upTo: .max)
        byteCount = try reader.number(upTo: .max)
        checksum = try reader.fixed()
    }
}

extension BlockTree: BinaryCodable where Block: BinaryCodable {
    private enum Mark {
        static var number: UInt8 { 0 }
        static var bytes: UInt8 { 1 }
        static var block: UInt8 { 2 }
        static var tree: UInt8 { 3 }
        static var trees: UInt8 { 4 }
    }

    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(count: parts.count)
        for (name, part) in parts {
            writer.write(name)
            switch part {
            case .number(let number):
                writer.write(byte: Mark.number)
                writer.write(signed: number)
            case .bytes(let bytes):
                writer.write(byte: Mark.bytes)
                writer.write(bytes: bytes)
            case .block(let block):
                writer.write(byte: Mark.block)
                try block.write(to: &writer)
            case .tree(let tree):
                writer.write(byte: Mark.tree)
                try writer.nest { writer throws(BinaryError) in try tree.write(to: &writer) }
            case .trees(let trees):
                writer.write(byte: Mark.trees)
                try writer.nest { writer throws(BinaryError) in try writer.write(list: trees) }
            }
        }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        self.init()
        for _ in 0..<(try reader.count()) {
            let name = try reader.text()
            let start = reader.offset
            switch try reader.byte() {
            case Mark.number: self[name] = .number(try reader.signed())
            case Mark.bytes: self[name] = .bytes(Array(try reader.counted()))
            case Mark.block: self[name] = .block(try Block(from: &reader))
            case Mark.tree:
                self[name] = .tree(try reader.nest { reader throws(BinaryError) in try BlockTree(from: &reader) })
            case Mark.trees:
                self[name] = .trees(try reader.nest { reader throws(BinaryError) in try reader.list() })
            case let mark: throw BinaryError(.unknownKind(mark), offset: start)
            }
        }
    }
}
