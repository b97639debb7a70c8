// Text columns in the form that comparisons see: canonical, or folded by options.

package import RecordColumns
package import TextAnalysis

/// Folding of whole text columns.
package enum FoldedTexts {
    /// The texts in the form that comparisons with these options see; the column itself when folding changes nothing.
    /// - Complexity: O(bytes).
    package static func fold(_ texts: TextColumn, _ options: TextOptions) -> TextColumn {
        if options.contains(.normalized) || (texts.bytes.isASCII && !options.contains(.caseInsensitive)) {
            return texts
        }
        let builder = TextBuilder()
        var isChanged = false
        var folded = FoldedText()
        for row in 0..<texts.count {
            unsafe texts.withBytes(row) { bytes in
                folded.removeAll()
                TextFolding.fold(unsafe Span(_unsafeElements: bytes), options, into: &folded)
                folded.withBytes { folded in
                    unsafe folded.withUnsafeBufferPointer { folded in
                        if !isChanged, unsafe !ByteHash.areEqual(bytes, folded) { isChanged = true }
                        _ = unsafe builder.append(folded)
                    }
                }
            }
        }
        return isChanged ? builder.finish() : texts
    }
}
