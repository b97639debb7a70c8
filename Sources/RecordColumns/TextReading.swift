// What the texts of a field are, once all of them are known: texts, dates, numbers or truth values.

import OrdinalSets
import RecordModel

/// How the texts of a field are read: as what every one of them is.
package enum TextReading {
    case texts, dates, numbers, decimalCommas, truthValues

    /// The reading that suits all texts of a field, over all of its segments.
    ///
    /// - Complexity: O(values), but a text that is nothing else ends the search.
    init(of builders: [ColumnBuilder], shape: FieldInference) {
        let builders = builders.map(\.leaf)
        if builders.contains(where: { $0.shape.keepsTexts }) {
            self = .texts
            return
        }
        let leaves = builders.compactMap(\.texts)
        var candidates: [TextReading] = shape.readsDates ? [.dates] : []
        if shape.infersFromText {
            candidates +=
                shape.readsDecimalCommas ? [.numbers, .decimalCommas, .truthValues] : [.numbers, .truthValues]
        }
        for (texts, presence) in leaves {
            for row in 0..<texts.count where presence?[row] ?? true {
                unsafe texts.withBytes(row) { text in
                    // An empty cell that was quoted is no evidence against numbers; such cells are missing then.
                    if shape.infersFromText, text.isEmpty { return }
                    candidates.removeAll { unsafe !$0.accepts(text) }
                }
                if candidates.isEmpty { break }
            }
        }
        let hasContent = leaves.contains { !$0.0.bytes.elementsAreEmpty }
        self = hasContent ? candidates.first ?? .texts : .texts
    }

    private func accepts(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .texts: true
        case .dates: unsafe RFC3339.parse(text) != nil
        case .numbers: unsafe TextNumber(text) != nil
        case .decimalCommas: unsafe TextNumber(decimalComma: text) != nil
        case .truthValues: unsafe Self.truthValue(text) != nil
        }
    }

    /// The column of texts read this way.
    func column(of builder: TextBuilder, presence: Bitmap?) -> Column {
        if case .texts = self { return Self.textColumn(builder, presence: presence) }
        let texts = builder.column
        let column = ColumnBuilder(shape: FieldInference(name: ""))
        for row in 0..<texts.count where presence?[row] ?? true {
            unsafe texts.withBytes(row) { text in
                // Kinds cannot mix here: every text was accepted by one reading.
                switch self {
                case .texts: break
                case .dates:
                    if let seconds = unsafe RFC3339.parse(text) {
                        try? column.append(date: seconds, row: row, origin: 0)
                    }
                case .numbers, .decimalCommas:
                    let isComma = if case .decimalCommas = self { true } else { false }
                    switch unsafe isComma ? TextNumber(decimalComma: text) : TextNumber(text) {
                    case .int(let value): try? column.append(value, row: row, origin: 0)
                    case .double(let value): try? column.append(value, row: row, origin: 0)
                    case nil: break
                    }
                case .truthValues:
                    if let value = unsafe Self.truthValue(text) { try? column.append(value, row: row, origin: 0) }
                }
            }
        }
        return column.finish(rows: texts.count, texts: .texts)
    }

    package static func truthValue(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
        func equals(_ word: StaticString) -> Bool {
            guard text.count == word.utf8CodeUnitCount else { return false }
            return unsafe zip(text, UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
                .allSatisfy { $0 | 0x20 == $1 }
        }
        return equals("true") ? true : equals("false") ? false : nil
    }

    // MARK: Dictionaries

    /// The texts as a dictionary when few of them differ, else each row its own.
    static func textColumn(_ builder: TextBuilder, presence: Bitmap?) -> Column {
        let texts = builder.column
        let values: Column.Values =
            if let dictionary = dictionary(texts, presence: presence) { .dictionary(dictionary) } else {
                .text(builder.finish())
            }
        return Column(values: values, presence: presence, count: texts.count)
    }

    /// Distinct texts allowed for this many present rows: a quarter, and at least 16.
    static func distinctLimit(_ rows: Int) -> Int { max(16, rows / 4) }

    private static func dictionary(_ texts: TextColumn, presence: Bitmap?) -> DictionaryColumn? {
        let present = presence?.cardinality ?? texts.count
        // Long texts rarely repeat, and hashing them costs more than it saves.
        guard present > 0, texts.bytes.count / present < 128 else { return nil }
        let limit = distinctLimit(present)
        let codes = ColumnBuffer<UInt32>(capacity: texts.count)
        let distinct = TextTable(capacity: texts.count)
        var seen = 0
        for row in 0..<texts.count {
            guard presence?[row] ?? true else {
                codes.append(0)
                continue
            }
            seen += 1
            guard let code = unsafe texts.withBytes(row, { unsafe distinct.number(of: $0) }) else { return nil }
            codes.append(UInt32(truncatingIfNeeded: code))
            // A sample settles most columns of names early; it is large enough for the words of a vocabulary.
            guard code < limit, seen != 4096 || distinct.count <= 2048 else { return nil }
        }
        codes.shrink()
        return DictionaryColumn(codes: codes, values: distinct.texts.finish())
    }
}

extension ColumnBuffer {
    /// Whether there is no element.
    var elementsAreEmpty: Bool { count == 0 }
}

/// A number written as JSON writes numbers; whole ones must fit 64 bits, others must be finite.
///
/// So `007` and numbers with more digits than a machine number holds stay texts: they are names, not quantities.
package enum TextNumber: Hashable, Sendable {
    case int(Int64)
    case double(Double)

    /// Reads a number; `nil` when the text is none.
    package init?(_ text: UnsafeBufferPointer<UInt8>) {
        var position = 0
        let count = text.count
        func digitRun() -> Int {
            let start = position
            while position < count, unsafe text[position] &- 0x30 < 10 { position += 1 }
            return position - start
        }
        if position < count, unsafe text[position] == 0x2D { position += 1 }
        let first = position
        let whole = digitRun()
        guard whole > 0, unsafe whole == 1 || text[first] != 0x30 else { return nil }
        var isWhole = true
        if position < count, unsafe text[position] == 0x2E {
            isWhole = false
            position += 1
            guard digitRun() > 0 else { return nil }
        }
        if position < count, unsafe text[position] | 0x20 == 0x65 {
            isWhole = false
            position += 1
            if position < count, unsafe text[position] == 0x2B || text[position] == 0x2D { position += 1 }
            guard digitRun() > 0 else { return nil }
        }
        guard position == count else { return nil }
        let string = unsafe String(decoding: text, as: UTF8.self)
        if isWhole {
            guard let value = Int64(string) else { return nil }
            self = .int(value)
        } else {
            guard let value = Double(string), value.isFinite else { return nil }
            self = .double(value)
        }
    }
}

extension TextNumber {
    /// Reads a number with a decimal comma, as files write it whose cells are separated by semicolons: `1,5`,
    /// `1.234,5` or `1.234` with groups of three; `nil` when the text is none.
    package init?(decimalComma text: UnsafeBufferPointer<UInt8>) {
        let bytes = unsafe Array(text)
        let parts = bytes.split(separator: UInt8(ascii: ","), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first else { return nil }
        var groups = whole.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        if groups.count > 1 {
            let first = groups[0].drop { $0 == UInt8(ascii: "-") }
            guard (1...3).contains(first.count), groups.dropFirst().allSatisfy(Self.isGroup) else { return nil }
        }
        if parts.count == 2 { groups += [[UInt8(ascii: ".")], Array(parts[1])] }
        let number = groups.flatMap { $0 }
        guard let value = unsafe number.withUnsafeBufferPointer({ unsafe TextNumber($0) }) else { return nil }
        self = value
    }

    private static func isGroup(_ digits: [UInt8]) -> Bool {
        digits.count == 3 && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
