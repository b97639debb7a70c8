// Inputs that fuzzing found to lead somewhere new, few and short enough to be kept with the sources.

import FoundationEssentials

/// The kept inputs of a target: one file, in which each input stands behind four bytes with its length, the highest
/// first.
enum KeptCorpus {
    /// Bytes of a file at most. All targets together stay below a megabyte.
    static let byteLimit = 48 << 10

    static func folder(below root: String) -> String { root + "/Grammar/Fuzz/corpus" }

    static func path(of target: FuzzTarget, below root: String) -> String {
        "\(folder(below: root))/\(target.name).corpus"
    }

    /// The inputs of a target; none where there is no file.
    static func inputs(of target: FuzzTarget, below root: String) -> [[UInt8]] {
        FileManager.default.contents(atPath: path(of: target, below: root)).map { unpacked([UInt8]($0)) } ?? []
    }

    /// As many of the inputs as there is room for, the shortest first: each of them leads somewhere that the others do
    /// not.
    static func packed(_ inputs: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for input in inputs.sorted(by: precedes) {
            guard bytes.count + 4 + input.count <= byteLimit else { break }
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: input.count >> shift)) }
            bytes += input
        }
        return bytes
    }

    private static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count != other.count ? one.count < other.count : one.lexicographicallyPrecedes(other)
    }

    /// The inputs of a file; a file that ends within one ends with the one before it.
    static func unpacked(_ bytes: [UInt8]) -> [[UInt8]] {
        var inputs: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count else { break }
            inputs.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return inputs
    }
}
