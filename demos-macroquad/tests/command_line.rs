//! The programs as a user starts them.

#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

use std::path::Path;
use std::process::{Command, Output};

/// Runs the gallery without a display, in the test's own folder.
fn gallery(arguments: &[&str]) -> Output {
    run(env!("CARGO_BIN_EXE_gallery"), arguments)
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_list_names_every_scene() {
    let output = gallery(&["--list"]);
    assert!(output.status.success());
    let names: Vec<_> = text(&output.stdout)
        .lines()
        .map(|l| l.split_whitespace().next().unwrap().to_owned())
        .collect();
    assert_eq!(
        names,
        [
            "ink",
            "smoke",
            "cavity",
            "stam",
            "solvers",
            "dam-break",
            "water",
            "waves",
            "pool",
            "3d-tank",
            "3d-water",
            "karman",
            "lbm-ink",
            "porous",
            "3d-wake",
            "wind",
            "pond",
            "shore",
            "river",
            "dam-burst"
        ]
    );
}

#[test]
fn all_scenes_run_headless_and_print_a_line_each() {
    let output = gallery(&["--headless", "--frames", "2", "--size", "1x1", "--out", "all"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), 20);
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_a_sentence_says_so_and_pictures_are_written() {
    let program = env!("CARGO_BIN_EXE_cavity");
    let output = run(program, &["--frames", "2", "--size", "16x16", "--out", "plain"]);
    assert!(output.status.success());
    let message = text(&output.stderr);
    assert!(message.contains("no display") && message.trim_end().lines().count() == 1, "{message}");
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plain/cavity.png");
    assert!(picture.exists());
}

#[test]
fn bad_arguments_end_with_code_2_and_one_sentence() {
    for arguments in [
        &["--headless", "--size", "0x8"][..],
        &["--headless", "--size", "wide"],
        &["--headless", "--size", "9999999x1"],
        &["--headless", "--size", "99999x99999"],
        &["--headless", "--scene", "lava"],
        &["--headless", "--dye", "no-such-picture.png"],
        &["--headless", "--obstacles", "no-such-picture.png"],
        &["--headless", "--frames", "-1"],
        &["--headless", "--every", "0"],
        &["--headless", "--threads", "9999999"],
        &["--headless", "--scene", "ink", "--set", "lava=1"],
        &["--headless", "--scene", "ink", "--set", "fade=-1"],
        &["--headless", "--scene", "ink", "--set", "pressure solver=magic"],
        &["--lava"],
    ] {
        let output = gallery(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert_eq!(message.trim_end().lines().count(), 1, "{arguments:?}: {message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn settings_change_the_run() {
    let digest = |setting: &str| {
        let output = gallery(&[
            "--headless",
            "--scene",
            "ink",
            "--frames",
            "3",
            "--size",
            "16x16",
            "--out",
            "set",
            "--set",
            setting,
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        line["digest"].as_str().unwrap().to_owned()
    };
    assert_ne!(digest("fade=0.3"), digest("fade=1"));
    assert_ne!(digest("pressure solver=SOR"), digest("pressure solver=Jacobi"));
}
