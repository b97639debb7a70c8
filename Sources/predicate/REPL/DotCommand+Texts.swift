// Dot commands about texts and places, without records.

import RecordDatabase
import TextAnalysis

extension DotCommand {
    static let textCommands: [DotCommand] = [
        DotCommand(".tokens", .text, "TEXT", "Show the words that full-text search sees.") {
            (repl, text) throws(CommandError) in
            guard !text.isEmpty else { throw .operand("a text is missing", ".tokens São Paulo") }
            let tokenizer = Tokenizer(options: [.caseInsensitive, .diacriticInsensitive])
            try repl.paged { TokenPrinter(tokenizer: tokenizer, format: .table, session: $0).write(text) }
        },
        DotCommand(".fold", .text, "TEXT", "Show a text as [c], [d] and [cd] compare it.") {
            (repl, text) throws(CommandError) in
            guard !text.isEmpty else { throw .operand("a text is missing", ".fold Ünïcode Straße") }
            let forms: [TextOptions] = [
                .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
            ]
            for options in forms {
                let letters = options.letters
                let head = "[\(letters)]" + String(repeating: " ", count: 4 - letters.count)
                repl.session.output.write(repl.session.outputStyle.dim(head) + TextFolding.fold(text, options) + "\n")
            }
        },
        DotCommand(".distance", .text, "LAT,LON LAT,LON", "Show the metres between two places; $NAMES work too.") {
            (repl, text) throws(CommandError) in
            let parts = words(text)
            guard parts.count == 2 else {
                throw .operand("two places were expected", ".distance 48.86,2.35 40.71,-74.01")
            }
            let from = try place(parts[0], repl)
            let to = try place(parts[1], repl)
            repl.session.output.write(DistanceCommand.metres(Geodesic.distance(from: from, to: to)) + "\n")
        },
    ]

    private static func place(_ text: String, _ repl: Repl) throws(CommandError) -> Location {
        if text.hasPrefix("$"), case .location(let place)? = repl.settings.variables[String(text.dropFirst())] {
            return place
        }
        return try Location(text: text)
    }
}
