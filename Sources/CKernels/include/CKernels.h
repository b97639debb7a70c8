// Vector kernels over plain arrays, with wider instructions chosen when the program runs.
//
// Nothing here knows records or predicates. Every kernel gives the same answer on every processor, except where a
// comment allows rounding to differ.
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// A circle on the ellipsoid for `kernels_select_near`, from the point of view of rows of latitude and longitude.
typedef struct {
    /// Degrees: rows outside this box are farther from the centre than the outer circle.
    double south, north, center_longitude, longitude_reach;
    /// Geocentric coordinates of the centre in metres.
    double x, y, z;
    /// Squared chords in metres: between the first two, and above the last, a row needs no exact test.
    double surely_above, surely_below, surely_under, surely_over;
    /// Whether valid rows outside the box are members.
    int32_t beyond_is_member;
} kernels_circle;

/// Classifies `count` rows by their straight-line distance from a centre, 64 rows to a word, lowest row first.
///
/// A row is a member if its squared chord is above `surely_above` and below `surely_below`; it is undecided if it is
/// not a member and its squared chord is neither below `surely_under` nor above `surely_over`. The chord is computed
/// to a tenth of a millimetre; allow for it in the thresholds. Rows that are no place on Earth are in neither set.
/// Writes (count + 63) / 64 words to `members` and to `undecided`; returns whether any row is undecided.
int32_t kernels_select_near(const double *latitudes, const double *longitudes, size_t count,
                            const kernels_circle *circle, uint64_t *members, uint64_t *undecided);

#endif
