// How relevant a record is to a search for words: BM25.

import Glibc

/// The parts of a relevance score (Robertson and others, Okapi at TREC-3, 1994; weights as in Lucene, never negative).
///
/// Of each word, phrase or beginning that a predicate looks for, `weight · tf · (k₁ + 1) / (tf + k₁ · (1 − b + b · l /
/// L))` is added up: `tf` occurrences in the searched texts of the record, `l` words in these, `L` words on average in
/// those of the records that have any.
package enum Relevance {
    /// How much further occurrences count.
    package static let saturation = 1.2
    /// How much long texts are held against a record.
    package static let lengthShare = 0.75

    /// The weight of what `matching` of `records` records hold: `ln(1 + (N − n + ½) / (n + ½))`.
    package static func weight(matching: Int, of records: Int) -> Double {
        log(1 + (Double(records - matching) + 0.5) / (Double(matching) + 0.5))
    }

    /// What one search adds to the score of a record.
    ///
    /// - Parameters:
    ///   - count: Occurrences in the record's searched texts, of `length` words in all.
    ///   - averageLength: Words of the searched texts on average.
    @inline(__always)
    package static func score(count: Int, length: Int, averageLength: Double, weight: Double) -> Double {
        if count == 0 { return 0 }
        let share = 1 - lengthShare + lengthShare * Double(length) / averageLength
        return weight * Double(count) * (saturation + 1) / (Double(count) + saturation * share)
    }
}
