// The record files of a call: loaded with its options, with progress on a terminal.

import RecordDatabase

/// The record files of a call and how to read them.
struct InputFiles {
    init(_ arguments: ParsedArguments, files: [String]) throws(CommandError) {}
    func load(_ session: Session) throws(CommandError) -> RecordSet { throw CommandError(.usage, "") }
}
