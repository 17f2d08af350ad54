//! Bent strokes are straight ones, seen through a shear.

use super::*;

/// A bow of no bend moves every point as no bow does, bit by bit, and a bent stroke moves points
/// as the straight one does between straightening and bending back.
#[test]
fn bent_maps_are_straight_ones_conjugated() {
    fn check<O: Transport>() {
        for (p, _) in places() {
            let (bent, x) = unpack_f64(p);
            let straight = Frame { bow: None, ..bent };
            let flat = straight.bent(0.0);
            assert_eq!(O::psi(&flat, x), O::psi(&straight, x), "{p:?}");
            assert_eq!(O::phi(&flat, x), O::phi(&straight, x), "{p:?}");
            let unbent = straight.out_of_straight(bent.into_straight(x));
            let again = |y: Vec2<f64>| bent.out_of_straight(straight.into_straight(y));
            let (psi, phi) = (O::psi(&straight, unbent), O::phi(&straight, unbent));
            let error = (O::psi(&bent, x) - again(psi)).norm();
            assert!(error < 1e-14, "psi {p:?}: {error:e}");
            let error = (O::phi(&bent, x) - again(phi)).norm();
            assert!(error < 1e-14, "phi {p:?}: {error:e}");
        }
    }
    check::<Capsule>();
    check::<Calibrated>();
    check::<Drops>();
    check::<Inert>();
}
