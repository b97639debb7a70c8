// Typed columns of records.
