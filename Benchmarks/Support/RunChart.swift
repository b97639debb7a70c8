// A run as a picture: a bar for our time and a mark for every peer's, on a logarithmic scale.

import Glibc

/// Draws a run as SVG, readable on light and dark ground.
///
/// Colours are attributes, for renderers without style sheets, and rules, which follow the reader's ground.
struct RunChart {
    private let report: RunReport

    init(_ report: RunReport) {
        self.report = report
    }

    private let labelWidth = 92.0
    private let plotWidth = 640.0
    private let rowHeight = 15.0
    private let top = 64.0

    /// The powers of ten, of microseconds, that the axis spans.
    private var decades: ClosedRange<Int> {
        let positive = report.ours.flatMap { result in
            [report.charted(result)] + report.peers.compactMap { report.charted(result, $0) }
        }.filter { $0 > 0 && $0.isFinite }
        let low = Int(log10(positive.min() ?? 1).rounded(.down))
        return low...max(low + 1, Int(log10(positive.max() ?? 10).rounded(.up)))
    }

    private func x(_ microseconds: Double) -> Double {
        let span = Double(decades.upperBound - decades.lowerBound)
        return labelWidth + (log10(max(microseconds, 1e-6)) - Double(decades.lowerBound)) / span * plotWidth
    }

    /// The picture.
    var svg: String {
        let height = top + Double(report.ours.count) * rowHeight + 30
        let width = labelWidth + plotWidth + 24
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" font-family="system-ui, sans-serif" font-size="11" fill="#24292f">
            \(style)
            <rect class="ground" fill="#ffffff" width="100%" height="100%"/>
            \(heading)
            \(axis(to: height - 26))
            \(report.ours.enumerated().map(row).joined(separator: "\n"))
            </svg>

            """
    }

    private var style: String {
        """
        <style>
        .ground { fill: #ffffff } text { fill: #24292f } .grid { stroke: #d0d7de } .bar { fill: #f05138 }
        .mark { stroke: #ffffff; stroke-width: 0.6 } .p0 { fill: #0b5fa5 } .p1 { fill: #8a6d00 } .p2 { fill: #6f42c1 }
        .p3 { fill: #1a7f37 } .p4 { fill: #57606a } .p5 { fill: #bf3989 }
        @media (prefers-color-scheme: dark) {
          .ground { fill: #0d1117 } text { fill: #c9d1d9 } .grid { stroke: #30363d } .bar { fill: #f05138 }
          .mark { stroke: #0d1117 } .p0 { fill: #58a6ff } .p1 { fill: #e3b341 } .p2 { fill: #bc8cff }
          .p3 { fill: #56d364 } .p4 { fill: #8b949e } .p5 { fill: #ff7bce }
        }
        </style>
        """
    }

    private var heading: String {
        var x = labelWidth
        var legend = "<rect class=\"bar\" fill=\"#f05138\" x=\"\(x)\" y=\"30\" width=\"18\" height=\"9\"/>"
        x += 23
        legend += "<text x=\"\(x)\" y=\"39\">this engine</text>"
        x += 72
        for (index, peer) in report.peers.enumerated() {
            legend += mark(index, x: x, y: 34.5) + "<text x=\"\(x + 8)\" y=\"39\">\(peer.peer)</text>"
            x += 28 + Double(peer.peer.count) * 6.6
        }
        let values = report.bound.isEmpty ? "" : ", new values in every run"
        let title = """
            \(report.ingest.records.separated) records: µs per query\(values), median, one thread \
            (\(report.machine.processor), \(report.machine.date.prefix(10)))
            """
        return "<text x=\"8\" y=\"18\" font-size=\"13\">\(escape(title))</text>\n\(legend)"
    }

    private func axis(to bottom: Double) -> String {
        decades.map { decade in
            let place = x(pow(10, Double(decade)))
            let label =
                switch decade {
                case ..<0: "\(pow(10, Double(decade))) µs"
                case ..<3: "\(Int(pow(10, Double(decade)))) µs"
                case ..<6: "\(Int(pow(10, Double(decade - 3)))) ms"
                default: "\(Int(pow(10, Double(min(decade, 15) - 6)))) s"
                }
            return """
                <line class="grid" stroke="#d0d7de" x1="\(place)" y1="\(top - 6)" x2="\(place)" y2="\(bottom)"/>\
                <text x="\(place)" y="\(bottom + 15)" text-anchor="middle">\(label)</text>
                """
        }.joined(separator: "\n")
    }

    private func row(_ index: Int, _ result: QueryResult) -> String {
        let y = top + Double(index) * rowHeight
        let end = x(report.charted(result))
        let left = x(pow(10, Double(decades.lowerBound)))
        let marks = report.peers.enumerated().compactMap { index, peer in
            report.charted(result, peer).map { mark(index, x: x($0), y: y + 4.5) }
        }
        return """
            <text x="\(labelWidth - 6)" y="\(y + 8.5)" text-anchor="end">\(escape(result.id))</text>\
            <rect class="bar" fill="#f05138" x="\(left)" y="\(y)" width="\(max(1.5, end - left))" height="9" rx="1"/>\
            \(marks.joined())
            """
    }

    private static let peerColours = ["#0b5fa5", "#8a6d00", "#6f42c1", "#1a7f37", "#57606a", "#bf3989"]

    private func mark(_ peer: Int, x: Double, y: Double) -> String {
        "<circle class=\"mark p\(peer % 6)\" fill=\"\(Self.peerColours[peer % 6])\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"/>"
    }

    private func escape(_ text: String) -> String {
        // Scalar by scalar: a mark behind `<` makes one character of both.
        text.unicodeScalars.map { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : String($0) }.joined()
    }
}
