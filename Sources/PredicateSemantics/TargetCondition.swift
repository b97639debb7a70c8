// What a path requires of the records that references lead to, apart from who refers to them.

/// A requirement of the records that a reference leads to, or of those that their references lead to.
package struct TargetCondition: Hashable, Sendable {
    /// What is looked at, from the record that the reference leads to.
    package var subject: FieldConstraint.Subject
    package var requirement: FieldConstraint.Requirement

    package init(subject: FieldConstraint.Subject, requirement: FieldConstraint.Requirement) {
        (self.subject, self.requirement) = (subject, requirement)
    }
}

/// The names of records that satisfy a condition.
package struct FoundTargets: Hashable, Sendable {
    /// The records that certainly satisfy it.
    package var certain: [String]
    /// All that may, those among them.
    package var possible: [String]

    package init(certain: [String], possible: [String]) { (self.certain, self.possible) = (certain, possible) }
}
