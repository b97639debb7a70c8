// Texts between the quotation marks of another language: escaped scalar by scalar, since a mark or a format character
// beside a quote makes one `Character` of both, which no comparison of characters finds.

extension String {
    /// The text with some of its Unicode scalars replaced.
    ///
    /// - Parameter escape: What a scalar is written as; `nil` for itself.
    package func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = escape(scalar) {
                scalars.append(contentsOf: text.unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// Whether a Unicode scalar occurs in the text.
    package func contains(scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}
