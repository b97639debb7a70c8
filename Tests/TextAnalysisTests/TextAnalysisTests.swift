// Tests of TextAnalysis.
