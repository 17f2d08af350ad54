//! What every vector of `fearless_simd` can do, as a [`Real`](crate::numbers::Real).

/// Defines a vector and its mask, whose name, type and element come first, as a `Real` with the
/// functions in braces for its own.
macro_rules! register {
    (
        $(#[$doc:meta])*
        $name:ident($vector:ident of $element:ident),
        $(#[$mask_doc:meta])*
        $mask:ident($mask_vector:ident),
        { $($own:item)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<S: Simd>($vector<S>);

        $(#[$mask_doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $mask<S: Simd>($mask_vector<S>);

        impl<S: Simd> Mask for $mask<S> {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.0.any_true()
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                self.0.to_bitmask() as u32
            }
        }

        register!(@operator $name Add add);
        register!(@operator $name Sub sub);
        register!(@operator $name Mul mul);
        register!(@operator $name Div div);

        impl<S: Simd> Neg for $name<S> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }

        impl<S: Simd> Real for $name<S> {
            type Mask = $mask<S>;

            #[inline(always)]
            fn lit(self, c: f64) -> Self {
                Self($vector::splat(self.0.token(), c as $element))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Self(self.0.abs())
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Self(self.0.mul_add(factor.0, term.0))
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                Self(self.0.copysign(sign.0))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                $mask(self.0.simd_lt(other.0))
            }
            #[inline(always)]
            fn le(self, other: Self) -> Self::Mask {
                $mask(self.0.simd_le(other.0))
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Self(mask.0.select(yes.0, no.0))
            }
            #[inline(always)]
            fn round(self) -> Self {
                Self(self.0.round_ties_even())
            }
            $($own)*
        }
    };
    (@operator $name:ident $trait:ident $method:ident) => {
        impl<S: Simd> $trait for $name<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(self.0.$method(o.0))
            }
        }
    };
}
pub(super) use register;
