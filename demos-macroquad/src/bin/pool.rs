//! The pool scene alone.

use std::process::ExitCode;

fn main() -> ExitCode {
    demos_macroquad::run(Some("pool"))
}
