// What becomes of an answer as records are saved and deleted.

public import RecordModel

/// A step from one answer of a query to the next. Positions count from 0, in the order of the query, and each is that
/// of the moment of its step: applied one after another, the steps keep a list equal to the answer.
public enum QueryChange: Hashable, Sendable {
    /// The whole answer: the first step, and one that stands for many when the reader was slow.
    case initial([Record])
    /// A record matches that did not.
    case inserted(Record, at: Int)
    /// A record was saved; it still matches and stays at its position.
    case updated(Record, at: Int)
    /// A record was saved; it still matches and stands elsewhere: it goes from the one position, then comes to the
    /// other.
    case moved(Record, from: Int, to: Int)
    /// A record was deleted or no longer matches.
    case removed(Record.ID, at: Int)
}
