// Takes the values of one field, row by row, into a column.

import FoundationEssentials
package import Geospatial
import OrdinalSets
package import RecordModel

/// A column under construction: values come in the order of rows, rows in between have no value.
@safe
package final class ColumnBuilder {
    enum Storage {
        case undecided
        case number(NumberBuilder)
        case bool(BoolBuilder)
        case text(TextBuilder)
        case data(TextBuilder)
        case date(DateBuilder)
        case location(LocationBuilder)
        case reference(ReferenceBuilder)
        case list(ListBuilder)
        case any(AnyBuilder)
    }
    final class AnyBuilder { var values: [FieldValue] = [] }

    package let shape: FieldInference
    var storage = Storage.undecided {
        didSet {
            if case .text(let texts) = storage {
                unsafe openTexts = .passUnretained(texts)
            } else {
                unsafe openTexts = nil
            }
        }
    }
    /// The texts while the storage is texts: what is appended most, without counting references.
    // SAFETY: `storage` keeps the builder for as long as this names it.
    private var openTexts: Unmanaged<TextBuilder>?
    let presence = PresenceBuilder()
    /// The list of a row at hand, in a column of values of several kinds.
    private var mixedList: ColumnBuilder?

    package init(shape: FieldInference) { self.shape = shape }

    /// Number of rows so far.
    package var count: Int { presence.count }

    // MARK: Values

    /// Puts a whole number into a row; the rows before it without a value stay so.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func append(_ value: Int64, row: Int, origin: Int) throws(ColumnError) {
        guard let numbers = try numbers(row: row, origin: origin) else { return append(mixed: .int64(value)) }
        numbers.append(value)
        presence.appendPresent()
    }

    /// The storage of numbers, filled up to a row.
    private func numbers(row: Int, origin: Int) throws(ColumnError) -> NumberBuilder? {
        if case .number(let numbers) = storage {
            fill(to: row)
            return numbers
        }
        try adopt(.number, origin: origin)
        fill(to: row)
        guard case .number(let numbers) = storage else { return nil }
        return numbers
    }

    /// Puts a fractional number into a row.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func append(_ value: Double, row: Int, origin: Int) throws(ColumnError) {
        guard let numbers = try numbers(row: row, origin: origin) else { return append(mixed: .double(value)) }
        numbers.append(value)
        presence.appendPresent()
    }

    /// Puts a number such as `1.234` into a row: a whole one, if it turns out that the field has decimal commas.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func append(grouped value: Double, row: Int, origin: Int) throws(ColumnError) {
        guard let numbers = try numbers(row: row, origin: origin) else { return append(mixed: .double(value)) }
        numbers.append(grouped: value)
        presence.appendPresent()
    }

    /// Puts a truth value into a row.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func append(_ value: Bool, row: Int, origin: Int) throws(ColumnError) {
        try adopt(.bool, origin: origin)
        fill(to: row)
        guard case .bool(let bits) = storage else { return append(mixed: .bool(value)) }
        bits.append(value)
        presence.appendPresent()
    }

    /// Puts a text (UTF-8) into a row; in a field of dates it is read as one.
    /// - Throws: `ColumnError` when the field holds another kind of values, or is full.
    package func append(text: UnsafeBufferPointer<UInt8>, row: Int, origin: Int) throws(ColumnError) {
        if let texts = unsafe openTexts {
            fill(to: row)
            // SAFETY: see `openTexts`.
            guard unsafe texts._withUnsafeGuaranteedRef({ unsafe $0.append(text) }) else {
                throw ColumnError(.tooLarge, field: shape.name)
            }
            return presence.appendPresent()
        }
        if shape.kind == .date, shape.readsDates, let seconds = unsafe RFC3339.parse(text) {
            return try append(date: seconds, row: row, origin: origin)
        }
        try adopt(.string, origin: origin)
        fill(to: row)
        guard case .text(let texts) = storage else {
            return append(mixed: .string(unsafe String(decoding: text, as: UTF8.self)))
        }
        guard unsafe texts.append(text) else { throw ColumnError(.tooLarge, field: shape.name) }
        presence.appendPresent()
    }

    /// Puts a text into a row that is a text and nothing else, even if it reads as a date; so are all of the field.
    /// - Throws: `ColumnError` when the field holds another kind of values, or is full.
    package func append(literal text: UnsafeBufferPointer<UInt8>, row: Int, origin: Int) throws(ColumnError) {
        shape.noteLiteral(origin: origin)
        try adopt(.string, origin: origin)
        try unsafe append(text: text, row: row, origin: origin)
    }

    /// Puts a cell of CSV into a row: a text that becomes a number, a truth value or a date if all of the field do.
    /// - Throws: `ColumnError` when the field holds another kind of values, or is full.
    package func append(cell text: UnsafeBufferPointer<UInt8>, row: Int, origin: Int) throws(ColumnError) {
        switch shape.kind {
        case .number:
            switch unsafe TextNumber(text) {
            case .int(let value): return try append(value, row: row, origin: origin)
            case .double(let value): return try append(value, row: row, origin: origin)
            case nil: break
            }
        case .bool:
            if let value = unsafe TextReading.truthValue(text) { return try append(value, row: row, origin: origin) }
        default: break
        }
        try unsafe append(text: text, row: row, origin: origin)
    }

    /// Puts bytes that are not text into a row.
    /// - Throws: `ColumnError` when the field holds another kind of values, or is full.
    package func append(data: UnsafeBufferPointer<UInt8>, row: Int, origin: Int) throws(ColumnError) {
        try adopt(.data, origin: origin)
        fill(to: row)
        guard case .data(let bytes) = storage else { return append(mixed: .data(unsafe Data(data))) }
        guard unsafe bytes.append(data) else { throw ColumnError(.tooLarge, field: shape.name) }
        presence.appendPresent()
    }

    /// Puts a date (seconds since 2001) into a row. Texts of the field so far become dates, if all of them read so.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func append(date seconds: Double, row: Int, origin: Int) throws(ColumnError) {
        if case .text(let texts) = storage, shape.readsDates, !shape.keepsTexts, !shape.hasSealedSegments,
            let dates = dates(from: texts)
        {
            storage = .date(dates)
            shape.kind = .date
        }
        try adopt(.date, origin: origin)
        fill(to: row)
        guard case .date(let dates) = storage else {
            return append(mixed: .date(Date(timeIntervalSinceReferenceDate: seconds)))
        }
        dates.append(seconds)
        presence.appendPresent()
    }

    /// Puts a location into a row; the caller has checked the degrees.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func append(
        latitude: Double, longitude: Double, details: Location.Details? = nil, row: Int, origin: Int
    ) throws(ColumnError) {
        try adopt(.location, origin: origin)
        fill(to: row)
        guard case .location(let locations) = storage else {
            var place = Location(latitude: latitude, longitude: longitude)
            place.details = details
            return append(mixed: .location(place))
        }
        locations.append(latitude: latitude, longitude: longitude, details: details)
        presence.appendPresent()
    }

    /// Puts a reference into a row; without a zone it is in the default zone.
    /// - Throws: `ColumnError` when the field holds another kind of values, or is full.
    package func append(
        reference name: UnsafeBufferPointer<UInt8>, zone: RecordZone.ID? = nil, action: RecordReference.Action,
        row: Int,
        origin: Int
    ) throws(ColumnError) {
        try adopt(.reference, origin: origin)
        fill(to: row)
        guard case .reference(let references) = storage else {
            let id = Record.ID(unsafe String(decoding: name, as: UTF8.self), zoneID: zone ?? .default)
            return append(mixed: .reference(RecordReference(recordID: id, action: action)))
        }
        guard unsafe references.append(name: name, zone: zone, action: action) else {
            throw ColumnError(.tooLarge, field: shape.name)
        }
        presence.appendPresent()
    }

    /// Begins the list of a row: its elements go to the builder returned, each at row `count` of it; one that is
    /// added with `appendMissing` is a null in the list.
    /// - Throws: `ColumnError` when the field holds another kind of values.
    package func beginList(row: Int, origin: Int) throws(ColumnError) -> ColumnBuilder {
        try adopt(.list, origin: origin)
        fill(to: row)
        if case .list(let lists) = storage { return lists.elements }
        let list = ColumnBuilder(shape: FieldInference(name: shape.name, readsDates: false, isWidening: true))
        mixedList = list
        return list
    }

    /// Ends the list that was begun.
    /// - Throws: `ColumnError` when the segment's lists have too many elements.
    package func endList() throws(ColumnError) {
        guard case .list(let lists) = storage else {
            guard let list = mixedList else { return }
            let elements = list.finish(rows: list.count, texts: .texts)
            mixedList = nil
            return append(mixed: .list((0..<elements.count).map { elements.value($0) }))
        }
        guard lists.endList() else { throw ColumnError(.tooLarge, field: shape.name) }
        presence.appendPresent()
    }

    /// Adds a row without a value.
    package func appendMissing() { fill(to: count + 1) }

    /// Puts a value of any kind into a row; `.null` is no value, a set is stored as a list.
    /// - Throws: `ColumnError` when the field holds another kind of values, or is full.
    package func append(_ value: FieldValue, row: Int, origin: Int) throws(ColumnError) {
        switch value {
        case .null: break
        case .bool(let value): try append(value, row: row, origin: origin)
        case .int64(let value): try append(value, row: row, origin: origin)
        case .double(let value): try append(value, row: row, origin: origin)
        case .string(let text):
            unsafe try withBytes(text) { bytes throws(ColumnError) in
                try unsafe append(text: bytes, row: row, origin: origin)
            }
        case .date(let date):
            try append(date: date.timeIntervalSinceReferenceDate, row: row, origin: origin)
        case .data(let data):
            let bytes = [UInt8](data)
            unsafe try bytes.withUnsafeBufferPointer { bytes throws(ColumnError) in
                try unsafe append(data: bytes, row: row, origin: origin)
            }
        case .location(let place):
            try append(
                latitude: place.latitude, longitude: place.longitude, details: place.details, row: row, origin: origin)
        case .reference(let reference):
            unsafe try withBytes(reference.recordID.recordName) { name throws(ColumnError) in
                try unsafe append(
                    reference: name, zone: reference.recordID.zoneID, action: reference.action, row: row,
                    origin: origin)
            }
        case .list(let elements), .set(let elements):
            let list = try beginList(row: row, origin: origin)
            for element in elements {
                if element.isNull { list.appendMissing() }
                try list.append(element, row: list.count, origin: origin)
            }
            try endList()
        case .object: try append(boxed: value, kind: .object, row: row, origin: origin)
        case .asset: try append(boxed: value, kind: .asset, row: row, origin: origin)
        }
    }

    private func append(boxed value: FieldValue, kind: ValueKind, row: Int, origin: Int) throws(ColumnError) {
        try adopt(kind, origin: origin)
        fill(to: row)
        guard case .any(let any) = storage else { return }
        any.values.append(value)
        presence.appendPresent()
    }

    private func withBytes(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws(ColumnError) -> Void
    ) throws(ColumnError) {
        var text = text
        var failure: ColumnError?
        text.withUTF8 { bytes in
            do throws(ColumnError) { try unsafe body(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    // MARK: Rows

    /// Adds rows without a value until there are `rows`.
    @inline(__always)
    package func fill(to rows: Int) {
        let gap = rows &- presence.count
        if gap > 0 { fill(gap: gap) }
    }

    private func fill(gap: Int) {
        pad(gap)
        presence.appendMissing(gap)
    }

    private func pad(_ rows: Int) {
        switch storage {
        case .undecided: break
        case .number(let numbers): numbers.appendPadding(rows)
        case .bool(let bits): bits.appendPadding(rows)
        case .text(let texts), .data(let texts): texts.appendEmpty(rows)
        case .date(let dates): dates.appendPadding(rows)
        case .location(let locations): locations.appendPadding(rows)
        case .reference(let references): references.appendPadding(rows)
        case .list(let lists): lists.appendPadding(rows)
        case .any(let any): any.values.append(contentsOf: repeatElement(.null, count: rows))
        }
    }

    /// Drops all rows from `rows` on, and what is left of a row half written.
    package func truncate(to rows: Int) {
        let rows = min(rows, presence.count)
        presence.truncate(to: rows)
        switch storage {
        case .undecided: break
        case .number(let numbers): numbers.truncate(to: rows)
        case .bool(let bits): bits.truncate(to: rows)
        case .text(let texts), .data(let texts): texts.truncate(to: rows)
        case .date(let dates): dates.truncate(to: rows)
        case .location(let locations): locations.truncate(to: rows)
        case .reference(let references): references.truncate(to: rows)
        case .list(let lists): lists.truncate(to: rows)
        case .any(let any): any.values.removeLast(max(0, any.values.count - rows))
        }
    }

    /// Takes back the record of an origin, whose row would have been `row`.
    func rollBack(to row: Int, origin: Int) {
        truncate(to: row)
        shape.forget(origin: origin)
        resetIfForgotten()
    }

    private func resetIfForgotten() {
        if case .list(let lists) = storage { lists.elements.resetIfForgotten() }
        if shape.kind == nil { storage = .undecided }
    }

    /// Fixes or checks the kind of values, and makes their storage.
    private func adopt(_ kind: ValueKind, origin: Int) throws(ColumnError) {
        if shape.widens(to: kind, origin: origin) { return widen() }
        try shape.adopt(kind, origin: origin)
        guard case .undecided = storage else { return }
        storage =
            switch kind {
            case .number: .number(NumberBuilder())
            case .bool: .bool(BoolBuilder())
            case .string: .text(TextBuilder())
            case .data: .data(TextBuilder())
            case .date: .date(DateBuilder())
            case .location: .location(LocationBuilder())
            case .reference: .reference(ReferenceBuilder())
            case .list: .list(ListBuilder(shape: shape))
            case .object, .asset: .any(AnyBuilder())
            }
        pad(presence.count)
    }

    // MARK: The end

    /// The finished column of `rows` rows; texts become what the whole field has been found to be.
    func finish(rows: Int, texts reading: TextReading) -> Column {
        fill(to: rows)
        let present = presence.bitmap
        let values: Column.Values
        switch storage {
        case .undecided: return .missing(count: rows)
        case .number(let numbers):
            if shape.hasDecimalCommas == true { numbers.ungroup(asDoubles: shape.declaredType == .double) }
            values = numbers.finish(presence: present)
        case .bool(let bits): values = bits.finish()
        case .text(let texts): return reading.column(of: texts, presence: present)
        case .data(let bytes): values = .data(bytes.finish())
        case .date(let dates): values = dates.finish()
        case .location(let locations): values = locations.finish()
        case .reference(let references): values = references.finish()
        case .list(let lists):
            lists.offsets.shrink()
            let elements = lists.elements.finish(rows: lists.elements.count, texts: reading)
            values = .list(ListColumn(offsets: lists.offsets, elements: elements))
        case .any(let any): values = .any(any.values)
        }
        return Column(values: values, presence: present, count: rows)
    }

    private func dates(from texts: TextBuilder) -> DateBuilder? {
        let dates = DateBuilder()
        let column = texts.column
        for row in 0..<column.count {
            if !presence[row] {
                dates.appendPadding(1)
            } else if let seconds = unsafe column.withBytes(row, { unsafe RFC3339.parse($0) }) {
                dates.append(seconds)
            } else {
                return nil
            }
        }
        return dates
    }
}
