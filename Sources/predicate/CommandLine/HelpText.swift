// The overview that `predicate --help` prints.

import RecordDatabase
import TextAnalysis

/// Texts about the command as a whole.
enum HelpText {
    /// Version of the command, and of the libraries that decide how texts compare.
    static var version: String {
        "predicate \(ProjectVersion.current) (ICU \(TextVersions.icu), Unicode \(TextVersions.unicode))"
    }

    /// What the command is for, in one line.
    static let purpose = "query record files with predicates"

    /// What the exit status tells.
    static let exitStatus: KeyValuePairs<String, String> = [
        "0": "Done; something matched, nothing was found fault with, no difference was found.",
        "1": "No record matched; or lint found something, diff a difference, format --check a change.",
        "2": "The call or the predicate is wrong.",
        "3": "A record file holds something that cannot be read as records.",
        "4": "A file cannot be opened, read or written.",
    ]

    /// The environment variables that count.
    static let environment: KeyValuePairs<String, String> = [
        "NO_COLOR": "No colours, unless it is empty.",
        "CLICOLOR_FORCE": "Colours in a pipe too, unless it is empty or 0; NO_COLOR wins.",
        "TERM": "No colours when it is dumb.",
        "COLUMNS": "The width of tables, in place of the terminal's, and in a pipe.",
    ]

    /// Usage, the list of commands, and where to begin.
    static func overview(style: Style) -> String {
        let width = PredicateCommand.specifications.map(\.name.count).max() ?? 0
        var text = "Query record files with predicates: NDJSON and CSV, plain or packed.\n\n"
        text += style.bold("usage: ") + "predicate COMMAND [OPTION…] [OPERAND…]\n\n"
        text += style.bold("commands") + "\n"
        for specification in PredicateCommand.specifications {
            let gap = String(repeating: " ", count: width - specification.name.count + 2)
            text += "  \(specification.name)\(gap)\(specification.summary)\n"
        }
        text += """

            \(style.bold("examples"))
              predicate query 'population > 1000000' cities.ndjson
              predicate query "name BEGINSWITH[cd] 'são'" cities.ndjson --sort population:desc --limit 10
              predicate schema cities.ndjson

            A predicate without a command is a query: predicate 'population > 1000000' cities.ndjson.
            'predicate help COMMAND' tells the options of a command; 'predicate --version' the version.
            Exit status: 0 match or done, 1 no match or a finding, 2 wrong call or predicate, 3 bad data, 4 input or \
            output
            failed. Completions: 'predicate completions bash'; manual: 'predicate man | man -l -'.

            """
        return text
    }
}
