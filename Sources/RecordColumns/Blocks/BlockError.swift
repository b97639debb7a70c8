// Why stored blocks are not the structure that they should be.

/// What was wrong with a stored structure, and with which part of it.
package struct BlockError: Error, Hashable, Sendable {
    /// The names of the part and of what it is in, with points between them.
    package var part: String
    /// What was expected and what was found, never a value of a record.
    package var reason: String

    package init(part: String, _ reason: String) {
        self.part = part
        self.reason = reason
    }
}

extension BlockError: CustomStringConvertible {
    package var description: String { "\(part): \(reason)" }
}
