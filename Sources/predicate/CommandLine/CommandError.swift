// What ends a command early: the exit status, the message, and how both are shown.

import RecordDatabase

/// How the process ends.
enum ExitStatus: Int32 {
    /// Done; for a query, something matched.
    case success = 0
    /// A query matched nothing; lint found something, diff a difference.
    case noMatch = 1
    /// The call or the predicate is wrong.
    case usage = 2
    /// A record file holds something that cannot be read as records.
    case badData = 3
    /// A file cannot be opened, read or written.
    case inputOutput = 4
}

/// What ends a command early.
struct CommandError: Error {
    /// The exit status.
    var status: ExitStatus
    var message: String
    /// What may help.
    var hint: String?
    /// The stage that failed, for JSON: `usage`, `syntax`, `binding`, `evaluation`, `data`, `file`.
    var stage: String
    /// The source text with a caret under the place, several lines.
    var excerpt: String?
    /// Further facts for JSON: offset, length, file, line, column, field.
    var details: [JSONValue.Member] = []

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
        stage =
            switch status {
            case .badData: "data"
            case .inputOutput: "file"
            case .success, .noMatch, .usage: "usage"
            }
    }

    /// The error for people: message, excerpt, hint; ends in a line break.
    func text(style: Style) -> String {
        var text = style.red(style.bold("error: ")) + style.bold(message) + "\n"
        if let excerpt {
            for line in excerpt.split(separator: "\n", omittingEmptySubsequences: false) { text += "  \(line)\n" }
        }
        if let hint { text += style.cyan("hint: ") + hint + "\n" }
        return text
    }

    /// The error as a JSON object: `stage`, `message`, `hint`, `status` and the details.
    var json: JSONValue {
        var members = [
            JSONValue.Member(key: "stage", value: .string(stage)),
            JSONValue.Member(key: "message", value: .string(message)),
        ]
        members += details
        if let hint { members.append(JSONValue.Member(key: "hint", value: .string(hint))) }
        return .members(["error": .object(members), "status": .int64(Int64(status.rawValue))])
    }
}

extension CommandError {
    /// A line that is longer than a record may be.
    static func longLine(_ line: Int, of file: String, limit: Int) -> CommandError {
        CommandError(
            FileError(
                kind: .limit, file: file, line: line, message: "a line of more than \(limit) bytes",
                hint: "lines end with LF or CRLF"))
    }
}
