// The overview that `predicate --help` prints.

import RecordDatabase

/// Texts about the command as a whole.
enum HelpText {
    /// Version of the command, and of the libraries that decide text questions.
    static var version: String {
        "predicate \(ProjectVersion.current) (ICU \(TextVersions.icu), Unicode \(TextVersions.unicode))"
    }

    /// Usage, the list of commands, and where to begin.
    static func overview(style: Style) -> String {
        let width = PredicateCommand.specifications.map(\.name.count).max() ?? 0
        var text = "Ask record files with predicates: NDJSON and CSV, plain or packed.\n\n"
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

            'predicate help COMMAND' tells the options of a command; 'predicate --version' the version.
            Exit status: 0 match or done, 1 no match, 2 wrong call or predicate, 3 bad data, 4 input or output failed.

            """
        return text
    }
}
