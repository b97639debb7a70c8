// Tests of RecordDatabase.
