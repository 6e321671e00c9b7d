//! The tray: an icon and a plain menu, redrawn whenever what is known changes.

pub mod host;
pub mod icon;
pub mod menu;

use std::sync::Mutex;

use lwa_config::Home;
use lwa_config::home::create_private;
use tauri::menu::{IsMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager, Wry};

use crate::lifecycle;
use crate::snapshot::Snapshot;
use icon::State;
use menu::{Action, Entry, menu_for};

/// The tray's id, also the last part of its name on the session bus.
pub const ID: &str = "main";

/// What the tray shows at the moment, so that nothing is redrawn in vain: an open menu would close.
#[derive(Debug, Default)]
pub struct Shown(Mutex<Option<Face>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Face {
    state: State,
    count: usize,
    entries: Vec<Entry>,
}

impl Face {
    fn of(snapshot: &Snapshot) -> Self {
        Self { state: State::of(snapshot), count: snapshot.waiting.len(), entries: menu_for(snapshot) }
    }
}

/// Puts the icon up.
///
/// # Errors
/// The system refuses the icon or the menu.
pub fn create(app: &AppHandle, home: &Home) -> tauri::Result<()> {
    let face = Face::of(&Snapshot::default());
    let mut builder = TrayIconBuilder::with_id(ID)
        .icon(face.state.image()?)
        .tooltip(face.state.tooltip())
        .menu(&build(app, &face.entries)?)
        .show_menu_on_left_click(true)
        .on_menu_event(|app, event| {
            if let Some(action) = Action::from_id(event.id().as_ref()) {
                lifecycle::perform(app, action);
            }
        });
    // The panel reads the picture from a file; ours stays with our other files.
    let pictures = home.cache_dir().join("tray");
    match create_private(home.cache_dir()).and_then(|()| create_private(&pictures)) {
        Ok(()) => builder = builder.temp_dir_path(pictures),
        Err(error) => tracing::warn!("the tray's pictures go to the system's own folder: {error}"),
    }
    builder.build(app)?;
    if let Ok(mut shown) = app.state::<Shown>().0.lock() {
        *shown = Some(face);
    }
    Ok(())
}

/// Brings the tray up to date.
pub fn show(app: &AppHandle, snapshot: &Snapshot) {
    let face = Face::of(snapshot);
    let before = match app.state::<Shown>().0.lock() {
        Ok(mut shown) => shown.replace(face.clone()),
        Err(_) => None,
    };
    if before.as_ref() == Some(&face) {
        return;
    }
    if let Err(error) = redraw(app, before.as_ref(), &face) {
        tracing::error!("the tray cannot be redrawn: {error}");
    }
}

fn redraw(app: &AppHandle, before: Option<&Face>, face: &Face) -> tauri::Result<()> {
    let Some(tray) = app.tray_by_id(ID) else { return Ok(()) };
    if before.is_none_or(|before| before.entries != face.entries) {
        tray.set_menu(Some(build(app, &face.entries)?))?;
    }
    if before.is_none_or(|before| before.state != face.state) {
        tray.set_icon(Some(face.state.image()?))?;
        tray.set_tooltip(Some(face.state.tooltip()))?;
    }
    if before.is_none_or(|before| before.count != face.count) {
        tray.set_title(Some(if face.count == 0 { String::new() } else { face.count.to_string() }))?;
    }
    Ok(())
}

fn build(app: &AppHandle, entries: &[Entry]) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    for (number, entry) in entries.iter().enumerate() {
        let row: Box<dyn IsMenuItem<Wry>> = match entry {
            Entry::Separator => Box::new(PredefinedMenuItem::separator(app)?),
            Entry::Line(text) => {
                Box::new(MenuItem::with_id(app, format!("line-{number}"), plain(text), false, None::<&str>)?)
            }
            Entry::Item { action, label } => {
                Box::new(MenuItem::with_id(app, action.id(), plain(label), true, None::<&str>)?)
            }
        };
        menu.append(row.as_ref())?;
    }
    Ok(menu)
}

/// Text in which no character marks a key of its own.
fn plain(text: &str) -> String {
    text.replace('&', "&&")
}
