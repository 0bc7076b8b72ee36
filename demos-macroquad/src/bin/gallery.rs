//! The gallery: every scene, from a menu.

use std::process::ExitCode;

fn main() -> ExitCode {
    demos_macroquad::run(None)
}
