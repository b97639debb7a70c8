// Tests of QueryExecution.
