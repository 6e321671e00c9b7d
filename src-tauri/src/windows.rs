//! The two windows: made when needed, destroyed when closed.
//!
//! A window is a view. Closing one answers nothing, and a window that is gone costs no memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use lwa_config::Home;
use tauri::webview::NewWindowResponse;
use tauri::{
    AppHandle, LogicalSize, Manager, PhysicalPosition, PhysicalSize, UserAttentionType, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder, Window, WindowEvent, Wry,
};

/// The label of the main window.
pub const MAIN: &str = "main";
/// The label of the approval window.
pub const APPROVAL: &str = "approval";

const MAIN_SIZE: (f64, f64) = (1080.0, 720.0);
const MAIN_LEAST: (f64, f64) = (720.0, 480.0);
const APPROVAL_LEAST: (f64, f64) = (520.0, 420.0);
const APPROVAL_MOST: (f64, f64) = (720.0, 640.0);

/// How a window comes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// In front, because a person asked for it.
    InFront,
    /// Without the focus, because nobody asked: what is being typed elsewhere must not land here.
    Quietly,
}

/// Where windows were when they were last closed, and a lock that keeps one from being made twice.
#[derive(Debug, Default)]
pub struct Windows {
    opening: Mutex<()>,
    places: Mutex<HashMap<String, Place>>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    position: Option<PhysicalPosition<i32>>,
    size: PhysicalSize<u32>,
    scale: f64,
    is_maximized: bool,
}

/// Opens the main window, or brings it to the front; at a view when one is named.
///
/// # Errors
/// The window cannot be made.
pub fn open_main(app: &AppHandle, view: Option<&str>) -> tauri::Result<()> {
    let state = app.state::<Windows>();
    let _opening = state.opening.lock().unwrap_or_else(PoisonError::into_inner);
    let view = view.filter(|view| is_view(view));
    if let Some(window) = app.get_webview_window(MAIN) {
        if let Some(view) = view {
            window.eval(format!("location.hash = \"#/{view}\""))?;
        }
        return come_up(&window, Manner::InFront);
    }
    let page = view.map_or_else(|| "index.html".to_owned(), |view| format!("index.html#/{view}"));
    let builder = builder(app, MAIN, page)
        .title("Lwa")
        .inner_size(MAIN_SIZE.0, MAIN_SIZE.1)
        .min_inner_size(MAIN_LEAST.0, MAIN_LEAST.1);
    state.at_last_place(builder, MAIN).build().map(drop)
}

/// Opens the approval window, or points at it.
///
/// # Errors
/// The window cannot be made.
pub fn open_approval(app: &AppHandle, manner: Manner) -> tauri::Result<()> {
    let state = app.state::<Windows>();
    let _opening = state.opening.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(window) = app.get_webview_window(APPROVAL) {
        return come_up(&window, manner);
    }
    let builder = builder(app, APPROVAL, "approval.html".to_owned())
        .title("Lwa approval")
        .inner_size(APPROVAL_LEAST.0, APPROVAL_LEAST.1)
        .min_inner_size(APPROVAL_LEAST.0, APPROVAL_LEAST.1)
        .focused(manner == Manner::InFront);
    let window = state.at_last_place(builder, APPROVAL).build()?;
    // A new window is in front by itself.
    if manner == Manner::Quietly { come_up(&window, manner) } else { Ok(()) }
}

/// Fits the approval window to its content, within its bounds.
///
/// # Errors
/// The window is gone.
pub fn fit_approval(window: &WebviewWindow, width: f64, height: f64) -> tauri::Result<()> {
    let width = width.clamp(APPROVAL_LEAST.0, APPROVAL_MOST.0);
    let height = height.clamp(APPROVAL_LEAST.1, APPROVAL_MOST.1);
    window.set_size(LogicalSize::new(width, height))
}

/// Remembers where a window was when it closes.
pub fn on_event(window: &Window, event: &WindowEvent) {
    if !matches!(event, WindowEvent::CloseRequested { .. }) {
        return;
    }
    let (Ok(size), Ok(scale)) = (window.inner_size(), window.scale_factor()) else { return };
    let place = Place {
        position: window.outer_position().ok(),
        size,
        scale,
        is_maximized: window.is_maximized().unwrap_or(false),
    };
    let state = window.state::<Windows>();
    state.places.lock().unwrap_or_else(PoisonError::into_inner).insert(window.label().to_owned(), place);
}

impl Windows {
    /// Does something while no window can be made.
    pub fn while_none_opens(&self, action: impl FnOnce()) {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        action();
    }

    fn at_last_place<'a>(
        &self,
        builder: WebviewWindowBuilder<'a, Wry, AppHandle>,
        label: &str,
    ) -> WebviewWindowBuilder<'a, Wry, AppHandle> {
        let Some(place) = self.places.lock().unwrap_or_else(PoisonError::into_inner).get(label).copied() else {
            return builder;
        };
        let size = place.size.to_logical::<f64>(place.scale);
        let builder = builder.inner_size(size.width, size.height).maximized(place.is_maximized);
        match place.position {
            Some(position) => {
                let position = position.to_logical::<f64>(place.scale);
                builder.position(position.x, position.y)
            }
            None => builder,
        }
    }
}

fn builder<'a>(app: &'a AppHandle, label: &str, page: String) -> WebviewWindowBuilder<'a, Wry, AppHandle> {
    let cache = app.state::<Home>().cache_dir().join("webview");
    WebviewWindowBuilder::new(app, label, WebviewUrl::App(page.into()))
        .data_directory(cache)
        .on_navigation(|url| is_own_page(url.scheme(), url.host_str(), url.port()))
        .on_new_window(|_, _| NewWindowResponse::Deny)
}

/// Whether a page is one of the app's own; there is no way out of it.
fn is_own_page(scheme: &str, host: Option<&str>, port: Option<u16>) -> bool {
    match (scheme, host) {
        ("tauri", Some("localhost")) | ("http" | "https", Some("tauri.localhost")) | ("about", None) => true,
        ("http", Some("localhost")) => tauri::is_dev() && port == Some(1420),
        _ => false,
    }
}

/// Whether a view's name is one that may be put into an address.
fn is_view(view: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'/');
    !view.is_empty() && view.len() <= 64 && view.bytes().all(is_plain)
}

fn come_up(window: &WebviewWindow, manner: Manner) -> tauri::Result<()> {
    match manner {
        Manner::InFront => {
            window.unminimize()?;
            window.show()?;
            window.set_focus()
        }
        Manner::Quietly => window.request_user_attention(Some(UserAttentionType::Informational)),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("providers", true)]
    #[case("gateway/servers", true)]
    #[case("", false)]
    #[case("a\"; alert(1); \"", false)]
    #[case("Providers", false)]
    #[case("plans?x=1", false)]
    fn a_view_is_a_plain_name(#[case] view: &str, #[case] accepted: bool) {
        assert_eq!(is_view(view), accepted);
    }

    #[rstest]
    #[case("tauri", Some("localhost"), None, true)]
    #[case("https", Some("example.com"), None, false)]
    #[case("http", Some("localhost"), Some(8080), false)]
    #[case("file", None, None, false)]
    #[case("data", None, None, false)]
    fn pages_from_elsewhere_are_not_opened(
        #[case] scheme: &str,
        #[case] host: Option<&str>,
        #[case] port: Option<u16>,
        #[case] accepted: bool,
    ) {
        assert_eq!(is_own_page(scheme, host, port), accepted);
    }
}
