//! Lets Tauri check the capabilities and embed the interface.

use tauri_build::{AppManifest, Attributes};

/// The app's commands; naming them here closes each one to every window that is not given it.
const COMMANDS: [&str; 6] = ["rpc", "subscribe", "open_approval", "open_main", "fit_approval", "self_test"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manifest = AppManifest::new().commands(&COMMANDS);
    tauri_build::try_build(Attributes::new().app_manifest(manifest)).map_err(Into::into)
}
