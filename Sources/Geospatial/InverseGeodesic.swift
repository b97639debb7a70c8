// The inverse geodesic problem, solved for the distance alone.

import Glibc

/// Two points in canonical position and the search for the geodesic between them.
///
/// Equation numbers are those of C. F. F. Karney, "Algorithms for geodesics" (2013), whose Newton method on the
/// azimuth α₁ this follows. Where only the distance is wanted its last steps can be saved: an endpoint that is off by
/// δλ along its parallel changes the distance by a sin α₀ δλ (Clairaut's relation) and a known second-order term, so
/// the search stops when the third order is below a nanometre.
struct InverseGeodesic {
    /// Reduced latitude of point 1: the one farther from the equator, turned south (β₁ ≤ 0, |β₂| ≤ −β₁).
    private let beta1: UnitAngle
    /// Reduced latitude of point 2.
    private let beta2: UnitAngle
    /// λ₁₂ in degrees, 0 … 180, and as an angle.
    private let degrees: Double
    private let lambda: UnitAngle

    /// Azimuths below this are taken to be zero; its square is still a normal number.
    private static let tiny = 1e-150
    /// Terms below this length, in metres, are left out.
    private static let tolerance = 1e-9

    /// Latitudes in −90 … 90 and the longitude difference in 0 … 180, in degrees.
    init(latitudes first: Double, _ second: Double, longitudeDifference: Double) {
        var (far, near) = abs(first) < abs(second) ? (second, first) : (first, second)
        if far > 0 { (far, near) = (-far, -near) }
        beta1 = UnitAngle(reducingLatitude: Self.flushed(far))
        beta2 = UnitAngle(reducingLatitude: Self.flushed(near))
        degrees = Self.flushed(longitudeDifference)
        lambda = UnitAngle(degrees: degrees)
    }

    /// `degrees`, or 0 where they are less than 1e-13 metres and their squares might underflow.
    private static func flushed(_ degrees: Double) -> Double { abs(degrees) < 1e-18 ? 0 : degrees }

    /// The distance in metres.
    func distance() -> Double {
        if beta1.cosine == 0 || lambda.sine == 0 { return meridianDistance() }
        let radians = degrees * (.pi / 180)
        if beta1.sine == 0, radians <= (1 - Ellipsoid.flattening) * .pi {
            return Ellipsoid.equatorialRadius * radians
        }
        switch firstGuess(radians) {
        case .distance(let distance): return distance
        case .azimuth(let azimuth): return search(from: azimuth)
        }
    }

    /// Along a meridian, over the nearer pole if the points are on opposite ones.
    private func meridianDistance() -> Double {
        let k2 = Ellipsoid.secondEccentricitySquared
        // At the pole every direction is a meridian: take the one that point 2 is on.
        let cosineAlpha1: Double = beta1.cosine == 0 ? 1 : lambda.cosine
        let sigma1 = UnitAngle(sine: beta1.sine, cosine: cosineAlpha1 * beta1.cosine)
        let sigma2 = beta2
        let arc = Self.arc(from: sigma1, to: sigma2)
        return Ellipsoid.polarRadius
            * GeodesicSeries.distance(GeodesicSeries.epsilon(k2), from: sigma1, to: sigma2, arc: arc)
    }

    /// σ₂ − σ₁ in 0 … π.
    private static func arc(from sigma1: UnitAngle, to sigma2: UnitAngle) -> Double {
        let sine = sigma1.cosine * sigma2.sine - sigma1.sine * sigma2.cosine
        return atan2(notNegative(sine), sigma1.cosine * sigma2.cosine + sigma1.sine * sigma2.sine)
    }

    /// `value`, or positive zero if it is below or equal to zero: half a turn and minus half a turn differ by that
    /// sign.
    @inline(__always)
    private static func notNegative(_ value: Double) -> Double { value > 0 ? value : 0 }
}

// MARK: - The first guess

extension InverseGeodesic {
    private enum Guess {
        case distance(Double)
        case azimuth(UnitAngle)
    }

    /// The azimuth at point 1 by the auxiliary sphere, equations (48) to (51), or a distance so short that this is it.
    private func firstGuess(_ radians: Double) -> Guess {
        let sineDifference = beta2.sine * beta1.cosine - beta2.cosine * beta1.sine
        let cosineDifference = beta2.cosine * beta1.cosine + beta2.sine * beta1.sine
        let isShort = cosineDifference >= 0 && sineDifference < 0.5 && beta2.cosine * radians < 0.5

        var omega = lambda
        var scale = Ellipsoid.polarRadius
        if isShort {
            let sine = beta1.sine + beta2.sine
            let cosine = beta1.cosine + beta2.cosine
            let middle = sine * sine / (sine * sine + cosine * cosine)
            let w = (1 + Ellipsoid.secondEccentricitySquared * middle).squareRoot()
            scale *= w
            let spherical = radians / ((1 - Ellipsoid.flattening) * w)
            omega = UnitAngle(sine: sin(spherical), cosine: cos(spherical))
        }
        let z = azimuthVector(omega, sineDifference: sineDifference)
        let sineArc = (z.x * z.x + z.y * z.y).squareRoot()
        let cosineArc = beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * omega.cosine

        // 0.1 √ε_machine / √(f/2): shorter arcs are straight enough.
        if isShort, sineArc < 3.6e-8 { return .distance(scale * atan2(sineArc, cosineArc)) }
        let nearOpposite = 6 * Ellipsoid.thirdFlattening * Double.pi * beta1.cosine * beta1.cosine
        if cosineArc < 0, sineArc < nearOpposite { return .azimuth(oppositeGuess()) }
        return .azimuth(Self.azimuth(z))
    }

    /// The vector that points along the azimuth at point 1, y to the north, x to the east, equation (49).
    private func azimuthVector(_ omega: UnitAngle, sineDifference: Double) -> SIMD2<Double> {
        let correction = beta2.cosine * beta1.sine * omega.sine * omega.sine
        let north =
            omega.cosine >= 0
            ? sineDifference + correction / (1 + omega.cosine)
            : beta2.sine * beta1.cosine + beta2.cosine * beta1.sine - correction / (1 - omega.cosine)
        return SIMD2(beta2.cosine * omega.sine, north)
    }

    private static func azimuth(_ z: SIMD2<Double>) -> UnitAngle {
        z.x > 0 ? UnitAngle(normalizing: z.x, z.y) : UnitAngle(sine: 1, cosine: 0)
    }

    /// The azimuth at point 1 when point 2 is near its antipode, by the astroid of section 5.
    private func oppositeGuess() -> UnitAngle {
        let k2 = beta1.sine * beta1.sine * Ellipsoid.secondEccentricitySquared
        let lambdaScale =
            Ellipsoid.flattening * beta1.cosine * GeodesicSeries.a3(GeodesicSeries.epsilon(k2)) * .pi
        let sineSum = beta2.sine * beta1.cosine + beta2.cosine * beta1.sine
        let x = (degrees - 180) * (.pi / 180) / lambdaScale
        let y = sineSum / (lambdaScale * beta1.cosine)
        if y > -4.5e-14, x > -1 - 1.5e-5 {
            // On the cut locus, equation (57).
            let sine = min(1, -x)
            let cosine = -(1 - sine * sine).squareRoot()
            return UnitAngle(sine: sine, cosine: cosine)
        }
        let kappa = Self.astroid(x, y)
        let rest = lambdaScale * -x * kappa / (1 + kappa)
        return Self.azimuth(
            azimuthVector(UnitAngle(sine: sin(rest), cosine: -cos(rest)), sineDifference: sineSum))
    }

    /// The positive root κ of κ⁴ + 2κ³ + (1 − x² − y²)κ² − 2y²κ − y² = 0, equation (55), by Ferrari's method.
    private static func astroid(_ x: Double, _ y: Double) -> Double {
        let p = x * x
        let q = y * y
        let r = (p + q - 1) / 6
        if q == 0, r <= 0 { return 0 }
        let s = p * q / 4
        let r3 = r * r * r
        let discriminant = s * (s + 2 * r3)
        var u = r
        if discriminant >= 0 {
            // The sign of the root avoids cancellation.
            let sum = s + r3
            let t = cbrt(sum + (sum < 0 ? -discriminant.squareRoot() : discriminant.squareRoot()))
            if t != 0 { u += t + r * r / t }
        } else {
            u += 2 * r * cos(atan2((-discriminant).squareRoot(), -(s + r3)) / 3)
        }
        let v = (u * u + q).squareRoot()
        let sum = u < 0 ? q / (v - u) : u + v
        let w = (sum - q) / (2 * v)
        return sum / ((sum + w * w).squareRoot() + w)
    }
}

// MARK: - The search

extension InverseGeodesic {
    /// A geodesic from point 1 that reaches the latitude of point 2.
    private struct Trial {
        /// Azimuth at point 1 and, by its sine, at the equator.
        var alpha1: UnitAngle
        var sineAlpha0: Double
        /// Arcs on the auxiliary sphere, σ₁ and σ₂, and σ₂ − σ₁ in radians.
        var sigma1: UnitAngle
        var sigma2: UnitAngle
        var arc: Double
        var k2: Double
        /// How far beyond point 2 it arrives, in radians of longitude.
        var excess: Double
        /// Reduced length m₁₂ in units of the polar radius.
        var reducedLength: Double
        /// dλ₁₂/dα₁, equation (46).
        var slope: Double
    }

    /// Newton's method for the azimuth at point 1, kept inside a bracket.
    private func search(from guess: UnitAngle) -> Double {
        var low = UnitAngle(sine: Self.tiny, cosine: 1)
        var high = UnitAngle(sine: Self.tiny, cosine: -1)
        var trial = self.trial(guess)
        // Newton's method takes two or three steps; 60 halvings of the bracket leave nothing to halve.
        var steps = 0
        while !isClose(trial), steps < 80 {
            if trial.excess > 0 { high = trial.alpha1 } else { low = trial.alpha1 }
            let middle = UnitAngle(normalizing: low.sine + high.sine, low.cosine + high.cosine)
            trial = self.trial(steps < 20 ? newtonStep(trial) ?? middle : middle)
            steps += 1
        }
        return distance(trial)
    }

    /// Whether what `distance` neglects, the third order in the offset of the end point, is small enough.
    private func isClose(_ trial: Trial) -> Bool {
        let offset = abs(trial.excess) * beta2.cosine
        let turn = offset / trial.reducedLength
        return trial.slope > 0
            && offset * (turn * turn + trial.excess * trial.excess) * Ellipsoid.equatorialRadius < Self.tolerance
    }

    /// The distance to point 2 from a geodesic that ends beside it.
    private func distance(_ trial: Trial) -> Double {
        let length = GeodesicSeries.distance(
            GeodesicSeries.epsilon(trial.k2), from: trial.sigma1, to: trial.sigma2, arc: trial.arc)
        let first = trial.sineAlpha0 * trial.excess
        let second =
            trial.slope > 0 ? trial.alpha1.cosine * beta1.cosine * trial.excess * trial.excess / trial.slope / 2 : 0
        return Ellipsoid.polarRadius * length - Ellipsoid.equatorialRadius * (first - second)
    }

    /// The next azimuth, or nil where the method would leave the bracket 0 … π.
    private func newtonStep(_ trial: Trial) -> UnitAngle? {
        let turn = -trial.excess / trial.slope
        guard trial.slope > 0, abs(turn) < .pi else { return nil }
        let (sine, cosine) = (sin(turn), cos(turn))
        let next = trial.alpha1.sine * cosine + trial.alpha1.cosine * sine
        guard next > 0 else { return nil }
        return UnitAngle(normalizing: next, trial.alpha1.cosine * cosine - trial.alpha1.sine * sine)
    }

    /// Follows the geodesic that leaves point 1 at azimuth `alpha`.
    private func trial(_ alpha: UnitAngle) -> Trial {
        var alpha1 = alpha
        // On the equator due east is a geodesic that never leaves it: bend it a little.
        if beta1.sine == 0, alpha1.cosine == 0 { alpha1.cosine = -Self.tiny }
        let sineAlpha0 = alpha1.sine * beta1.cosine
        let cosineAlpha0Squared =
            alpha1.cosine * alpha1.cosine + alpha1.sine * beta1.sine * (alpha1.sine * beta1.sine)

        // cos α cos β at either end; at point 2 by Clairaut's relation, equation (45).
        let cosine1 = alpha1.cosine * beta1.cosine
        let between =
            beta1.cosine < -beta1.sine
            ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
            : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
        let cosine2 = (cosine1 * cosine1 + between).squareRoot()

        // Equations (11) and (12): arcs and longitudes on the auxiliary sphere.
        let sigma1 = UnitAngle(normalizing: beta1.sine, cosine1)
        let sigma2 = UnitAngle(normalizing: beta2.sine, cosine2)
        let arc = Self.arc(from: sigma1, to: sigma2)
        let omegaSine = Self.notNegative(sineAlpha0 * (cosine1 * beta2.sine - beta1.sine * cosine2))
        let omegaCosine = cosine1 * cosine2 + sineAlpha0 * beta1.sine * (sineAlpha0 * beta2.sine)
        let excessOnSphere = atan2(
            omegaSine * lambda.cosine - omegaCosine * lambda.sine,
            omegaCosine * lambda.cosine + omegaSine * lambda.sine)

        let k2 = cosineAlpha0Squared * Ellipsoid.secondEccentricitySquared
        let longitude = GeodesicSeries.longitude(GeodesicSeries.epsilon(k2), from: sigma1, to: sigma2, arc: arc)
        let excess = excessOnSphere - Ellipsoid.flattening * sineAlpha0 * longitude

        // Equation (38).
        let root1 = (1 + k2 * sigma1.sine * sigma1.sine).squareRoot()
        let root2 = (1 + k2 * sigma2.sine * sigma2.sine).squareRoot()
        let reducedLength =
            root2 * sigma1.cosine * sigma2.sine - root1 * sigma1.sine * sigma2.cosine
            - sigma1.cosine * sigma2.cosine
            * GeodesicSeries.reducedLength(k2, from: sigma1, to: sigma2, arc: arc)
        // On one parallel, due east at both ends, equation (46) is 0/0: this is its limit.
        let slope =
            cosine2 == 0
            ? -2 * (1 - Ellipsoid.flattening) * root1 / beta1.sine
            : reducedLength * (1 - Ellipsoid.flattening) / cosine2
        return Trial(
            alpha1: alpha1, sineAlpha0: sineAlpha0, sigma1: sigma1, sigma2: sigma2, arc: arc, k2: k2,
            excess: excess, reducedLength: reducedLength, slope: slope)
    }
}
