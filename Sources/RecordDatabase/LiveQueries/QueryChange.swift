// Changes of a result as records are saved and deleted.

public import RecordModel

/// A step from one result of a query to the next. Positions count from 0, in the order of the query, and each is that
/// of the moment of its step: applied one after another, the steps keep a list equal to the result.
public enum QueryChange: Hashable, Sendable {
    /// The whole result: the first step, and one in place of many when the reader was slow.
    case initial([Record])
    /// A record matches that did not.
    case inserted(Record, at: Int)
    /// A record was saved; it still matches and stays at its position.
    case updated(Record, at: Int)
    /// A record was saved; it still matches and moved: remove it from the one position, then insert it at the other.
    case moved(Record, from: Int, to: Int)
    /// A record was deleted or no longer matches.
    case removed(Record.ID, at: Int)
}
