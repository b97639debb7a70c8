// Tests of RecordModel.
