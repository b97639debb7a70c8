// What several test targets share: fixtures and seeded randomness.
