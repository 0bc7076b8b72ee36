//! Every scene without a window.

#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

use std::fs;
use std::path::PathBuf;

use demos_macroquad::headless::{self, Plan};
use demos_macroquad::player::{MAX_STEPS, Player};
use demos_macroquad::scenes::{SCENES, find};
use demos_macroquad::workers::Workers;
use demos_macroquad::{Button, Image, Pointer, Scene, Setup, Stats};
use fluid_adapters::Picture;

fn of_size(size: [usize; 2]) -> Setup {
    Setup { size: Some(size), ..Setup::default() }
}

fn make(name: &str, size: [usize; 2]) -> Box<dyn Scene> {
    (find(name).unwrap().make)(&of_size(size)).unwrap()
}

fn rehearsed(scene: &mut dyn Scene, steps: usize) -> Stats {
    for _ in 0..steps {
        scene.rehearse();
        scene.step().unwrap();
    }
    scene.stats()
}

fn assert_finite(stats: &Stats) {
    let always = [stats.max_speed, stats.max_divergence];
    let maybe = [stats.mass, stats.mass_drift, stats.pressure_residual];
    let numbers = always.into_iter().chain(maybe.into_iter().flatten());
    for number in numbers.chain(stats.more.values().copied()) {
        assert!(number.is_finite(), "{stats:?}");
    }
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn plan(name: &str) -> Plan {
    Plan { frames: 5, every: 2, all_views: true, out: folder(name) }
}

#[test]
fn every_scene_moves_and_stays_finite() {
    for entry in SCENES {
        let mut scene = make(entry.name, [32, 24]);
        let stats = rehearsed(&mut *scene, 5);
        assert_finite(&stats);
        assert_eq!((stats.size, stats.steps), ([32, 24], 5));
        assert!(stats.max_speed > 0.0, "{}", entry.name);
    }
}

/// Large enough for passes to be split: grids into rows, particles into chunks.
fn split_size(name: &str) -> [usize; 2] {
    if name.starts_with("3d") { [40, 30] } else { [160, 120] }
}

#[test]
fn two_runs_and_any_number_of_threads_give_the_same_digest() {
    for entry in SCENES {
        let digests = [1, 1, 2, 3].map(|threads| {
            let workers = Workers::new(threads).unwrap();
            let mut scene = make(entry.name, split_size(entry.name));
            workers.run(|| rehearsed(&mut *scene, 5)).digest
        });
        assert_eq!(digests, [digests[0]; 4], "{}", entry.name);
        let mut longer = make(entry.name, split_size(entry.name));
        assert_ne!(rehearsed(&mut *longer, 6).digest, digests[0], "{}", entry.name);
    }
}

/// Case O38.
#[test]
fn case_o38_a_resized_scene_goes_on_and_keeps_its_dye() {
    for entry in SCENES {
        let mut scene = make(entry.name, [64, 64]);
        let before = rehearsed(&mut *scene, 20);
        for size in [[100, 37], [64, 64], [1, 1], [64, 64]] {
            scene.resize(size).unwrap();
            let after = scene.stats();
            assert_eq!(after.size, size);
            if let (Some(before), Some(after)) = (before.mass, after.mass)
                && size != [1, 1]
            {
                // Two per cent is what the case asks for.
                assert!((after / before - 1.0).abs() < 0.02, "{}: {before} {after}", entry.name);
            }
        }
        assert_finite(&rehearsed(&mut *scene, 3));
        let [width, height] = scene.picture_size();
        scene.paint(0, &mut Picture::new(width, height).unwrap()).unwrap();
    }
}

#[test]
fn scenes_of_one_cell_of_one_row_and_of_one_column_work() {
    for entry in SCENES {
        for size in [[1, 1], [40, 1], [1, 40]] {
            let mut scene = make(entry.name, size);
            assert_finite(&rehearsed(&mut *scene, 3));
            for view in 0..scene.views().len() {
                scene.paint(view, &mut Picture::new(7, 5).unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn reset_gives_the_first_run_again() {
    for entry in SCENES {
        let mut scene = make(entry.name, [32, 24]);
        let first = rehearsed(&mut *scene, 5);
        scene.reset().unwrap();
        assert_eq!(rehearsed(&mut *scene, 5), first, "{}", entry.name);
    }
}

#[test]
fn every_parameter_and_choice_can_be_set_and_changes_the_run() {
    // What only paints, or only caps a solve that ends earlier.
    let unseen = ["exposure", "most iterations"];
    for entry in SCENES {
        let run = |change: &dyn Fn(&mut dyn Scene)| {
            let mut scene = make(entry.name, [32, 24]);
            change(&mut *scene);
            rehearsed(&mut *scene, 12).digest
        };
        let plain = run(&|_| ());
        let scene = make(entry.name, [32, 24]);
        for p in scene.parameters() {
            let value = p.range[0] + 0.37 * (p.range[1] - p.range[0]);
            let digest = run(&|scene| {
                scene.set_parameter(p.name, value).unwrap();
                let now = scene.parameters().into_iter().find(|q| q.name == p.name).unwrap();
                assert_eq!(now.value, value);
            });
            assert!(digest != plain || unseen.contains(&p.name), "{}: {}", entry.name, p.name);
        }
        for c in scene.choices() {
            for option in 0..c.options.len() {
                let digest = run(&|scene| {
                    scene.choose(c.name, option).unwrap();
                    let now = scene.choices().into_iter().find(|d| d.name == c.name).unwrap();
                    assert_eq!(now.chosen, option);
                });
                assert_eq!(digest == plain, option == c.chosen, "{}: {}", entry.name, c.name);
            }
        }
    }
}

#[test]
fn a_pointer_stirs_and_moves_the_disc() {
    for entry in SCENES {
        let mut scene = make(entry.name, [32, 24]);
        let mut left_alone = make(entry.name, [32, 24]);
        let [width, height] = scene.extent();
        scene.pointer(Pointer {
            position: [0.3 * width, 0.4 * height],
            delta: [0.05 * width, 0.02 * height],
            seconds: 1.0 / 60.0,
            button: Button::Primary,
            finger: 0,
        });
        scene.step().unwrap();
        left_alone.step().unwrap();
        assert_ne!(scene.stats().digest, left_alone.stats().digest, "{}", entry.name);
    }
}

/// Every option of the menu solves, and says so by its name.
#[test]
fn the_scene_tells_which_solver_solved() {
    for entry in SCENES {
        let mut scene = make(entry.name, [32, 24]);
        assert_eq!(scene.solves(), [], "{}", entry.name);
        for choice in scene.choices().iter().filter(|c| c.name == "pressure solver") {
            for (option, name) in choice.options.iter().enumerate() {
                scene.choose(choice.name, option).unwrap();
                rehearsed(&mut *scene, 2);
                assert_eq!(scene.solves()[0].solver, *name, "{}", entry.name);
            }
        }
    }
}

#[test]
fn boats_float_on_the_river_and_go_down_it() {
    let mut scene = make("river", [96, 48]);
    let start = scene.stats().more["displaced"];
    // Six boats of 420 kg/m³, and of 3 by 1.3 by 0.9 m but for their round ends.
    assert!((5.0..12.0).contains(&start), "{start}");
    let later = rehearsed(&mut *scene, 300).more["displaced"];
    assert!((later / start - 1.0).abs() < 0.5, "{start} {later}");
}

#[test]
fn a_picture_of_the_ground_makes_the_shore() {
    let rgba = [[0, 0, 0, 255], [255; 4]].concat();
    let setup =
        Setup { size: Some([20, 10]), ground: Image::new([2, 1], rgba), ..Setup::default() };
    let mut scene = (find("shore").unwrap().make)(&setup).unwrap();
    // The left half lies 3 m deep, with two swells on it.
    let [width, height] = scene.extent();
    let mass = scene.stats().mass.unwrap();
    assert!((mass / (0.5 * width * height * 3.0) - 1.0).abs() < 0.1, "{mass}");
}

#[test]
fn six_solvers_stirred_alike_do_the_same_work_with_different_success() {
    let mut scene = make("solvers", [96, 96]);
    let worst = rehearsed(&mut *scene, 60);
    let solves = scene.solves();
    let residual = |name: &str| solves.iter().find(|s| s.solver == name).unwrap().residual;
    assert_eq!(solves.len(), 6);
    // Sixteen sweeps of Jacobi reach sixteen cells far; two V cycles reach all ninety-six.
    assert!(residual("multigrid") < 0.1 * residual("Jacobi"), "{solves:?}");
    let largest = solves.iter().map(|s| s.residual).fold(0.0, f64::max);
    assert_eq!(worst.pressure_residual, Some(largest));
}

#[test]
fn a_pointer_in_any_panel_stirs_all_panels_alike() {
    let digest = |panel: [usize; 2]| {
        let mut scene = make("solvers", [32, 24]);
        let [width, height] = scene.extent();
        let (column, row) = (panel[0] as f64 + 0.3, panel[1] as f64 + 0.4);
        scene.pointer(Pointer {
            position: [column / 3.0 * width, row / 2.0 * height],
            delta: [0.05 * width, 0.02 * height],
            seconds: 1.0 / 60.0,
            button: Button::Primary,
            finger: 0,
        });
        scene.step().unwrap();
        let stats = scene.stats();
        (stats.mass.unwrap(), stats.max_speed)
    };
    let (mass, speed) = digest([0, 0]);
    for panel in [[1, 0], [2, 0], [0, 1], [2, 1]] {
        let (m, s) = digest(panel);
        // The place within the panel is only rounded otherwise.
        assert!((m / mass - 1.0).abs() < 1e-4 && (s / speed - 1.0).abs() < 1e-3, "{panel:?}");
    }
}

/// Nothing is lost, nothing leaves the box, and nothing gets faster than gravity and a splash make it.
#[test]
fn particles_stay_in_their_box_and_the_water_keeps_its_density() {
    let mut scene = make("dam-break", [48, 48]);
    for start in 0..2 {
        scene.choose("start", start).unwrap();
        let [first, stats] = [1, 119].map(|steps| rehearsed(&mut *scene, steps));
        for scheme in ["wcsph_particles", "pbf_particles"] {
            assert_eq!(first.more[scheme], stats.more[scheme], "{scheme}");
            assert!(stats.more[scheme] > 600.0, "{stats:?}");
        }
        assert_eq!(stats.more["outside"], 0.0);
        // A fall from the top of the box ends with 14 m/s; jets of a splash are a few times faster.
        assert!(stats.max_speed < 60.0, "{stats:?}");
        for scheme in ["wcsph_density_excess", "pbf_density_excess"] {
            assert!(stats.more[scheme] < 0.03, "{stats:?}");
        }
    }
}

#[test]
fn what_is_poured_into_the_pool_is_all_there_and_the_bodies_float() {
    let mut scene = make("pool", [60, 40]);
    let start = scene.stats().more["particles"];
    // Three seconds of pouring and one of rest.
    let stats = rehearsed(&mut *scene, 240);
    assert!(stats.more["poured"] > 100.0, "{stats:?}");
    assert_eq!(stats.more["particles"], start + stats.more["poured"]);
    assert_eq!(stats.more["outside"], 0.0);
    assert!(stats.more["density_excess"] < 0.05 && stats.max_speed < 15.0, "{stats:?}");
    // Water that half filled the box, and what was poured, stands at 0.6 to 0.8 of its height.
    for body in ["ball_height", "light_crate_height", "heavy_crate_height"] {
        assert!((0.45..0.95).contains(&stats.more[body]), "{body}: {stats:?}");
    }
}

#[test]
fn the_tank_keeps_its_particles_and_a_drag_turns_the_camera_alone() {
    let mut scene = make("3d-tank", [32, 24]);
    let [first, stats] = [1, 89].map(|steps| rehearsed(&mut *scene, steps));
    assert_eq!(first.more["particles"], stats.more["particles"]);
    assert_eq!(stats.more["outside"], 0.0);
    assert!(stats.more["density_excess"] < 0.05, "{stats:?}");
    // The fall of the column ends with 5 m/s; jets of a splash are a few times faster.
    assert!(stats.max_speed < 20.0, "{stats:?}");
    let mut paint = || {
        let mut picture = Picture::new(64, 48).unwrap();
        scene.paint(0, &mut picture).unwrap();
        let delta = [0.2, 0.0];
        let (position, seconds) = ([0.5, 0.5], 1.0 / 60.0);
        let button = Button::Primary;
        scene.pointer(Pointer { position, delta, seconds, button, finger: 0 });
        (picture, Stats { digest: 0, ..scene.stats() })
    };
    let (before, after) = (paint(), paint());
    assert_ne!(before.0.bytes(), after.0.bytes());
    assert_eq!(before.1, after.1);
}

/// Relaxation times of 0.50007, without eddies of Smagorinsky: 834 frames of 24 steps.
#[test]
fn the_street_of_vortices_lives_at_a_reynolds_number_of_100_000() {
    let karman = find("karman").unwrap();
    let mut scene = (karman.make)(&Setup::default()).unwrap();
    scene.choose("Reynolds number", 5).unwrap();
    let stats = rehearsed(&mut *scene, 834);
    assert_finite(&stats);
    // 0.1 cells of 1/160 m in each of 24·60 steps a second.
    let wind = 0.1 / 160.0 * 24.0 * 60.0;
    assert!(stats.max_speed > wind && stats.max_speed < 4.0 * wind, "{} {wind}", stats.max_speed);
}

/// Leaves stay around the runner, the volume follows them, and blasts end.
#[test]
fn the_wind_follows_the_runner_and_a_click_explodes_where_it_points() {
    let mut scene = make("wind", [32, 16]);
    let stats = rehearsed(&mut *scene, 240);
    assert_eq!(stats.more["leaves"], 320.0);
    // Four seconds at 5.5 m/s, not always straight on, and a cell of 1.5 m.
    assert!((18.0..23.6).contains(&stats.more["scrolled_m"]), "{stats:?}");
    assert_eq!(stats.more["motors"], 1.0);
    assert!((5.0..60.0).contains(&stats.max_speed), "{stats:?}");
    let picture = |scene: &mut dyn Scene, view: usize| {
        let [width, height] = scene.picture_size();
        let mut picture = Picture::new(width, height).unwrap();
        scene.paint(view, &mut picture).unwrap();
        picture
    };
    for view in 0..2 {
        scene.reset().unwrap();
        for _ in 0..30 {
            scene.step().unwrap();
        }
        let before = picture(&mut *scene, view);
        let (position, delta, seconds) = ([1.2, 0.35], [0.0; 2], 1.0 / 60.0);
        let button = Button::Primary;
        scene.pointer(Pointer { position, delta, seconds, button, finger: 0 });
        scene.step().unwrap();
        assert_eq!(scene.stats().more["motors"], 2.0);
        // The flash is where the pointer was.
        let after = picture(&mut *scene, view);
        let [x, y] = [1.2 * 450.0, 0.65 * 450.0].map(|v| v as usize);
        let light =
            |p: &Picture| p.pixel(x, y).unwrap()[..3].iter().map(|c| u32::from(*c)).sum::<u32>();
        assert!(light(&after) > light(&before) + 150, "{} {}", light(&after), light(&before));
    }
}

#[test]
fn a_picture_as_dye_looks_like_itself_and_a_picture_as_obstacle_is_solid() {
    // Left half dark red, right half white.
    let rgba: Vec<u8> = [[90, 0, 0, 255], [255, 255, 255, 255]].into_iter().flatten().collect();
    let image = Image::new([2, 1], rgba);
    let setup =
        Setup { size: Some([8, 8]), dye: image.clone(), ground: image.clone(), obstacles: image };
    let paint = |name: &str| {
        let mut scene = (find(name).unwrap().make)(&setup).unwrap();
        if name == "smoke" {
            scene.step().unwrap();
        }
        let mut picture = Picture::new(8, 8).unwrap();
        scene.paint(0, &mut picture).unwrap();
        (picture.pixel(1, 4).unwrap(), picture.pixel(6, 4).unwrap())
    };
    let (red, white) = paint("ink");
    assert!(red[0].abs_diff(90) <= 1 && red[1] == 0, "{red:?}");
    assert!(white.iter().all(|c| *c >= 249), "{white:?}");
    let (solid, air) = paint("smoke");
    assert_ne!(solid, air);
    assert!(solid[2] > 2 * air[2], "{solid:?} {air:?}");
}

/// Case O35.
#[test]
fn case_o35_every_screen_sees_the_same_simulated_time() {
    let workers = Workers::new(1).unwrap();
    let play = |rate: u32| {
        let mut player = Player::new(make("cavity", [8, 8])).unwrap();
        let frames = 10 * rate;
        let steps: usize =
            (0..frames).map(|_| player.frame(1.0 / f64::from(rate), &workers).unwrap()).sum();
        (steps, player.scene_mut().stats())
    };
    for rate in [30, 60, 90, 240] {
        let (steps, stats) = play(rate);
        assert!(steps.abs_diff(600) <= 1, "{rate} Hz: {steps}");
        assert_eq!(stats.steps, steps as u64);
    }
    assert_eq!(play(30).1.digest, play(60).1.digest);
}

/// Case O35.
#[test]
fn case_o35_a_long_pause_is_capped_and_counted_and_bad_times_do_nothing() {
    let workers = Workers::new(1).unwrap();
    let mut player = Player::new(make("cavity", [8, 8])).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(player.frame(bad, &workers), Ok(0));
    }
    assert_eq!(player.frame(1000.0, &workers), Ok(MAX_STEPS));
    assert!(player.dropped() > 999.0);
    player.paused = true;
    assert_eq!(player.frame(1.0, &workers), Ok(0));
}

#[test]
fn a_headless_run_writes_pictures_and_a_line_with_every_key() {
    let keys = [
        "scene",
        "size",
        "frames",
        "steps",
        "threads",
        "ms_per_step",
        "max_speed",
        "max_divergence",
        "mass",
        "mass_drift",
        "pressure_iterations",
        "pressure_residual",
        "solves",
        "digest",
    ];
    let workers = Workers::new(2).unwrap();
    for entry in SCENES {
        let plan = plan("every_key");
        let mut scene = make(entry.name, [32, 24]);
        let line = headless::run(&mut *scene, &plan, &workers).unwrap();
        let mut text = Vec::new();
        headless::print(&line, &mut text).unwrap();
        assert_eq!(text.iter().filter(|b| **b == b'\n').count(), 1);
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let object = value.as_object().unwrap();
        for key in keys {
            assert!(object.contains_key(key), "{}: {key}", entry.name);
        }
        let digest = object["digest"].as_str().unwrap();
        assert_eq!(digest.len(), 16);
        assert_eq!(u64::from_str_radix(digest, 16), Ok(scene.stats().digest));
        assert_eq!(object["steps"], 5);
        for solve in object["solves"].as_array().unwrap() {
            assert!(solve["solver"].is_string() && solve["iterations"].as_u64() > Some(0));
            assert!(solve["residual"].is_f64() && solve["ms"].as_f64() >= Some(0.0), "{solve}");
        }
        let [width, height] = scene.picture_size();
        let decoded = image::open(plan.out.join(format!("{}.png", entry.name))).unwrap();
        assert_eq!([decoded.width(), decoded.height()], [width as u32, height as u32]);
        for view in &scene.views()[1..] {
            let path = plan.out.join(format!("{}-{view}.png", entry.name));
            assert!(fs::metadata(path).unwrap().len() > 0);
        }
        let file = fs::File::open(plan.out.join(format!("{}.apng", entry.name))).unwrap();
        let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 2);
    }
}

#[test]
fn a_headless_run_of_no_step_or_fewer_than_a_picture_works() {
    let workers = Workers::new(1).unwrap();
    for frames in [0, 1] {
        let plan = Plan { frames, every: 10, ..plan("short") };
        let line = headless::run(&mut *make("ink", [8, 8]), &plan, &workers).unwrap();
        assert_eq!((line.steps, line.ms_per_step.is_some()), (frames, frames > 0));
    }
}

#[test]
fn water_keeps_its_volume_and_its_bodies() {
    let mut scene = make("water", [96, 48]);
    scene.set_parameter("tap, m/s", 2.0).unwrap();
    for _ in 0..4 {
        let stats = rehearsed(&mut *scene, 60);
        assert!(stats.more["volume_drift"].abs() < 0.02, "{stats:?}");
        assert_eq!(stats.more["bodies_outside"], 0.0);
        assert!(stats.pressure_iterations < Some(15), "{stats:?}");
    }
    let poured = scene.stats().more["volume"];
    let mut closed = make("water", [96, 48]);
    let stats = rehearsed(&mut *closed, 240);
    assert!(poured > stats.more["volume"] + 0.5, "{poured} {stats:?}");
}

#[test]
fn waves_run_past_the_boat_at_anchor_and_the_water_stays() {
    let mut scene = make("waves", [128, 32]);
    let early = rehearsed(&mut *scene, 30);
    let stats = rehearsed(&mut *scene, 450);
    assert!(stats.more["volume_drift"].abs() < 0.02, "{stats:?}");
    assert_eq!(stats.more["bodies_outside"], 0.0);
    // The stroke is 0.72 m: waves are about as high, but for the first ones.
    assert!(early.more["wave_height"] < 0.2, "{early:?}");
    assert!((0.35..1.4).contains(&stats.more["wave_height"]), "{stats:?}");
    assert!(stats.more["boat_from_anchor"].abs() < 2.0, "{stats:?}");
    let mut still = make("waves", [128, 32]);
    still.set_parameter("stroke, m", 0.0).unwrap();
    let stats = rehearsed(&mut *still, 240);
    // What boat and ball make as they come to rest.
    assert!(stats.more["wave_height"] < 0.15, "{stats:?}");
}

#[test]
fn water_in_a_box_keeps_its_volume_and_a_ball_is_thrown_into_it() {
    let mut scene = make("3d-water", [28, 20]);
    for _ in 0..3 {
        let stats = rehearsed(&mut *scene, 40);
        assert!(stats.more["volume_drift"].abs() < 0.03, "{stats:?}");
        assert_eq!(stats.more["bodies_outside"], 0.0);
    }
    assert_eq!(scene.stats().more["balls_thrown"], 0.0);
    let [width, height] = scene.extent();
    let pointer = |button| {
        let (position, delta) = ([0.5 * width, 0.4 * height], [0.1, 0.0]);
        Pointer { position, delta, seconds: 1.0 / 60.0, button, finger: 0 }
    };
    // A held button throws one after the other, not one in each step.
    for _ in 0..30 {
        scene.pointer(pointer(Button::Secondary));
        scene.step().unwrap();
    }
    assert_eq!(scene.stats().more["balls_thrown"], 2.0);
    // Beside the box there is nothing to take hold of but the camera.
    let paint = |scene: &mut dyn Scene| {
        let mut picture = Picture::new(64, 48).unwrap();
        scene.paint(0, &mut picture).unwrap();
        picture
    };
    let before = paint(&mut *scene);
    scene.pointer(Pointer { position: [0.01, 0.99], ..pointer(Button::Primary) });
    assert_ne!(paint(&mut *scene).bytes(), before.bytes());
}
