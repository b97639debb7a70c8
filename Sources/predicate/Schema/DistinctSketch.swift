// How many different values a field has, counted in bounded memory.

import RecordDatabase

/// Counts distinct values: exactly while there are few, by the k smallest hashes beyond.
///
/// K-minimum-values estimator (Bar-Yossef et al., "Counting distinct elements in a data stream", 2002): with the k-th
/// smallest of uniformly spread hashes at the fraction x of the range, there are about (k − 1) / x distinct values; the
/// relative standard error is about 1 / √k, 1.6 % here.
struct DistinctSketch {
    private static let capacity = 4096
    /// Whether a value went that was not among the smallest.
    private var isFull = false
    /// A max-heap of the smallest hashes seen.
    private var heap: [UInt64] = []
    private var members: Set<UInt64> = []
    private var writer = JSONWriter()

    /// Whether `count` is exact.
    var isExact: Bool { !isFull }

    /// The number of distinct values, or the estimate.
    var count: Int {
        guard !isExact, let largest = heap.first, largest > 0 else { return heap.count }
        return Int(Double(Self.capacity - 1) / (Double(largest) / 0x1p64))
    }

    /// Counts a value in.
    mutating func insert(_ value: FieldValue) {
        writer.bytes.removeAll(keepingCapacity: true)
        writer.write(value)
        let hash = Self.hash(writer.bytes)
        if members.contains(hash) { return }
        if heap.count < Self.capacity {
            members.insert(hash)
            heap.append(hash)
            siftUp()
            return
        }
        isFull = true
        if hash < heap[0] {
            members.remove(heap[0])
            members.insert(hash)
            heap[0] = hash
            siftDown()
        }
    }

    /// FNV-1a with the finaliser of MurmurHash3, so that all bits are mixed; the same in every run.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ hash >> 33
    }

    private mutating func siftUp() {
        var child = heap.count - 1
        while child > 0, heap[child] > heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var largest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] > heap[largest] {
                largest = child
            }
            if largest == parent { return }
            heap.swapAt(parent, largest)
            parent = largest
        }
    }
}
