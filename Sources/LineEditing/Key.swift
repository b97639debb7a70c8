// Keys as the editor understands them.

/// What one stroke or one paste means.
package enum Key: Hashable, Sendable {
    /// Text typed: letters, digits and signs of any script.
    case text(String)
    /// Text pasted, told apart by the terminal; line ends are `\n`.
    case paste(String)
    /// A character with Control, lower case.
    case control(Character)
    /// A character with Meta (Alt), or typed behind Escape.
    case meta(Character)
    case named(Name, Modifiers = [])

    /// A key that stands for no character.
    package enum Name: Hashable, Sendable, CaseIterable {
        case enter, tab, backspace, delete, escape, up, down, left, right, home, end, pageUp, pageDown, insert
    }

    /// Keys held together with another.
    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let shift = Modifiers(rawValue: 1)
        package static let meta = Modifiers(rawValue: 2)
        package static let control = Modifiers(rawValue: 4)
    }
}
