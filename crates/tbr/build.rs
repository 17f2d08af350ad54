//! Decides whether the vector code is compiled for x86-64 machines without AVX2, too. That is a
//! quarter of the library's build, for machines from before 2013 and a few small ones since: it
//! is done on such a machine, and with the feature `sse2`, for builds that go to others.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(narrow)");
    let set = |name: &str| std::env::var_os(name);
    let for_itself = set("HOST") == set("TARGET");
    if set("CARGO_FEATURE_SSE2").is_some() || (for_itself && !has_avx2()) {
        println!("cargo::rustc-cfg=narrow");
    }
}

/// What `fearless_simd` asks for, of what machines with AVX2 may lack.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma") && has!("bmi2") && has!("f16c") && has!("lzcnt") && has!("movbe")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    true
}
