// Which rows of latitude and longitude are near a centre: a box, then straight-line distances.

#include "CKernels.h"
#include "dispatch.h"

typedef double double8 __attribute__((ext_vector_type(8)));
typedef int64_t int8x __attribute__((ext_vector_type(8)));
typedef _Bool mask8 __attribute__((ext_vector_type(8)));

#define EQUATORIAL_RADIUS 6378137.0
#define FLATTENING (1 / 298.257223563)
#define ECCENTRICITY_SQUARED (FLATTENING * (2 - FLATTENING))
#define RADIANS (3.14159265358979323846 / 180)

KERNEL_BODY uint64_t bits(int8x comparison) {
    return __builtin_bit_cast(uint8_t, __builtin_convertvector(comparison, mask8));
}

KERNEL_BODY double8 load(const double *p) {
    double8 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

// Taylor's series on |x| <= pi/4: the first terms left out are x^15/15! < 3e-14 and x^16/16! < 2e-15.
KERNEL_BODY double8 sine(double8 x) {
    double8 s = x * x;
    return x * (1 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 + s * (-1.0 / 39916800
            + s * (1.0 / 6227020800)))))));
}

KERNEL_BODY double8 cosine(double8 x) {
    double8 s = x * x;
    return 1 + s * (-1.0 / 2 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800
            + s * (1.0 / 479001600 + s * (-1.0 / 87178291200)))))));
}

/// The squared chords from the centre to eight rows.
KERNEL_BODY double8 squared_chord(const kernels_circle *circle, double8 latitude, double8 longitude) {
    double8 half = latitude * (RADIANS / 2);
    double8 s = sine(half), c = cosine(half);
    double8 sin_latitude = 2 * s * c, cos_latitude = 1 - 2 * s * s;
    double8 quarter = longitude * (RADIANS / 4);
    s = sine(quarter), c = cosine(quarter);
    double8 s2 = 2 * s * c, c2 = 1 - 2 * s * s;
    double8 sin_longitude = 2 * s2 * c2, cos_longitude = 1 - 2 * s2 * s2;

    double8 root = __builtin_elementwise_sqrt(1 - ECCENTRICITY_SQUARED * sin_latitude * sin_latitude);
    double8 radius = EQUATORIAL_RADIUS / root;
    double8 x = radius * cos_latitude * cos_longitude - circle->x;
    double8 y = radius * cos_latitude * sin_longitude - circle->y;
    double8 z = (1 - ECCENTRICITY_SQUARED) * radius * sin_latitude - circle->z;
    return x * x + y * y + z * z;
}

/// Rows inside the box, and rows that are a place on Earth.
KERNEL_BODY void box(const kernels_circle *circle, double8 latitude, double8 longitude, uint64_t *near, uint64_t *valid) {
    double8 apart = __builtin_elementwise_abs(longitude - circle->center_longitude);
    double8 wrapped = __builtin_elementwise_min(apart, 360 - apart);
    int8x on_earth = (__builtin_elementwise_abs(latitude) <= 90) & (__builtin_elementwise_abs(longitude) <= 180);
    int8x inside = (latitude >= circle->south) & (latitude <= circle->north) & (wrapped <= circle->longitude_reach);
    *near = bits(on_earth & inside);
    *valid = bits(on_earth);
}

/// 64 rows: returns the undecided ones.
KERNEL_BODY uint64_t select_word(const double *latitudes, const double *longitudes, const kernels_circle *circle,
                                 uint64_t *members) {
    uint64_t near = 0, valid = 0;
    for (size_t g = 0; g < 8; g++) {
        uint64_t near8, valid8;
        box(circle, load(latitudes + 8 * g), load(longitudes + 8 * g), &near8, &valid8);
        near |= near8 << (8 * g);
        valid |= valid8 << (8 * g);
    }
    uint64_t in = circle->beyond_is_member ? valid & ~near : 0;
    uint64_t undecided = 0;
    if (near != 0) {
        for (size_t g = 0; g < 8; g++) {
            uint64_t near8 = near >> (8 * g) & 255;
            if (near8 == 0) continue;
            double8 chord = squared_chord(circle, load(latitudes + 8 * g), load(longitudes + 8 * g));
            uint64_t in8 = bits((chord > circle->surely_above) & (chord < circle->surely_below)) & near8;
            uint64_t out8 = bits((chord < circle->surely_under) | (chord > circle->surely_over));
            in |= in8 << (8 * g);
            undecided |= (near8 & ~in8 & ~out8) << (8 * g);
        }
    }
    *members = in;
    return undecided;
}

KERNEL_BODY int32_t select_near(const double *latitudes, const double *longitudes, size_t count,
                                const kernels_circle *circle, uint64_t *members, uint64_t *undecided) {
    uint64_t any = 0;
    size_t whole = count / 64;
    for (size_t w = 0; w < whole; w++) {
        undecided[w] = select_word(latitudes + 64 * w, longitudes + 64 * w, circle, &members[w]);
        any |= undecided[w];
    }
    size_t rest = count % 64;
    if (rest != 0) {
        double latitude[64], longitude[64];
        for (size_t i = 0; i < 64; i++) {
            latitude[i] = i < rest ? latitudes[64 * whole + i] : 1000;
            longitude[i] = i < rest ? longitudes[64 * whole + i] : 1000;
        }
        undecided[whole] = select_word(latitude, longitude, circle, &members[whole]);
        any |= undecided[whole];
    }
    return any != 0;
}

#if defined(__x86_64__)
KERNEL_AVX512 static int32_t select_near_avx512(const double *latitudes, const double *longitudes, size_t count,
                                                const kernels_circle *circle, uint64_t *members, uint64_t *undecided) {
    return select_near(latitudes, longitudes, count, circle, members, undecided);
}

KERNEL_AVX2 static int32_t select_near_avx2(const double *latitudes, const double *longitudes, size_t count,
                                            const kernels_circle *circle, uint64_t *members, uint64_t *undecided) {
    return select_near(latitudes, longitudes, count, circle, members, undecided);
}
#endif

int32_t kernels_select_near(const double *latitudes, const double *longitudes, size_t count,
                            const kernels_circle *circle, uint64_t *members, uint64_t *undecided) {
#if defined(__x86_64__)
    if (HAS_AVX512) return select_near_avx512(latitudes, longitudes, count, circle, members, undecided);
    if (HAS_AVX2) return select_near_avx2(latitudes, longitudes, count, circle, members, undecided);
#endif
    return select_near(latitudes, longitudes, count, circle, members, undecided);
}
