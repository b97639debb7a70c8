// `UTI-EQUALS` and `UTI-CONFORMS-TO`: uniform type identifiers.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var utiEquals: any OperatorSemantics { TypeIdentifierEquals() }
    var utiConformsTo: any OperatorSemantics { TypeIdentifierConforms() }
}

/// `x UTI-EQUALS y`: the same identifier; identifiers do not distinguish case.
struct TypeIdentifierEquals: TextOperator {
    static let name = "UTI-EQUALS"
    let mirrored: ComparisonOperator? = .utiEquals

    func test(_: ConstantOperands, _: TextSettings) throws(ValueFault) -> any ComparisonTest {
        TypeIdentifierTest(name: Self.name, followsConformance: false)
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard let shape = ConstraintShape(comparison), case .string = shape.constant else {
            return nil
        }
        return shape.constraint(.equal(shape.constant, .caseInsensitive))
    }
}

/// `x UTI-CONFORMS-TO y`: the same identifier, or one that conforms to it through the table of well-known types.
///
/// The table holds the public types that files of everyday use have. An identifier outside the table conforms to
/// itself alone.
struct TypeIdentifierConforms: TextOperator {
    static let name = "UTI-CONFORMS-TO"

    func test(_: ConstantOperands, _: TextSettings) throws(ValueFault) -> any ComparisonTest {
        TypeIdentifierTest(name: Self.name, followsConformance: true)
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard let shape = ConstraintShape(comparison), case .string(let type) = shape.constant else {
            return nil
        }
        let conforming =
            [type] + TypeIdentifiers.parents.keys.filter { TypeIdentifiers.conforms($0, to: type) }.sorted()
        return shape.constraint(.membership(conforming.map { .string($0) }, .caseInsensitive))
    }
}

private struct TypeIdentifierTest: ComparisonTest {
    let name: String
    let followsConformance: Bool

    func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
        guard let texts = try TextOperands(lhs, rhs, name) else { return false }
        if TextComparison.areEqual(texts.lhs, texts.rhs, options: .caseInsensitive) { return true }
        return followsConformance && TypeIdentifiers.conforms(texts.lhs, to: texts.rhs)
    }
}

/// The well-known type identifiers and what they conform to.
private enum TypeIdentifiers {
    /// The parents of each type, by lower-case identifier.
    static let parents: [String: [String]] = [
        "public.data": ["public.item"], "public.content": [], "public.item": [],
        "public.directory": ["public.item"], "public.folder": ["public.directory"],
        "public.composite-content": ["public.content"],
        "public.text": ["public.data", "public.content"], "public.plain-text": ["public.text"],
        "public.utf8-plain-text": ["public.plain-text"], "public.utf16-plain-text": ["public.plain-text"],
        "public.rtf": ["public.text"], "public.html": ["public.text"], "public.xml": ["public.text"],
        "public.json": ["public.text"], "public.yaml": ["public.text"], "public.source-code": ["public.plain-text"],
        "public.script": ["public.source-code"], "public.swift-source": ["public.source-code"],
        "public.c-source": ["public.source-code"], "public.shell-script": ["public.script"],
        "public.python-script": ["public.script"], "com.netscape.javascript-source": ["public.source-code"],
        "public.delimited-values-text": ["public.text"],
        "public.comma-separated-values-text": ["public.delimited-values-text"],
        "public.tab-separated-values-text": ["public.delimited-values-text"],
        "net.daringfireball.markdown": ["public.plain-text"], "public.vcard": ["public.text", "public.contact"],
        "public.contact": ["public.data"], "public.image": ["public.data", "public.content"],
        "public.jpeg": ["public.image"], "public.png": ["public.image"], "public.tiff": ["public.image"],
        "public.heic": ["public.image"], "public.heif": ["public.image"], "public.svg-image": ["public.image"],
        "com.compuserve.gif": ["public.image"], "com.microsoft.bmp": ["public.image"],
        "org.webmproject.webp": ["public.image"], "public.camera-raw-image": ["public.image"],
        "com.adobe.pdf": ["public.data", "public.composite-content"],
        "public.audiovisual-content": ["public.data", "public.content"],
        "public.movie": ["public.audiovisual-content"], "public.video": ["public.movie"],
        "public.mpeg": ["public.movie"], "public.mpeg-4": ["public.movie"],
        "com.apple.quicktime-movie": ["public.movie"], "public.avi": ["public.movie"],
        "public.audio": ["public.audiovisual-content"], "public.mp3": ["public.audio"],
        "public.mpeg-4-audio": ["public.audio"], "public.aiff-audio": ["public.audio"],
        "com.microsoft.waveform-audio": ["public.audio"], "public.archive": ["public.data"],
        "public.zip-archive": ["public.archive"], "org.gnu.gnu-zip-archive": ["public.archive"],
        "public.executable": ["public.data"], "public.font": ["public.data"], "public.database": ["public.data"],
        "public.url": ["public.data"], "public.file-url": ["public.url"],
        "public.spreadsheet": ["public.content"], "public.presentation": ["public.composite-content"],
        "com.apple.package": ["public.directory"], "com.apple.bundle": ["public.directory"],
        "com.apple.application": ["public.executable"], "public.calendar-event": ["public.data"],
        "com.apple.ical.ics": ["public.text", "public.calendar-event"],
    ]

    /// Whether a known type reaches another through its parents; the table has no cycles.
    static func conforms(_ type: String, to other: String) -> Bool {
        let wanted = TextFolding.fold(other, .caseInsensitive)
        var open = [TextFolding.fold(type, .caseInsensitive)]
        while let next = open.popLast() {
            if next == wanted { return true }
            open += parents[next] ?? []
        }
        return false
    }
}
