// Conditions as tests write them down.

import RecordPushdown

extension Condition {
    /// The text with constants in the places of its values, and without the name of the table.
    var withConstants: String {
        var (text, values) = self.text.printed()
        for (number, value) in values.enumerated().reversed() {
            let constant =
                switch value {
                case .int64(let number): "\(number)"
                case .double(let number): "\(number)"
                case .text(let text): "'\(text)'"
                case .int64s(let numbers): "\(numbers)"
                case .doubles(let numbers): "\(numbers)"
                case .texts(let texts): "\(texts)"
                }
            text = text.replacing("$\(number + 1)", with: constant)
        }
        return text.replacing("\"r\".", with: "")
    }
}
