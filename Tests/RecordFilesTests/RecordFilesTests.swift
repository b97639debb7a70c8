// Tests of RecordFiles.
