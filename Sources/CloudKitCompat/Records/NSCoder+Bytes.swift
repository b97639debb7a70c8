// What this module's classes write into archives: bytes and texts, which are read without trusting the archive.

import Foundation

// Foundation on Linux ends the process where an object is requested that is not there, that is of another class, or
// that comes after any other fault. Bytes are stored beside their key, not as an object, and are read without that.
extension NSCoder {
    func encode(_ bytes: Data, for key: String) {
        unsafe bytes.withUnsafeBytes { buffer in
            // SAFETY: The coder copies as many bytes as the buffer has, before this closure ends.
            unsafe encodeBytes(
                buffer.bindMemory(to: UInt8.self).baseAddress, length: buffer.count, forKey: key)
        }
    }

    func encode(_ text: String, for key: String) { encode(Data(text.utf8), for: key) }

    /// The bytes of a key; `nil` where there are none, or something else.
    func data(for key: String) -> Data? {
        guard allowsKeyedCoding, (self as? NSKeyedUnarchiver)?.error == nil, containsValue(forKey: key) else {
            return nil
        }
        return unsafe withDecodedUnsafeBytes(forKey: key) { buffer in
            // SAFETY: The buffer lives as long as this closure, which copies it.
            unsafe buffer.map { unsafe Data($0) }
        }
    }

    /// The text of a key; `nil` where there is none, or something else.
    func text(for key: String) -> String? { data(for: key).flatMap { String(data: $0, encoding: .utf8) } }

    /// Writes a value as JSON; nothing for one that has no such form.
    func encode(value: some Encodable, for key: String) {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else { return }
        encode(data, for: key)
    }

    /// The value of a key; `nil` where there is none, or something else.
    func value<Value: Decodable>(for key: String) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return data(for: key).flatMap { try? decoder.decode(Value.self, from: $0) }
    }
}
