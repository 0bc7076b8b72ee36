//! The solvers scene alone.

use std::process::ExitCode;

fn main() -> ExitCode {
    demos_macroquad::run(Some("solvers"))
}
