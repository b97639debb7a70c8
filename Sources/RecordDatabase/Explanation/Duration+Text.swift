// Times as people read them.

extension Duration {
    /// Whole nanoseconds; as many as fit for very long times.
    package var nanoseconds: Int64 {
        let (product, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product &+ components.attoseconds / 1_000_000_000
    }

    /// Three digits in the unit that suits, without those behind them: `850 ns`, `12.3 µs`, `1.84 s`.
    package var text: String {
        var (size, unit) = (Int64(1), "ns")
        for larger in ["µs", "ms", "s"] where nanoseconds / size >= 1000 { (size, unit) = (size * 1000, larger) }
        let whole = nanoseconds / size
        guard size > 1, whole < 100 else { return "\(whole) \(unit)" }
        let hundredths = nanoseconds % size / (size / 1000) / 10
        let fraction = whole < 10 && hundredths < 10 ? "0\(hundredths)" : "\(whole < 10 ? hundredths : hundredths / 10)"
        return "\(whole).\(fraction) \(unit)"
    }
}
