// Truth values far down in a type, of which two samples hardly differ.

import RecordModel
import Testing

@testable import QueryFrontEnds

private struct Wide: RecordConvertible {
    var n0 = 0
    var n1 = 0
    var n2 = 0
    var n3 = 0
    var n4 = 0
    var n5 = 0
    var n6 = 0
    var n7 = 0
    var n8 = 0
    var n9 = 0
    var n10 = 0
    var n11 = 0
    var n12 = 0
    var n13 = 0
    var n14 = 0
    var n15 = 0
    var n16 = 0
    var n17 = 0
    var n18 = 0
    var n19 = 0
    var n20 = 0
    var n21 = 0
    var flag22 = false
    var flag23 = false
    var n24 = 0
    var n25 = 0
    var n26 = 0
    var n27 = 0
    var n28 = 0
    var n29 = 0
    var n30 = 0
    var n31 = 0
    var n32 = 0
    var n33 = 0
    var n34 = 0
    var n35 = 0
    var flag36 = false
    var flag37 = false
    var n38 = 0
    var n39 = 0
    var n40 = 0
    var n41 = 0
    var n42 = 0
    var n43 = 0
    var n44 = 0
    var n45 = 0
    var n46 = 0
    var n47 = 0
    var n48 = 0
    var n49 = 0
    var flag50 = false
    var flag51 = false

    var both22: Bool { flag22 && flag23 }
    var either22: Bool { flag22 || flag23 }
    var both36: Bool { flag36 && flag37 }
    var either36: Bool { flag36 || flag37 }
    var both50: Bool { flag50 && flag51 }
    var either50: Bool { flag50 || flag51 }
}

@Suite struct WideKeyPathTests {
    /// What is computed of two truth values is neither of them, wherever they stand.
    @Test func computedTruthIsNoField() {
        let fields: [(PartialKeyPath<Wide>, String)] = [
            (\.flag22, "flag22"), (\.flag23, "flag23"), (\.flag36, "flag36"), (\.flag37, "flag37"),
            (\.flag50, "flag50"), (\.flag51, "flag51"), (\.n0, "n0"), (\.n49, "n49"),
        ]
        for (keyPath, name) in fields { #expect((try? Wide.path(of: keyPath)) == [name], "\(name)") }
        let computed: [PartialKeyPath<Wide>] = [
            \.both22, \.either22, \.both36, \.either36, \.both50, \.either50,
        ]
        for keyPath in computed { #expect((try? Wide.path(of: keyPath)) == nil, "\(keyPath)") }
    }
}
