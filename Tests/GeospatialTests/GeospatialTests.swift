// Tests of Geospatial.
