// The lines that records were read from.

extension RecordSet {
    /// Appends the line that a record was read from, without its end; false when the set does not keep lines.
    package func appendSource(of ordinal: Int, to bytes: inout [UInt8]) -> Bool {
        false
    }
}
