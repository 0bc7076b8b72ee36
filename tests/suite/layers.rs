//! The one-way rule: a room of the library imports only from rooms below it; and what library code
//! never contains. Reads the sources as text, without what follows `#[cfg(test)]`.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, and the rooms that each may import from beside itself.
const ROOMS: [(&str, &[&str]); 9] = [
    ("base", &[]),
    ("transform", &["base"]),
    ("grid", &["base"]),
    ("solid", &["base", "grid"]),
    ("advection", &["base", "grid"]),
    ("poisson", &["base", "grid", "transform"]),
    ("level_set", &["base", "grid", "solid", "advection"]),
    ("particles", &["base", "grid", "solid", "level_set"]),
    (
        "schemes",
        &["base", "transform", "grid", "solid", "advection", "level_set", "particles", "poisson"],
    ),
];

/// Names that `lib.rs` exports, and the rooms that they live in.
const EXPORTS: [(&str, &str); 23] = [
    ("Error", "base"),
    ("Real", "base"),
    ("SolveReport", "base"),
    ("StepReport", "base"),
    ("Simulation", "base"),
    ("Snapshot", "base"),
    ("Stepper", "base"),
    ("Boundary", "grid"),
    ("Faces", "grid"),
    ("Field", "grid"),
    ("Grid", "grid"),
    ("Location", "grid"),
    ("Side", "grid"),
    ("LevelSet", "level_set"),
    ("EncodedLbm", "schemes"),
    ("Lbm", "schemes"),
    ("LbmParams", "schemes"),
    ("Pbf", "schemes"),
    ("ShallowWater", "schemes"),
    ("StableFluids", "schemes"),
    ("Stam2003", "schemes"),
    ("Wcsph", "schemes"),
    ("Wind", "schemes"),
];

struct Source {
    /// The path below `src`, with slashes.
    path: String,
    /// The code before the tests, without comments.
    code: String,
}

impl Source {
    fn room(&self) -> &str {
        self.path.split('/').next().unwrap()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fluid-num/src")
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let below = path.strip_prefix(root()).unwrap();
                let path_name = below.to_string_lossy().replace('\\', "/");
                // Files of tests alone are declared under `#[cfg(test)]`.
                if !path_name.ends_with("/tests.rs") && !path_name.contains("/tests/") {
                    let code = library_code(&fs::read_to_string(&path).unwrap());
                    sources.push(Source { path: path_name, code });
                }
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// The text before the first tests, without comments. A test-only item before the end (`mod
/// tests;` beside other modules) is left out alone.
fn library_code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("#[cfg(test)]") {
            match lines.peek() {
                Some(next) if next.trim_end().ends_with(';') => lines.next(),
                // Test modules close their files.
                _ => break,
            };
            continue;
        }
        let line = line.split("//").next().unwrap_or("");
        code.push_str(line);
        code.push('\n');
    }
    code
}

/// Every path that begins with `crate::`, with `use crate::{a, b::c}` taken apart: the first
/// segment behind `crate`.
fn first_segments(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut word = String::new();
            let mut fresh = true;
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => fresh = true,
                    c if depth == 1 && fresh && is_name(c) => {
                        word.push(c);
                        continue;
                    }
                    _ => {}
                }
                if !word.is_empty() {
                    found.push(core::mem::take(&mut word));
                    fresh = c == ',';
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            found.push(rest.chars().take_while(|c| is_name(*c)).collect());
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn room_of(segment: &str) -> Option<&str> {
    let room = ROOMS.iter().map(|(room, _)| *room).find(|r| *r == segment);
    room.or_else(|| EXPORTS.iter().find(|(name, _)| *name == segment).map(|(_, room)| *room))
}

#[test]
fn imports_are_taken_apart() {
    let code = "use crate::{Error, base::error::{check, a}, grid};\nlet x = crate::solid::f();";
    assert_eq!(first_segments(code), ["Error", "base", "grid", "solid"]);
    let text =
        "use a; // crate::b\n#[cfg(test)]\nmod tests;\nfn f() {}\n#[cfg(test)]\nmod tests {\n";
    assert_eq!(library_code(text), "use a; \nfn f() {}\n");
}

#[test]
fn every_room_is_known() {
    let sources = sources();
    assert!(sources.len() > 30, "the sources were not found");
    for source in sources.iter().filter(|s| s.path != "lib.rs") {
        let known = ROOMS.iter().any(|(room, _)| *room == source.room());
        assert!(known, "{}: add its room and what it may import to ROOMS", source.path);
    }
}

#[test]
fn every_import_goes_down() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| s.path != "lib.rs") {
        let allowed =
            ROOMS.iter().find(|(room, _)| *room == source.room()).map_or(&[][..], |r| r.1);
        for segment in first_segments(&source.code) {
            let Some(room) = room_of(&segment) else {
                wrong.push(format!("{}: crate::{segment} is of no known room", source.path));
                continue;
            };
            if room != source.room() && !allowed.contains(&room) {
                wrong.push(format!("{} imports {room} ({segment})", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The file (or folder) name of each scheme.
fn schemes() -> Vec<String> {
    let names = fs::read_dir(root().join("schemes")).unwrap().map(|entry| {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        name.trim_end_matches(".rs").to_owned()
    });
    names.filter(|name| name != "mod").collect()
}

#[test]
fn no_scheme_imports_another() {
    let schemes = schemes();
    assert!(schemes.len() >= 2);
    for source in sources().iter().filter(|s| s.room() == "schemes" && s.path != "schemes/mod.rs") {
        let own = source.path.split('/').nth(1).unwrap().trim_end_matches(".rs");
        for other in schemes.iter().filter(|s| *s != own) {
            for path in [format!("schemes::{other}"), format!("super::{other}")] {
                assert!(!source.code.contains(&path), "{} names {path}", source.path);
            }
        }
        for (name, room) in EXPORTS.iter().filter(|(_, room)| *room == "schemes") {
            assert!(
                !source.code.contains(&format!("crate::{name}")),
                "{} goes through lib.rs for {name} of {room}",
                source.path
            );
        }
    }
}

#[test]
fn one_file_alone_names_threads_and_lanes() {
    for source in sources().iter().filter(|s| s.path != "base/exec/mod.rs") {
        for word in ["rayon", "pulp", "std::thread", "target_feature", "core::arch"] {
            assert!(!source.code.contains(word), "{} names {word}", source.path);
        }
    }
}

#[test]
fn the_library_never_panics_prints_or_is_unsafe_by_its_own_hand() {
    let words = [
        "unsafe ",
        ".unwrap()",
        ".expect(",
        "panic!(",
        "println!(",
        "print!(",
        "dbg!(",
        "todo!(",
        "unimplemented!(",
        "unreachable!(",
        ".mul_add(",
    ];
    let mut found = Vec::new();
    for source in sources() {
        for word in words {
            let code = source.code.replace("forbid(unsafe_code)", "");
            if code.contains(word) {
                found.push(format!("{}: {word}", source.path));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
