// The terms of one record, found by looking its values up once.

import Geospatial
import PredicateSemantics
import RecordModel
import TextAnalysis

/// What a record has of the things that stored predicates require.
struct RecordTerms: Sendable {
    /// The terms it has, each once.
    private(set) var terms: [UInt32] = []
    /// The same as bits.
    private var present: [UInt64]
    /// By field: what the record's value is, as far as predicates care.
    private(set) var kinds: [ValueKinds]
    private(set) var values: [FieldValue]
    /// The terms that each field gave, one field behind the other, and where they begin and end.
    private var found: [UInt32] = []
    private var ranges: [String: Range<Int>] = [:]

    /// Looks a record up.
    ///
    /// - Parameter earlier: A record and its terms; what the fields that it shares gave is taken over.
    /// - Complexity: O(n) in the record's texts and elements.
    init(of record: RecordFields, in index: TypeIndex, earlier: (record: RecordFields, terms: RecordTerms)? = nil) {
        kinds = [ValueKinds](repeating: .null, count: index.fields.count)
        values = [FieldValue](repeating: .null, count: index.fields.count)
        present = [UInt64](repeating: 0, count: (index.dictionary.count + 63) / 64)
        terms.reserveCapacity(128)
        found.append(TypeIndex.always)
        var lookup = TermLookup(index)
        for (name, value) in record.fields where !value.isNull {
            let number = index.fieldNumbers[name]
            if let number { describe(value, number, in: index) }
            let start = found.count
            if let earlier, let range = earlier.terms.ranges[name],
                earlier.record.fields[name]?.isIdentical(to: value) == true
            {
                found.append(contentsOf: earlier.terms.found[range])
            } else {
                lookup.find(value, of: number.map { index.fields[$0] }, into: &found)
            }
            ranges[name] = start..<found.count
        }
        if !index.identityFields.isEmpty { addIdentity(of: record, index, &lookup) }
        for number in index.fields.indices where kinds[number] == .null {
            for use in index.fields[number].absence where number != TermField.recordField {
                lookup.find([UInt8]().span, use, into: &found)
            }
        }
        for term in found where !has(term) {
            present[Int(term >> 6)] |= 1 &<< UInt64(term & 63)
            terms.append(term)
        }
    }

    /// Whether the record has a term.
    @inline(__always)
    func has(_ term: UInt32) -> Bool { present[Int(term >> 6)] >> UInt64(term & 63) & 1 != 0 }

    /// The number or date of a field, if it is of the family.
    @inline(__always)
    func number(of field: Int, isDate: Bool) -> Double? {
        guard kinds[field] == (isDate ? .date : .number) else { return nil }
        return values[field].order
    }

    /// The name of the record and its like, which predicates read as fields.
    private mutating func addIdentity(of record: RecordFields, _ index: TypeIndex, _ lookup: inout TermLookup) {
        for number in index.identityFields where kinds[number] == .null {
            let value = record.value(named: index.fields[number].name)
            if value.isNull { continue }
            describe(value, number, in: index)
            lookup.findIdentity(value, of: index.fields[number], into: &found)
        }
    }

    private mutating func describe(_ value: FieldValue, _ number: Int, in index: TypeIndex) {
        let field = index.fields[number]
        // Where no kinds are assumed it only matters whether there is a value.
        kinds[number] = field.assumptions.isEmpty ? .object : ValueKinds(of: value)
        if field.valueReaders > 0 { values[number] = value }
    }
}

/// Looks values up in the dictionary of an index.
private struct TermLookup: ~Copyable {
    let index: TypeIndex
    var folded = FoldedText()
    var bytes: [UInt8] = []

    init(_ index: TypeIndex) { self.index = index }

    @inline(__always)
    func find(_ key: Span<UInt8>, _ use: FieldTerms.Use, into found: inout [UInt32]) {
        if let term = index.dictionary.find(key, in: use.number) { found.append(term) }
    }

    /// Finds the terms of a value: those of its field, if predicates name it, and the words of its texts.
    mutating func find(_ value: FieldValue, of field: FieldTerms?, into found: inout [UInt32]) {
        if let field { findFields(value, of: field, into: &found) }
        let record = index.fields[TermField.recordField]
        findWords(value, record.words + (field?.words ?? []), record.wordFoldings | (field?.wordFoldings ?? 0), &found)
    }

    /// Finds the terms of a name of the record, whose words are not words of the record's texts.
    mutating func findIdentity(_ value: FieldValue, of field: FieldTerms, into found: inout [UInt32]) {
        findFields(value, of: field, into: &found)
        findWords(value, field.words, field.wordFoldings, &found)
    }

    /// Finds the terms of a value except for words.
    private mutating func findFields(_ value: FieldValue, of field: FieldTerms, into found: inout [UInt32]) {
        for use in field.presence { find([UInt8]().span, use, into: &found) }
        if !field.values.isEmpty { findValue(value, field.values, into: &found) }
        if !field.elements.isEmpty {
            switch value {
            case .list(let elements), .set(let elements):
                for element in elements { findValue(element, field.elements, into: &found) }
            default: break
            }
        }
        if case .location(let location) = value, location.isValid {
            for use in field.cells {
                EarthGrid.cell(of: location, level: use.space.parameter).encode(into: &bytes)
                find(bytes.span, use, into: &found)
            }
        }
    }

    private mutating func findValue(_ value: FieldValue, _ uses: [FieldTerms.Use], into found: inout [UInt32]) {
        if case .string(let text) = value {
            findText(text, uses, into: &found)
        } else if let kind = ScalarKind.encode(value, into: &bytes) {
            for use in uses where use.space.isValue(kind) { find(bytes.span, use, into: &found) }
        }
    }

    /// Text is folded once for all that fold it the same way.
    private mutating func findText(_ text: String, _ uses: [FieldTerms.Use], into found: inout [UInt32]) {
        var options: TextOptions?
        for use in uses {
            if use.space.kind == .value || use.space.kind == .element, use.space.parameter != ScalarKind.text.rawValue {
                continue
            }
            if options != use.space.options {
                folded.removeAll()
                TextFolding.fold(text.utf8.span, use.space.options, into: &folded)
                options = use.space.options
            }
            folded.withBytes { bytes in
                switch use.space.kind {
                case .prefix, .elementPrefix: findPrefix(bytes, use, into: &found)
                case .suffix: findSuffix(bytes, use, into: &found)
                case .gram:
                    var end = TermField.gramLength
                    while end <= bytes.count {
                        find(bytes.extracting(end - TermField.gramLength..<end), use, into: &found)
                        end += 1
                    }
                default: find(bytes, use, into: &found)
                }
            }
        }
    }

    private func findPrefix(_ text: Span<UInt8>, _ use: FieldTerms.Use, into found: inout [UInt32]) {
        let length = abs(use.space.parameter)
        guard text.count >= length, let term = index.dictionary.find(text.extracting(first: length), in: use.number)
        else { return }
        if use.space.parameter > 0, !text.isPlainBoundary(length) {
            let needle = PreparedNeedle(text.extracting(first: length).string, options: use.space.options)
            guard needle.isPrefix(ofFolded: text) else { return }
        }
        found.append(term)
    }

    private func findSuffix(_ text: Span<UInt8>, _ use: FieldTerms.Use, into found: inout [UInt32]) {
        let length = abs(use.space.parameter)
        guard text.count >= length, let term = index.dictionary.find(text.extracting(last: length), in: use.number)
        else { return }
        if use.space.parameter > 0, !text.isPlainBoundary(text.count - length) {
            let needle = PreparedNeedle(text.extracting(last: length).string, options: use.space.options)
            guard needle.isSuffix(ofFolded: text) else { return }
        }
        found.append(term)
    }

    /// Cuts texts into words once for each folding.
    private func findWords(
        _ value: FieldValue, _ uses: [FieldTerms.Use], _ foldings: UInt8, _ found: inout [UInt32]
    ) {
        for number in 0..<8 where foldings >> UInt8(number) & 1 != 0 {
            let tokenizer = Tokenizer(options: TextOptions(rawValue: number))
            let uses = uses.filter { $0.space.options == tokenizer.options }
            func findWords(_ text: String) {
                tokenizer.forEachToken(in: text.utf8.span) { word, _, _ in
                    for use in uses {
                        if use.space.kind == .word {
                            find(word, use, into: &found)
                        } else {
                            findPrefix(word, use, into: &found)
                        }
                    }
                    return true
                }
            }
            switch value {
            case .string(let text): findWords(text)
            case .list(let elements), .set(let elements):
                for case .string(let text) in elements { findWords(text) }
            default: break
            }
        }
    }
}

extension TermField {
    /// Whether its terms are values or elements of a kind.
    fileprivate func isValue(_ kind: ScalarKind) -> Bool {
        (self.kind == .value || self.kind == .element) && parameter == kind.rawValue
    }
}

extension Span<UInt8> {
    /// Whether characters end at an offset because the text does, or because plain ASCII is on both sides.
    fileprivate func isPlainBoundary(_ offset: Int) -> Bool {
        if offset == 0 || offset == count { return true }
        return self[offset - 1] &- 0x20 < 0x5F && self[offset] &- 0x20 < 0x5F
    }

    fileprivate var string: String { String(decoding: indices.map { self[$0] }, as: UTF8.self) }
}
