// Truth values far down in a type, of which few samples tell that something is computed of both.

import RecordModel
import Testing

@testable import QueryFrontEnds

private struct Numbers: Codable {
    var a = 0
    var b = 0
    var c = 0
    var d = 0
    var e = 0
    var f = 0
    var g = 0
}

/// The truth values are its 22nd and 23rd values.
private struct Wide: RecordConvertible {
    var x = Numbers()
    var y = Numbers()
    var z = Numbers()
    var left = false
    var right = false

    var areBoth: Bool { left && right }
    var isEither: Bool { left || right }
}

@Suite struct WideKeyPathTests {
    @Test func computedTruthIsNoField() {
        let fields: [(PartialKeyPath<Wide>, [String]?)] = [
            (\.x.a, ["x", "a"]), (\.z.g, ["z", "g"]), (\.left, ["left"]), (\.right, ["right"]), (\.areBoth, nil),
            (\.isEither, nil),
        ]
        for (keyPath, names) in fields { #expect((try? Wide.path(of: keyPath)) == names, "\(keyPath)") }
    }
}
