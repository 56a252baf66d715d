//! Builds `src/device/loader.c` to `libOpenCL.a`, and puts it first on the linker's search path: cl-sys's `-lOpenCL`
//! then means our forwarders, which open the real loader at run time, and no binary has libOpenCL in its NEEDED entries.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/device/loader.c");
    println!("cargo:rustc-env=POSTINGS_RUSTC={}", rustc_version());
    // Elsewhere OpenCL is a framework (macOS) or an import library (Windows), and cl-sys links it as such.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| matches!(os.as_str(), "macos" | "windows" | "ios")) {
        return;
    }
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    cc::Build::new()
        .file("src/device/loader.c")
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-std=gnu11")
        .warnings(true)
        // rustc must not bundle it: the linker takes it by the name that cl-sys asks for.
        .cargo_metadata(false)
        .compile("OpenCL");
    println!("cargo:rustc-link-search=native={out}");
    // Before glibc 2.34 these are libraries of their own.
    println!("cargo:rustc-link-lib=dl");
    println!("cargo:rustc-link-lib=pthread");
}

/// The compiler, for the reports of benchmarks.
fn rustc_version() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("--version").output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}
