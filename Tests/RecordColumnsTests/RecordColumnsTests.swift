// Tests of RecordColumns.
