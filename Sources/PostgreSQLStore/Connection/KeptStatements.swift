// Statements that a server keeps for a connection.

/// The names of statements that a connection sends often.
struct KeptStatements {
    /// Beyond so many none is kept: each has memory on the server.
    private static let capacity = 64

    private var names: [String: String] = [:]
    /// Names of statements that are sent to be kept with those that go out now.
    private var new: Set<String> = []
    private var count = 0

    /// The name of a statement, and whether the server does not keep it yet; `nil` where there are too many.
    mutating func name(of text: String) -> (name: String, isNew: Bool)? {
        if let name = names[text] { return (name, false) }
        guard names.count < Self.capacity else { return nil }
        // A name is never used again: the server may keep a statement that is not known to be kept. What it begins with
        // is what an administrator looks for.
        count += 1
        let name = "\(count) " + String(String.UnicodeScalarView(text.unicodeScalars.prefix(18)))
        names[text] = name
        new.insert(name)
        return (name, true)
    }

    /// Notes that all went well.
    mutating func noteSent() { new = [] }

    /// Forgets what may not be kept: behind an error nothing is.
    mutating func forget(after error: ServerError) {
        // A statement that is not there, or whose columns have other types by now.
        let isOfKept = error.sqlState == "26000" || error.sqlState == "0A000"
        names = isOfKept ? [:] : names.filter { !new.contains($0.value) }
        new = []
    }
}
