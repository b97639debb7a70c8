// What tests need of the machine: skipped where it is missing, failed where nothing may be missing.

import Glibc
import Testing

/// Programs that not every machine has.
public enum MachineTools {
    /// Whether tests run, and fail, though something is missing: `.ci/run` sets the variable.
    public static let areRequired = getenv("TESTS_REQUIRE_TOOLS") != nil

    /// Whether a program is on the path; or a file, when a path is given.
    public static func has(_ program: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}

extension Trait where Self == ConditionTrait {
    /// Tests that are skipped without something, and fail where nothing may be missing.
    public static func requires(
        _ what: String, _ isThere: @autoclosure @escaping @Sendable () throws -> Bool
    ) -> Self {
        .enabled("\(what) is missing") { try isThere() || MachineTools.areRequired }
    }

    /// Tests that are skipped without a program, and fail where nothing may be missing.
    public static func requires(program: String) -> Self { requires(program, MachineTools.has(program)) }
}
