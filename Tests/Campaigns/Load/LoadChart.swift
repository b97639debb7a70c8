// The course of a load, as a table and as a picture.

import FoundationEssentials

/// What was seen in one second.
struct LoadSample: Sendable, Equatable {
    /// Seconds since the beginning.
    var second = 0
    var commits = 0
    /// Microseconds of the longest call.
    var longest = 0
    /// Bytes that the writer has in memory, and of those in blocks that are in use; 0 while there is none.
    var writerMemory = 0
    var writerAllocated = 0
    /// The number of the writer: the first one is 1.
    var writer = 0
    /// Bytes in memory, of the reader that has most.
    var readerMemory = 0
    /// Bytes that the reader which is never killed has in memory, and of those in blocks that are in use, between two
    /// moments.
    var lastingMemory = 0
    var lastingAllocated = 0
    /// Bytes of all files of the store.
    var storeBytes = 0
    /// Entries of all ledgers so far, were all as long as the shortest one.
    var entries = 0
}

/// Draws the samples of a run.
struct LoadChart {
    let samples: [LoadSample]
    let seed: UInt64

    /// Writes `load.tsv` and `load.svg`.
    func write(to folder: String) throws {
        try Data(table.utf8).write(to: URL(filePath: folder + "/load.tsv"))
        try Data(picture.utf8).write(to: URL(filePath: folder + "/load.svg"))
    }

    var table: String {
        let head = [
            "second", "commits", "longest_us", "writer", "writer_bytes", "allocated_bytes", "reader_bytes",
            "lasting_reader_bytes", "lasting_reader_allocated_bytes", "store_bytes", "entries",
        ]
        return head.joined(separator: "\t") + "\n"
            + samples.map { sample in
                let numbers = [
                    sample.second, sample.commits, sample.longest, sample.writer, sample.writerMemory,
                    sample.writerAllocated, sample.readerMemory, sample.lastingMemory, sample.lastingAllocated,
                    sample.storeBytes, sample.entries,
                ]
                return numbers.map(String.init).joined(separator: "\t") + "\n"
            }.joined()
    }

    // MARK: The picture

    /// Lines in one panel, which have one scale.
    private struct Panel: Sendable {
        let title: String
        let lines: [(name: String, color: String, value: @Sendable (LoadSample) -> Double)]
    }

    private static let panels = [
        Panel(title: "commits a second", lines: [("commits", "#0b6e99", { Double($0.commits) })]),
        Panel(title: "longest call, ms", lines: [("longest", "#9a3b26", { Double($0.longest) / 1000 })]),
        Panel(
            title: "memory, MB",
            lines: [
                ("writer", "#0b6e99", { Double($0.writerMemory >> 20) }),
                ("of it in use", "#4c9f70", { Double($0.writerAllocated >> 20) }),
                ("largest reader", "#b08900", { Double($0.readerMemory >> 20) }),
                ("lasting reader", "#7a7a7a", { Double($0.lastingMemory >> 20) }),
            ]),
        Panel(title: "files of the store, MB", lines: [("store", "#5b4a9a", { Double($0.storeBytes >> 20) })]),
    ]

    private static let (width, height, margin) = (800.0, 130.0, 40.0)
    /// Points of a line at most; the largest of those that share one is drawn.
    private static let points = 700

    var picture: String {
        let total = Double(Self.panels.count) * (Self.height + Self.margin) + Self.margin
        let panels = Self.panels.enumerated().map { number, panel in
            draw(panel, top: Self.margin + Double(number) * (Self.height + Self.margin))
        }
        let size = "width=\"\(Int(Self.width + 2 * Self.margin))\" height=\"\(Int(total))\""
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) font-family=\"sans-serif\" font-size=\"12\">\n"
            + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + panels.joined() + "</svg>\n"
    }

    private func draw(_ panel: Panel, top: Double) -> String {
        let courses = panel.lines.map { line in course(line.value) }
        let most = max(1, courses.joined().max() ?? 1)
        let step = Self.width / Double(max(1, (courses.first?.count ?? 1) - 1))
        var text = "<text x=\"\(Self.margin)\" y=\"\(top - 6)\">\(panel.title), at most \(Int(most.rounded()))</text>\n"
        text += "<rect x=\"\(Self.margin)\" y=\"\(top)\" width=\"\(Self.width)\" height=\"\(Self.height)\""
        text += " fill=\"none\" stroke=\"#bbb\"/>\n"
        for (number, (line, values)) in zip(panel.lines, courses).enumerated() {
            let points = values.enumerated().map { index, value in
                let (x, y) = (Self.margin + Double(index) * step, top + Self.height * (1 - value / most))
                return "\(Int(x.rounded())),\(Int(y.rounded()))"
            }
            text += "<polyline fill=\"none\" stroke=\"\(line.color)\" points=\"\(points.joined(separator: " "))\"/>\n"
            let x = Self.margin + Self.width - 120 * Double(panel.lines.count - number)
            text += "<text x=\"\(x)\" y=\"\(top - 6)\" fill=\"\(line.color)\">\(line.name)</text>\n"
        }
        return text
    }

    /// The values of a line, of few enough points.
    private func course(_ value: (LoadSample) -> Double) -> [Double] {
        let size = max(1, (samples.count + Self.points - 1) / Self.points)
        return stride(from: 0, to: samples.count, by: size).map { start in
            samples[start..<min(start + size, samples.count)].map(value).max() ?? 0
        }
    }
}
