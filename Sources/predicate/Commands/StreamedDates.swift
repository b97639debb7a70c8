// Fields whose texts are dates in one piece of a stream and not in another.

import RecordDatabase

/// What the pieces of a stream take texts for. All texts of a field are dates, or none is; as pieces are read one by
/// one, that holds for each piece.
struct StreamedDates {
    private var dates: Set<String> = []
    private var texts: Set<String> = []

    /// Takes in a piece; what is to be told of it, once for each field.
    mutating func news(of piece: RecordSet, in path: String) -> [String] {
        var notes: [String] = []
        for field in piece.schemas.flatMap(\.fields) where piece.hasValue(field.name) {
            let isNew: Bool
            switch field.type {
            case .date, .list(.date): isNew = dates.insert(field.name).inserted && texts.contains(field.name)
            case .string, .list(.string): isNew = texts.insert(field.name).inserted && dates.contains(field.name)
            default: isNew = false
            }
            guard isNew else { continue }
            notes.append(
                "\(path): field '\(field.name)' holds dates in one part of the input and other texts in another; "
                    + "--whole reads all of them as texts")
        }
        return notes
    }
}
