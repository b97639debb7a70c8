// Options that several sub-commands take, and what they mean.

import RecordDatabase

/// Options that several sub-commands take.
enum SharedOptions {
    /// How record files are read.
    static let input = [
        OptionSpecification(
            "--type", letter: "-t", value: "TYPE", "Only records of this type; those that give none are of it."),
        OptionSpecification("--id-field", value: "NAME", "Field that names a record (default: id)."),
        OptionSpecification("--type-field", value: "NAME", "Field that tells a record's type (default: type)."),
        OptionSpecification(
            "--input-format", value: "FORMAT", choices: ["ndjson", "json", "csv", "tsv"],
            "ndjson, json, csv or tsv (default: by the file's name, else by its first bytes); csv also with "
                + "semicolons."),
        OptionSpecification("--skip-bad-lines", "Leave out lines that cannot be read; count and report them."),
    ]

    /// How the fields of files are taken.
    static let fields = [
        OptionSpecification(
            "--strict", "A field that holds values of kinds that do not mix is an error (default: a note)."),
        OptionSpecification(
            "--reference", value: "FIELD=TYPE.KEY", repeats: true,
            "FIELD leads to the record with that KEY; TYPE is a file's name without its ending."),
    ]

    /// How record files, or a store in their place, are read.
    static let records = input + fields + StoreOperand.options + [TableOperand.option]

    /// Which store is read in place of files.
    static let database =
        [
            OptionSpecification(
                "--database", value: "FOLDER", "The records of a store, in place of files; a FILE may be one, too.")
        ] + StoreOperand.options + [TableOperand.option]

    /// Values for a predicate's placeholders and variables.
    static let values = [
        OptionSpecification(
            "--arguments", value: "JSON", "All values for %@, %K … as one JSON array."),
        OptionSpecification(
            "--argument", letter: "-a", value: "VALUE", repeats: true,
            "The next value for %@, %K …: JSON where it is JSON, else text."),
        OptionSpecification(
            "--variable", letter: "-v", value: "NAME=VALUE", repeats: true, "The value of $NAME, likewise."),
        timeZone,
    ]

    /// By which clocks days begin.
    static let timeZone = OptionSpecification(
        "--time-zone", value: "NAME",
        "The zone of days in predicates, of year(), month() and day(): Europe/Zurich, +05:30 (default: UTC).")

    /// How messages look.
    static let messages = [
        OptionSpecification(
            "--color", value: "WHEN", choices: ["auto", "always", "never"],
            "auto, always or never (NO_COLOR and CLICOLOR_FORCE count too)."),
        OptionSpecification(
            "--error-format", value: "FORMAT", choices: ["text", "json"], "Errors as text or as one JSON object."),
    ]

    /// No line about what was done.
    static let quiet = OptionSpecification("--quiet", letter: "-q", "Print errors only.")

    /// Which part of the language is allowed.
    static let dialect = OptionSpecification(
        "--dialect", value: "NAME", choices: ["full", "cloudKit"],
        "full (default), or cloudKit: reject what CloudKit's servers reject.")
}

extension ParsedArguments {
    /// Has days begin by the clocks of `--time-zone`.
    /// - Throws: `CommandError` of status `usage` for a zone that is not known.
    func takeTimeZone() throws(CommandError) {
        guard let name = self[SharedOptions.timeZone.name], !CivilZone.use(name) else { return }
        throw CommandError(
            .usage, "'\(name)' is no time zone that this machine knows",
            hint: "Europe/Zurich as in /usr/share/zoneinfo, or hours east of Greenwich: +05:30")
    }

    /// The values of `--arguments` and `--argument`, in order.
    /// - Throws: `CommandError` of status `usage`.
    func formatArguments() throws(CommandError) -> [FieldValue] {
        var values: [FieldValue] = []
        if let text = self["--arguments"] {
            guard case .list(let elements) = try Self.value(json: text, of: "--arguments") else {
                throw CommandError(.usage, "'--arguments' takes a JSON array", hint: "for one value: --argument VALUE")
            }
            values = elements
        }
        for text in all("--argument") { values.append(try Self.value(text, of: "--argument")) }
        return values
    }

    /// The values of `--variable`, by name without `$`.
    /// - Throws: `CommandError` of status `usage`.
    func variables() throws(CommandError) -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for text in all("--variable") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandError(.usage, "'--variable' takes NAME=VALUE, not '\(text)'")
            }
            let name = parts[0].hasPrefix("$") ? String(parts[0].dropFirst()) : parts[0]
            values[name] = try Self.value(parts[1], of: "--variable \(name)")
        }
        return values
    }

    /// A value from a word: JSON where it is JSON, else the text itself.
    /// - Parameter option: What takes the word, for messages.
    /// - Throws: `CommandError` of status `usage` for JSON that means nothing, such as a date that is none.
    static func value(_ text: String, of option: String) throws(CommandError) -> FieldValue {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.tree(text)
        } catch {
            // Only an object whose parts are all JSON has a key twice.
            guard error.kind == .repeatedKey else { return .string(text) }
            throw CommandError(.usage, "'\(option)': \(error.message)", hint: error.hint)
        }
        return try value(of: json, option)
    }

    private static func value(json text: String, of option: String) throws(CommandError) -> FieldValue {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.tree(text)
        } catch {
            throw CommandError(
                .usage, "'\(option)' is not JSON: \(error.message) at byte \(error.offset ?? 0)",
                hint: "text needs quotation marks: '[\"text\", 3]'")
        }
        return try value(of: json, option)
    }

    private static func value(of json: JSONValue, _ option: String) throws(CommandError) -> FieldValue {
        do throws(JSONError) {
            return try FieldValue(json: json)
        } catch {
            throw CommandError(.usage, "'\(option)': \(error.message)", hint: error.hint)
        }
    }
}
