// Sub-commands in this process: what they write is caught, and nothing is started.

import Foundation
import RecordDatabase

@testable import predicate

/// What a writer gave away.
final class WrittenBytes {
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A writer whose bytes come here.
    var writer: ByteWriter {
        ByteWriter { [self] in
            bytes += $0
            return .taken
        }
    }
}

/// What a sub-command did.
struct CommandCall {
    /// How it ended; `nil` where an error ended it.
    var status: ExitStatus?
    var error: CommandError?
    var output = ""
    var messages = ""

    /// Its lines of output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Runs a sub-command that reads no standard input.
    ///
    /// - Parameter isShown: Whether a terminal shows what it writes.
    init(_ words: [String], isShown: Bool = false, isColored: Bool = false) {
        let (written, told) = (WrittenBytes(), WrittenBytes())
        var session = Session(["--color", "never"])
        session.output = written.writer
        session.messages = told.writer
        session.outputStyle = Style(isColored: isColored)
        session.isOutputShown = isShown
        do throws(CommandError) {
            guard let command = PredicateCommand.commands.first(where: { $0.specification.name == words.first }) else {
                throw CommandError(.usage, "there is no such command")
            }
            let arguments = try ParsedArguments(Array(words.dropFirst()), for: command.specification)
            status = try command.run(arguments, session)
        } catch {
            self.error = error
        }
        session.output.flush()
        session.messages.flush()
        (output, messages) = (written.text, told.text)
    }
}
