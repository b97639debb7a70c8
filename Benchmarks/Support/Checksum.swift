// A number that stands for bytes.

/// The FNV-1a hash of 64 bits, without its lowest bit.
enum Checksum {
    static func of(_ bytes: [UInt8]) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(hash >> 1)
    }
}
