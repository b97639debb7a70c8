// The options of comparisons as those of texts: the bits are the same, but a phrase concerns words alone.

package import PredicateSyntax
package import TextAnalysis

extension TextOptions {
    /// What a comparison's options say of texts.
    package init(_ options: ComparisonOptions) { self.init(rawValue: Int(options.subtracting(.phrase).rawValue)) }

    /// Options from their letters in any order and case, such as `cd` or `Cdl`; `nil` where a letter is none of c, d,
    /// n, l.
    package init?(letters: String) {
        guard let options = ComparisonOptions(letters: letters), !options.contains(.phrase) else { return nil }
        self.init(options)
    }

    /// The options as a comparison has them.
    package var comparisonOptions: ComparisonOptions {
        ComparisonOptions(rawValue: UInt8(truncatingIfNeeded: rawValue))
    }

    /// The option letters, as written in predicates.
    package var letters: String { comparisonOptions.letters }
}
