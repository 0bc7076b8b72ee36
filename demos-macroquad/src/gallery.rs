//! The window: a menu of scenes, and the scene that was picked.

use std::collections::HashMap;

use egui_macroquad::egui;
use fluid_adapters::Screen;
use macroquad::Window;
use macroquad::miniquad::conf::{LinuxBackend, Platform};
use macroquad::prelude::{
    BLACK, Color, Conf, GRAY, KeyCode, MouseButton, Rect, WHITE, clear_background, draw_rectangle,
    draw_text, get_frame_time, is_key_pressed, is_mouse_button_down, is_mouse_button_pressed,
    mouse_position, next_frame, screen_height, screen_width, touches,
};

use crate::player::Player;
use crate::scene::{Button, Pointer, Scene, Solve, Stats};
use crate::scenes::{self, Entry, SCENES};
use crate::workers::Workers;

/// Makes a scene of the menu, or says why there is none.
pub(crate) type Make = Box<dyn Fn(&Entry) -> Result<Box<dyn Scene>, String>>;

/// What the window opens with.
pub(crate) struct Start {
    /// The scene; the menu where `None`.
    pub(crate) scene: Option<String>,
    /// How scenes are made.
    pub(crate) make: Make,
    /// The threads.
    pub(crate) workers: Workers,
    /// After how many frames the window closes by itself.
    pub(crate) frames: Option<u64>,
}

/// Opens the window and returns when it is closed.
pub(crate) fn open(start: Start) {
    let conf = Conf {
        window_title: "fluid-num".to_owned(),
        window_width: 1200,
        window_height: 800,
        platform: Platform {
            linux_backend: LinuxBackend::X11WithWaylandFallback,
            ..Default::default()
        },
        ..Default::default()
    };
    Window::from_config(conf, run(start));
}

async fn run(start: Start) {
    let mut show = start.scene.as_deref().and_then(scenes::find).map(|e| Show::new(e, &start.make));
    let mut frame = 0;
    while start.frames.is_none_or(|last| frame < last) {
        frame += 1;
        let step = match &mut show {
            None => menu(),
            Some(show) => show.frame(&start.workers),
        };
        match step {
            Next::Stay => {}
            Next::Scene(entry) => show = Some(Show::new(entry, &start.make)),
            Next::Menu => show = None,
            Next::Quit => return,
        }
        next_frame().await;
    }
}

/// Where a frame leads to.
enum Next {
    Stay,
    Scene(&'static Entry),
    Menu,
    Quit,
}

const DIGITS: [KeyCode; 9] = [
    KeyCode::Key1,
    KeyCode::Key2,
    KeyCode::Key3,
    KeyCode::Key4,
    KeyCode::Key5,
    KeyCode::Key6,
    KeyCode::Key7,
    KeyCode::Key8,
    KeyCode::Key9,
];

/// The scene whose number key was pressed.
fn picked_by_key() -> Option<&'static Entry> {
    let key = DIGITS.iter().position(|key| is_key_pressed(*key))?;
    SCENES.get(key)
}

fn menu() -> Next {
    clear_background(BLACK);
    draw_text("fluid-num", 60.0, 90.0, 56.0, WHITE);
    let mut next = picked_by_key().map_or(Next::Stay, Next::Scene);
    let (mx, my) = mouse_position();
    // As far apart as the window has room for.
    let pitch = ((screen_height() - 180.0) / SCENES.len() as f32).clamp(12.0, 46.0);
    for (n, entry) in SCENES.iter().enumerate() {
        let top = 116.0 + pitch * n as f32;
        let over = my >= top && my < top + 0.87 * pitch && mx >= 50.0 && mx < screen_width() - 50.0;
        if over {
            draw_rectangle(
                50.0,
                top,
                screen_width() - 100.0,
                0.87 * pitch,
                Color::new(0.2, 0.25, 0.4, 1.0),
            );
            if is_mouse_button_pressed(MouseButton::Left) {
                next = Next::Scene(entry);
            }
        }
        draw_text(
            format!("{}  {}", n + 1, entry.title),
            64.0,
            top + 0.6 * pitch,
            0.6 * pitch,
            WHITE,
        );
    }
    let help = "number or click: open    Esc: quit";
    draw_text(help, 60.0, screen_height() - 40.0, 24.0, GRAY);
    if is_key_pressed(KeyCode::Escape) {
        return Next::Quit;
    }
    next
}

/// A scene in the window.
struct Show {
    entry: &'static Entry,
    /// The scene, or why there is none.
    playing: Result<Playing, String>,
}

struct Playing {
    player: Player,
    screen: Screen,
    /// What went wrong last.
    trouble: Option<String>,
    stats: Stats,
    /// The last pressure solves, as of the last look.
    solves: Vec<Solve>,
    frames: u64,
    /// Where each pressed pointer was in the last frame, on the screen.
    pressed: HashMap<u64, (f32, f32)>,
    /// Where the picture was drawn.
    area: Rect,
    panel: bool,
}

impl Show {
    fn new(entry: &'static Entry, make: &Make) -> Self {
        let player = |scene| Player::new(scene).map_err(|e| e.to_string());
        let playing = make(entry).and_then(player);
        let playing = playing.map(|player| Playing {
            screen: Screen::new(player.picture()),
            player,
            trouble: None,
            stats: Stats::default(),
            solves: Vec::new(),
            frames: 0,
            pressed: HashMap::new(),
            area: Rect::new(0.0, 0.0, 1.0, 1.0),
            panel: true,
        });
        Self { entry, playing }
    }

    fn frame(&mut self, workers: &Workers) -> Next {
        clear_background(BLACK);
        match &mut self.playing {
            Ok(playing) => playing.frame(self.entry, workers),
            Err(trouble) => {
                draw_text(&*trouble, 60.0, 90.0, 28.0, WHITE);
            }
        }
        if is_key_pressed(KeyCode::Escape) {
            return Next::Menu;
        }
        picked_by_key().map_or(Next::Stay, Next::Scene)
    }
}

impl Playing {
    fn frame(&mut self, entry: &Entry, workers: &Workers) {
        let mut free = Rect::new(0.0, 0.0, screen_width(), screen_height());
        let mut taken = false;
        egui_macroquad::ui(|context| {
            if self.panel {
                egui::SidePanel::left("panel").show(context, |ui| self.panel(ui, entry));
            }
            let left = context.available_rect().left() * context.pixels_per_point();
            free = Rect::new(left, 0.0, (free.w - left).max(1.0), free.h);
            taken = context.is_pointer_over_area() || context.is_using_pointer();
        });
        self.keys(workers);
        self.pointers(taken);
        let played = self.player.frame(f64::from(get_frame_time()), workers);
        let painted = played.and_then(|_| self.player.paint().map(|_| ()));
        let shown = painted.and_then(|()| self.screen.update(self.player.picture()));
        self.note(shown);
        if self.frames.is_multiple_of(20) {
            self.stats = self.player.scene_mut().stats();
            self.solves = self.player.scene_mut().solves();
        }
        self.frames += 1;
        self.area = self.screen.draw(free);
        egui_macroquad::draw();
    }

    /// Keeps an error for the panel, and stops time.
    fn note<T>(&mut self, result: Result<T, fluid_num::Error>) {
        if let Err(error) = result {
            self.trouble = Some(error.to_string());
            self.player.paused = true;
        }
    }

    fn keys(&mut self, workers: &Workers) {
        if is_key_pressed(KeyCode::Space) {
            self.player.paused = !self.player.paused;
        }
        if is_key_pressed(KeyCode::S) || is_key_pressed(KeyCode::Right) {
            self.player.paused = true;
            let result = self.player.step(workers);
            self.note(result);
        }
        if is_key_pressed(KeyCode::R) {
            self.reset();
        }
        if is_key_pressed(KeyCode::V) {
            self.player.next_view();
        }
        if is_key_pressed(KeyCode::Tab) {
            self.panel = !self.panel;
        }
    }

    fn reset(&mut self) {
        self.trouble = None;
        let result = self.player.reset();
        self.note(result);
    }

    /// Hands pressed pointers on to the scene, unless the panel has them.
    fn pointers(&mut self, taken: bool) {
        let mut now = HashMap::new();
        let fingers = touches();
        for touch in &fingers {
            now.insert(touch.id + 1, ((touch.position.x, touch.position.y), Button::Primary));
        }
        if fingers.is_empty() {
            let buttons =
                [(MouseButton::Left, Button::Primary), (MouseButton::Right, Button::Secondary)];
            for (mouse, button) in buttons {
                if is_mouse_button_down(mouse) {
                    now.insert(0, (mouse_position(), button));
                }
            }
        }
        self.pressed.retain(|finger, _| now.contains_key(finger));
        for (finger, (place, button)) in now {
            let before = match self.pressed.get(&finger) {
                Some(before) => *before,
                None if taken || !self.area.contains(place.into()) => continue,
                None => place,
            };
            self.pressed.insert(finger, place);
            let (from, position) = (self.in_scene(before), self.in_scene(place));
            self.player.pointer(Pointer {
                position,
                delta: [position[0] - from[0], position[1] - from[1]],
                seconds: f64::from(get_frame_time()).clamp(0.0, 0.1),
                button,
                finger,
            });
        }
    }

    /// A place on the screen in scene units.
    fn in_scene(&self, (x, y): (f32, f32)) -> [f64; 2] {
        let [width, height] = self.player.scene().extent();
        let across = f64::from((x - self.area.x) / self.area.w.max(1.0));
        let down = f64::from((y - self.area.y) / self.area.h.max(1.0));
        [across * width, (1.0 - down) * height]
    }

    fn panel(&mut self, ui: &mut egui::Ui, entry: &Entry) {
        ui.heading(entry.title);
        ui.label(self.player.scene().hint());
        if let Some(trouble) = &self.trouble {
            ui.colored_label(egui::Color32::LIGHT_RED, trouble);
        }
        ui.separator();
        ui.horizontal(|ui| {
            let label = if self.player.paused { "run" } else { "pause" };
            if ui.button(label).clicked() {
                self.player.paused = !self.player.paused;
            }
            if ui.button("reset").clicked() {
                self.reset();
            }
        });
        let views = self.player.scene().views();
        let mut view = self.player.view;
        select(ui, "view", views, &mut view);
        self.player.view = view;
        self.resolution(ui, entry);
        for choice in self.player.scene().choices() {
            let mut chosen = choice.chosen;
            if select(ui, choice.name, &choice.options, &mut chosen) {
                let result = self.player.scene_mut().choose(choice.name, chosen);
                self.note(result);
            }
        }
        ui.separator();
        for parameter in self.player.scene().parameters() {
            let mut value = parameter.value;
            let range = parameter.range[0]..=parameter.range[1];
            if ui.add(egui::Slider::new(&mut value, range).text(parameter.name)).changed() {
                let result = self.player.scene_mut().set_parameter(parameter.name, value);
                self.note(result);
            }
        }
        ui.separator();
        self.numbers(ui);
        ui.separator();
        ui.small("Space pause, S or Right step, R reset, V view, 1–9 scene, Tab panel, Esc back");
    }

    /// The choice of a resolution: the scene's own shape, finer or coarser.
    fn resolution(&mut self, ui: &mut egui::Ui, entry: &Entry) {
        const PARTS: [(usize, usize); 5] = [(1, 8), (1, 4), (1, 2), (1, 1), (2, 1)];
        let sizes = PARTS.map(|(more, less)| entry.size.map(|n| (n * more / less).max(1)));
        let names = sizes.map(|[w, h]| format!("{w} × {h}"));
        let now = self.player.scene().size();
        let mut chosen = sizes.iter().position(|s| *s == now).unwrap_or(usize::MAX);
        let names = names.each_ref().map(String::as_str);
        if select(ui, "cells", &names, &mut chosen) {
            let result = self.player.resize(sizes[chosen]);
            self.note(result);
            self.screen = Screen::new(self.player.picture());
        }
    }

    fn numbers(&self, ui: &mut egui::Ui) {
        let Stats { size, .. } = self.stats;
        let cells = size[0] * size[1];
        let ms = get_frame_time() * 1e3;
        ui.label(format!("frame {ms:.1} ms, {cells} cells, step {}", self.stats.steps));
        ui.label(format!("largest speed {:.4}", self.stats.max_speed));
        ui.label(format!("largest divergence {:.2e} 1/s", self.stats.max_divergence));
        self.solves(ui);
        if let Some(mass) = self.stats.mass {
            ui.label(format!("carried in all {mass:.4}"));
        }
        if let Some(drift) = self.stats.mass_drift {
            ui.label(format!("made by advection {:.3} %", drift * 100.0));
        }
        for (name, value) in &self.stats.more {
            ui.label(format!("{name} {value:.4e}"));
        }
        ui.label(format!("time dropped {:.1} s", self.player.dropped()));
    }

    /// A row for each pressure solve.
    fn solves(&self, ui: &mut egui::Ui) {
        if self.solves.is_empty() {
            return;
        }
        egui::Grid::new("solves").num_columns(4).show(ui, |ui| {
            for head in ["pressure", "iterations", "residual", "time"] {
                ui.weak(head);
            }
            ui.end_row();
            for Solve { solver, iterations, residual, ms, .. } in &self.solves {
                ui.label(*solver);
                ui.label(iterations.to_string());
                ui.label(format!("{residual:.1e}"));
                ui.label(format!("{ms:.2} ms"));
                ui.end_row();
            }
        });
    }
}

/// A drop-down list; whether another option was chosen.
fn select(ui: &mut egui::Ui, name: &str, options: &[&str], chosen: &mut usize) -> bool {
    let before = *chosen;
    egui::ComboBox::from_label(name)
        .selected_text(options.get(before).copied().unwrap_or("other"))
        .show_ui(ui, |ui| {
            for (n, option) in options.iter().enumerate() {
                ui.selectable_value(chosen, n, *option);
            }
        });
    *chosen != before
}
