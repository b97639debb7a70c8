// A batch that a client sent with a token of its own, as the database remembers it.

import FoundationEssentials
import RecordModel

/// What tells a batch from all others. A batch is a repetition if it says the same under the same token: a token alone
/// may come again, as the next process of an application starts counting at the same number.
struct SentBatch: Hashable, Sendable {
    /// The client's own token.
    let token: Data
    /// The SHA-256 digest of all that the batch says, and of who says it, in hexadecimal digits.
    let digest: String
}

extension SentBatch: BinaryCodable {
    func write(to writer: inout BinaryWriter) {
        writer.write(bytes: token)
        writer.write(digest)
    }

    init(from reader: inout BinaryReader) throws(BinaryError) {
        token = Data(try reader.counted())
        digest = try reader.text()
    }
}

extension SentBatch {
    /// The batch of a request; `nil` for one without a token, and for one that cannot be stored.
    ///
    /// - Parameters:
    ///   - saves: The items as the store knows them, with assets in its folder.
    ///   - deletes: The records that go, likewise.
    ///   - salt: What the digest begins with.
    /// - Complexity: O(bytes).
    init?(
        _ request: ModifyRequest, _ saves: [SaveItem], _ deletes: [DeleteItem], userName: String?, salt: [UInt8] = []
    ) {
        guard let token = request.clientToken else { return nil }
        var (writer, hash) = (BinaryWriter(), SHA256())
        hash.update(salt[...])
        do throws(BinaryError) {
            try writer.write(optional: userName)
            writer.write("\(request.policy) \(request.isAtomic)")
            writer.write(count: saves.count)
            for item in saves {
                try item.write(to: &writer)
                hash.update(writer.bytes[...])
                writer.removeAll()
            }
            try writer.write(list: deletes.map(\.id))
        } catch {
            return nil
        }
        hash.update(writer.bytes[...])
        self.init(token: token, digest: hash.hexDigest())
    }
}

extension SaveItem {
    /// Appends all that the item says.
    fileprivate func write(to writer: inout BinaryWriter) throws(BinaryError) {
        try id.write(to: &writer)
        writer.write(record.type)
        try writer.write(optional: record.recordChangeTag)
        writer.write(byte: setsParent ? 1 : 0)
        try writer.write(optional: record.parent)
        writer.write(count: values.count)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            writer.write(key)
            try value.write(to: &writer)
        }
        if encryptedValues.isEmpty { return }
        writer.write(count: encryptedValues.count)
        for (key, value) in encryptedValues.sorted(by: { $0.key < $1.key }) {
            writer.write(key)
            try value.write(to: &writer)
        }
    }
}

extension DatabaseState {
    /// Whether a batch is a repetition of the last one that its client sent with a token: this client, or any of an
    /// earlier process, as nobody knows which of these it was.
    func repeats(_ batch: SentBatch, of client: Int) -> Bool {
        if presentClients.contains(client) { return sentBatches[client] == batch }
        return sentBatches.contains { !presentClients.contains($0.key) && $0.value == batch }
    }
}
