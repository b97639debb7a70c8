// The series expansions of the geodesic integrals, to sixth order.

/// The integrals of C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43–55 (2013),
/// doi 10.1007/s00190-012-0578-z, expanded in ε; σ is the arc length on the auxiliary sphere from the equator.
enum GeodesicSeries {
    /// The expansion parameter ε of equation (16) for k² = e′² cos² α₀.
    @inline(__always)
    static func epsilon(_ k2: Double) -> Double { k2 / (2 * (1 + (1 + k2).squareRoot()) + k2) }

    /// I₁(σ₂) − I₁(σ₁), equations (15), (17), (18): the distance in units of the polar radius.
    @inline(__always)
    static func distance(_ epsilon: Double, from sigma1: UnitAngle, to sigma2: UnitAngle, arc: Double) -> Double {
        let e2 = epsilon * epsilon
        let a1 = (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64 + e2 / 256))) / (1 - epsilon)
        var power = epsilon
        let c1 = power * (-1.0 / 2 + e2 * (3.0 / 16 - e2 / 32))
        power *= epsilon
        let c2 = power * (-1.0 / 16 + e2 * (1.0 / 32 - e2 * (9.0 / 2048)))
        power *= epsilon
        let c3 = power * (-1.0 / 48 + e2 * (3.0 / 256))
        power *= epsilon
        let c4 = power * (-5.0 / 512 + e2 * (3.0 / 512))
        power *= epsilon
        let c5 = power * (-7.0 / 1280)
        power *= epsilon
        let c6 = power * (-7.0 / 2048)
        return a1 * (arc + sineSum(sigma1, sigma2, c1, c2, c3, c4, c5, c6))
    }

    /// A₃ of equation (24).
    @inline(__always)
    static func a3(_ epsilon: Double) -> Double {
        let n = Ellipsoid.thirdFlattening
        let high = 3.0 / 64 + n / 32 + epsilon * (3.0 / 128)
        let middle = 1.0 / 4 + n / 8 - n * n * (3.0 / 8) + epsilon * (1.0 / 16 + n * (3 + n) / 16 + epsilon * high)
        return 1 - epsilon * (1.0 / 2 - n / 2 + epsilon * middle)
    }

    /// I₃(σ₂) − I₃(σ₁), equations (23) to (25): the integral that turns spherical into ellipsoidal longitude.
    @inline(__always)
    static func longitude(_ epsilon: Double, from sigma1: UnitAngle, to sigma2: UnitAngle, arc: Double) -> Double {
        let n = Ellipsoid.thirdFlattening
        let n2 = n * n
        let e = epsilon
        var power = e
        let c1 =
            power
            * ((1 - n) / 4
                + e
                * ((1 - n2) / 8
                    + e * ((3 + 3 * n - n2) / 64 + e * (5.0 / 128 + n / 64 + e * (3.0 / 128)))))
        power *= e
        let c2 =
            power
            * ((2 - 3 * n + n2) / 32
                + e * ((3 - 2 * n - 3 * n2) / 64 + e * ((3 + n) / 128 + e * (5.0 / 256))))
        power *= e
        let c3 = power * ((5 - 9 * n + 5 * n2) / 192 + e * (3.0 / 128 - n * (5.0 / 192) + e * (7.0 / 512)))
        power *= e
        let c4 = power * (7.0 / 512 - n * (7.0 / 256) + e * (7.0 / 512))
        power *= e
        let c5 = power * (21.0 / 2560)
        return a3(e) * (arc + sineSum(sigma1, sigma2, c1, c2, c3, c4, c5, 0))
    }

    /// J(σ₂) − J(σ₁) with J = ∫ k² sin² σ / √(1 + k² sin² σ) dσ, equation (40), to the second order in k².
    ///
    /// Only the slope for Newton's method and the last correction use it: the neglected k⁶ is below 1e-6 of it.
    @inline(__always)
    static func reducedLength(_ k2: Double, from sigma1: UnitAngle, to sigma2: UnitAngle, arc: Double) -> Double {
        func sines(_ sigma: UnitAngle) -> (double: Double, quadruple: Double) {
            let double = 2 * sigma.sine * sigma.cosine
            return (double, 2 * double * (1 - 2 * sigma.sine * sigma.sine))
        }
        let (start, end) = (sines(sigma1), sines(sigma2))
        let double = end.double - start.double
        let square = arc / 2 - double / 4
        let fourth = arc * (3.0 / 8) - double / 4 + (end.quadruple - start.quadruple) / 32
        return k2 * (square - k2 / 2 * fourth)
    }

    /// Σ cₗ (sin 2lσ₂ − sin 2lσ₁) by Clenshaw's recurrence, both ends at once.
    @inline(__always)
    private static func sineSum(
        _ sigma1: UnitAngle, _ sigma2: UnitAngle,
        _ c1: Double, _ c2: Double, _ c3: Double, _ c4: Double, _ c5: Double, _ c6: Double
    ) -> Double {
        let sine = SIMD2(sigma1.sine, sigma2.sine)
        let cosine = SIMD2(sigma1.cosine, sigma2.cosine)
        let twiceCosine = 2 * (cosine - sine) * (cosine + sine)
        let b5 = twiceCosine * c6 + c5
        let b4 = twiceCosine * b5 + (c4 - c6)
        let b3 = twiceCosine * b4 - b5 + c3
        let b2 = twiceCosine * b3 - b4 + c2
        let b1 = twiceCosine * b2 - b3 + c1
        let sums = 2 * sine * cosine * b1
        return sums.y - sums.x
    }
}
