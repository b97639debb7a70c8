// Which tables decide how texts compare: an index built with one version is not to be trusted under another.
import CICU

/// The versions of ICU and of the Unicode tables in it that this process uses.
package enum TextVersions {
    /// The version of ICU, such as "72.1".
    package static let icu = unsafe text { unsafe cicu_version($0) }
    /// The version of the Unicode Character Database, such as "15.0".
    package static let unicode = unsafe text { unsafe cicu_unicode_version($0) }

    private static func text(_ read: (UnsafeMutablePointer<UInt8>) -> Void) -> String {
        var numbers = [UInt8](repeating: 0, count: 4)
        // SAFETY: the array has the four bytes that the call fills, and lives during the call.
        unsafe numbers.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { unsafe read(base) }
        }
        while numbers.count > 2, numbers.last == 0 { numbers.removeLast() }
        return numbers.map(String.init).joined(separator: ".")
    }
}
