// What was wrong with a file, and where.

import FoundationEssentials
public import RecordModel

/// What was wrong with a file of records: the place, the reason and what to do about it.
public struct FileError: DescribedError, Hashable {
    /// Kinds of errors.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The file cannot be opened or read.
        case io
        /// Compressed data is damaged or ends early.
        case compression
        /// Text is not UTF-8.
        case encoding
        /// Text is not JSON, or not CSV.
        case malformed
        /// Well-formed, but not a record: no object, too many cells.
        case notARecord
        /// A value means nothing, such as a latitude of 95 degrees.
        case value
        /// A field holds values of kinds that do not mix.
        case mixture
        /// Two records have one name, or two fields of a record do.
        case duplicate
        /// More than the limits of loading allow.
        case limit
        /// Loading was stopped.
        case cancelled
    }

    /// What went wrong, for programs.
    public var kind: Kind
    /// The file as it was named; `-` is standard input.
    public var file: String
    /// Line in the file, from 1; in a JSON array the number of the element.
    public var line: Int?
    /// Column in the line, from 1, in Unicode scalars.
    public var column: Int?
    /// The field that the error is about.
    public var field: String?
    /// What is wrong, in words, without values from the file.
    public var message: String
    /// What to do about it.
    public var hint: String?
    /// An earlier line that the line disagrees with.
    public var earlierLine: Int?
    /// The file of `earlierLine`, where that is another one.
    public var earlierFile: String?

    /// An error of a file, a line and a field, as far as these are known.
    public init(
        kind: Kind, file: String = "", line: Int? = nil, field: String? = nil, message: String, hint: String? = nil
    ) {
        self.kind = kind
        self.file = file
        self.line = line
        self.field = field
        self.message = message
        self.hint = hint
    }
}

extension FileError {
    /// `file:line:column: field 'f': what is wrong (hint)`.
    public var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        if !text.isEmpty { text += ": " }
        if let field { text += "field '\(field)': " }
        text += message
        if let hint { text += " (\(hint))" }
        return text
    }
}
