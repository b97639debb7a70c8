// Roles -> colours of the terminal: the sixteen that themes define, so that dark and light ones both work.

/// How roles are drawn.
package enum Palette: Hashable, Sendable {
    case colored
    /// Without colours: bold, underlined and reversed only.
    case monochrome

    /// The parameters of SGR for a style; empty for plain text.
    func code(of style: CellStyle) -> String {
        let base = self == .colored ? Self.colors(of: style.role) : Self.attributes(of: style.role)
        guard style.isUnderlined else { return base }
        return base.isEmpty ? "4" : base + ";4"
    }

    private static func colors(of role: TextRole) -> String {
        switch role {
        case .plain, .bracket, .menu: ""
        case .prompt: "1"
        case .keyword: "35"
        case .comparison, .arithmetic: "36"
        case .option: "33"
        case .function, .command: "34"
        case .constant, .number: "33"
        case .string: "32"
        case .variable: "36"
        case .matchedBracket: "1;4"
        case .invalid, .error: "31"
        case .warning: "33"
        case .faint: "2"
        case .chosen: "7"
        case .found: "1;4"
        }
    }

    private static func attributes(of role: TextRole) -> String {
        switch role {
        case .prompt: "1"
        case .matchedBracket, .found: "1;4"
        case .chosen: "7"
        case .faint: "2"
        default: ""
        }
    }
}
