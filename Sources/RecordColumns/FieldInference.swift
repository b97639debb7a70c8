// What is known of a field while its records still come in.

package import RecordModel

/// What is known of one field of one record type, shared by the builders of all its segments.
package final class FieldInference {
    package let name: String
    /// The kind that the first value fixed; `nil` until then.
    var kind: ValueKind?
    /// The origin of the record that fixed the kind.
    var firstOrigin = 0
    /// Whether a segment that holds values of the field is complete: its storage is fixed.
    var hasSealedSegments = false
    /// Whether texts that all read as numbers, truth values or dates become such: the field has cells of CSV.
    /// Otherwise only dates do.
    package var infersFromText = false
    /// Whether texts stay what they are, whatever they look like.
    private(set) var keepsTexts = false
    /// The type that the file says the field is of; `nil` where the values tell.
    private(set) var declaredType: FieldType?
    /// Whether text and dates may meet: records of files write dates as text, those of programs do not.
    let readsDates: Bool
    /// Whether a value of another kind widens the field, which then holds every value as it is, instead of an error.
    let isWidening: Bool
    /// The value that widened the field first; `nil` where none did.
    private(set) var mixture: KindMixture?
    /// Whether cells with a decimal comma are numbers, where all of the field read so.
    package var readsDecimalCommas = false
    /// What the cells of the column tell, in records of other types and zones as well.
    let cells: CellColumn
    /// How cells are read where those of other types and zones count; `nil` until all are known, and where none are.
    var reading: TextReading?
    /// Whether numbers whose type is declared have decimal commas; `nil` as long as no cell tells.
    package var hasDecimalCommas: Bool? { cells.decimals?.areCommas }
    /// The elements of a list field.
    package private(set) lazy var element = FieldInference(
        name: name, readsDates: readsDates, isWidening: isWidening)

    init(name: String, readsDates: Bool = true, isWidening: Bool = false, cells: CellColumn = CellColumn()) {
        self.name = name
        self.cells = cells
        self.readsDates = readsDates
        self.isWidening = isWidening
    }

    /// Whether a value of a kind is beside the kind of the others, and the field takes that; it is noted.
    func widens(to found: ValueKind, origin: Int) -> Bool {
        guard isWidening, let existing = kind, existing != found else { return false }
        if mixture == nil { mixture = KindMixture(field: name, existing: existing, found: found, origin: origin) }
        return true
    }

    /// The first mixture of the field, or of the elements of its lists.
    var anyMixture: KindMixture? { mixture ?? (kind == .list ? element.anyMixture : nil) }

    /// Takes note of what a file says about the field besides its values.
    package func declare(_ type: FieldType) {
        declaredType = type
        switch type {
        case .string: keepsTexts = true
        case .list(let elements?): element.declare(elements)
        default: break
        }
    }

    /// Takes note of a cell that is a number with decimal commas alone, or without alone; `false` where another cell
    /// tells otherwise.
    package func noteDecimals(areCommas: Bool, origin: Int) -> Bool {
        if cells.decimals == nil { cells.decimals = (areCommas, origin) }
        return hasDecimalCommas == areCommas
    }

    /// The record that first marked a text, where the file says nothing.
    private var literalOrigin: Int?

    /// A text was marked as one that is nothing else.
    func noteLiteral(origin: Int) {
        guard !keepsTexts else { return }
        (keepsTexts, literalOrigin) = (true, origin)
    }

    /// Has texts stay what they are, whatever they look like: where they come from, dates are of a kind of their own.
    package func keepTexts() { (keepsTexts, literalOrigin) = (true, nil) }

    /// Fixes the kind, or checks that a value is of the kind fixed before.
    ///
    /// - Throws: `ColumnError` of kind `mixture`.
    func adopt(_ found: ValueKind, origin: Int) throws(ColumnError) {
        guard let existing = kind else {
            kind = found
            firstOrigin = origin
            return
        }
        guard existing == found else {
            throw ColumnError(.mixture(existing: existing, found: found, first: firstOrigin), field: name)
        }
    }

    /// Forgets what only the record of that origin said.
    func forget(origin: Int) {
        if literalOrigin == origin { (keepsTexts, literalOrigin) = (false, nil) }
        if mixture?.origin == origin { mixture = nil }
        if cells.decimals?.origin == origin { cells.decimals = nil }
        guard kind != nil else { return }
        if kind == .list { element.forget(origin: origin) }
        if firstOrigin == origin { kind = nil }
    }
}
