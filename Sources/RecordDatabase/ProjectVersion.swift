// The version of the library and the command.

/// The version of the library and the command, by semantic versioning.
public enum ProjectVersion {
    /// For example `0.1.0`.
    public static let current = "0.1.0"
}
