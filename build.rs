//! Compiles `src/device/loader.c` to `libOpenCL.a` and puts it first on the linker's search path. The `-lOpenCL` of
//! cl-sys then finds our forwarding functions, which open the real loader at run time, and no binary has libOpenCL
//! among its NEEDED entries.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/device/loader.c");
    println!("cargo:rustc-env=POSTINGS_RUSTC={}", rustc_version());
    // On macOS OpenCL is a framework and on Windows an import library; cl-sys links it as such.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| matches!(os.as_str(), "macos" | "windows" | "ios")) {
        return;
    }
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    cc::Build::new()
        .file("src/device/loader.c")
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-std=gnu11")
        .warnings(true)
        // Without cargo's metadata rustc does not bundle the archive: the linker finds it by the name that cl-sys
        // gives.
        .cargo_metadata(false)
        .compile("OpenCL");
    println!("cargo:rustc-link-search=native={out}");
    // Before glibc 2.34 these are separate libraries.
    println!("cargo:rustc-link-lib=dl");
    println!("cargo:rustc-link-lib=pthread");
}

/// The compiler's version, for the reports of benchmarks.
fn rustc_version() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("--version").output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}
