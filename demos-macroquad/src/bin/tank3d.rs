//! The tank scene alone.

use std::process::ExitCode;

fn main() -> ExitCode {
    demos_macroquad::run(Some("3d-tank"))
}
