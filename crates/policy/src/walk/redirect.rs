//! Redirects: what they write, and what they put on the standard input.

use brush_parser::ast::{
    IoFileRedirectKind, IoFileRedirectTarget, IoHereDocument, IoRedirect, ProcessSubstitutionKind,
};

use super::{Redirects, State, Walker};
use crate::arg::{Arg, Flow};
use crate::finding::Write;
use crate::shell::word::Mode;

impl Walker<'_> {
    pub(super) fn redirect(&mut self, redirect: &IoRedirect, state: &mut State, redirects: &mut Redirects) {
        match redirect {
            IoRedirect::File(descriptor, kind, target) => self.file(*descriptor, kind, target, state, redirects),
            IoRedirect::OutputAndError(word, appends) => {
                let arg = self.whole(&word.value, state);
                self.write_redirect(&arg, *appends, state, redirects);
                redirects.takes_output = true;
            }
            IoRedirect::HereDocument(descriptor, document) => {
                let flow = self.document(document, state);
                match descriptor {
                    None | Some(0) => redirects.stdin = Some(flow),
                    Some(number) => redirects.opened.push((*number, flow)),
                }
            }
            IoRedirect::HereString(descriptor, word) => {
                let arg = self.whole(&word.value, state);
                match descriptor {
                    None | Some(0) => redirects.stdin = Some(flow_of(&arg)),
                    Some(number) => redirects.opened.push((*number, flow_of(&arg))),
                }
            }
        }
    }

    fn document(&mut self, document: &IoHereDocument, state: &mut State) -> Flow {
        if document.requires_expansion {
            flow_of(&self.expanded(&document.doc.value, Mode::Document, state))
        } else {
            Flow::Literal(document.doc.value.clone())
        }
    }

    fn file(
        &mut self,
        descriptor: Option<i32>,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        state: &mut State,
        redirects: &mut Redirects,
    ) {
        use IoFileRedirectKind as Kind;
        let is_read = matches!(kind, Kind::Read | Kind::DuplicateInput);
        let word = match target {
            IoFileRedirectTarget::Fd(_) => return,
            IoFileRedirectTarget::ProcessSubstitution(direction, shell) => {
                match direction {
                    ProcessSubstitutionKind::Read => {
                        let flow = self.process(shell, state);
                        match descriptor {
                            None | Some(0) if is_read => redirects.stdin = Some(flow),
                            Some(number) if is_read => redirects.opened.push((number, flow)),
                            _ => {}
                        }
                    }
                    ProcessSubstitutionKind::Write => {
                        self.process(shell, state);
                        redirects.outflows.push(shell.clone());
                    }
                }
                return;
            }
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => word,
        };
        let arg = self.whole(&word.value, state);
        let is_duplicate = matches!(kind, Kind::DuplicateInput | Kind::DuplicateOutput);
        if is_duplicate && is_descriptor(&arg.text) {
            // What is read from a descriptor is what was put there, as far as that was seen.
            if is_read && matches!(descriptor, None | Some(0)) {
                let number = arg.text.trim_end_matches('-').parse::<i32>().unwrap_or(0);
                if number != 0 {
                    let flow = redirects.opened.iter().rfind(|(known, _)| *known == number).map(|(_, flow)| flow);
                    let flow = flow.or_else(|| state.descriptors.get(&number)).cloned();
                    redirects.stdin = Some(flow.unwrap_or(Flow::Opaque));
                }
            }
            return;
        }
        match kind {
            Kind::Read | Kind::DuplicateInput => {
                let flow = crate::judge::held(&arg, &self.inflow, state).unwrap_or(Flow::Opaque);
                match descriptor {
                    None | Some(0) => redirects.stdin = Some(flow),
                    Some(number) => redirects.opened.push((number, flow)),
                }
                self.read_file(&arg, state);
            }
            Kind::Write | Kind::Clobber | Kind::Append | Kind::ReadAndWrite | Kind::DuplicateOutput => {
                self.write_redirect(&arg, matches!(kind, Kind::Append), state, redirects);
                if matches!(descriptor, None | Some(1)) {
                    redirects.takes_output = true;
                }
            }
        }
    }

    fn write_redirect(&mut self, arg: &Arg, appends: bool, state: &State, redirects: &mut Redirects) {
        if arg.file.is_some() {
            return;
        }
        if let Some(mut write) = self.write(arg, state) {
            write.appends = appends;
            redirects.writes.push(write);
        }
    }

    /// Judges one written path; gives the write when it leaves something behind.
    pub(crate) fn write(&mut self, arg: &Arg, state: &State) -> Option<Write> {
        use crate::path::{Device, Guard, device, guard, resolve};
        let folders = [state.folder.as_deref(), self.context.working_folder.as_deref()];
        let (path, is_anchored) = resolve(&arg.text, folders[0], self.context);
        match device(&path) {
            Device::Harmless => return None,
            Device::Real => {
                self.deny("device write", format!("`{path}` is a device"));
                return None;
            }
            Device::No => {}
        }
        // A folder that may not have been entered is a second place where a relative word can lead.
        let mut places = vec![path.clone()];
        if folders[0] != folders[1] {
            places.push(resolve(&arg.text, folders[1], self.context).0);
        }
        places.extend(state.other_folders.iter().map(|folder| resolve(&arg.text, Some(folder), self.context).0));
        // A link that the command itself makes leads on.
        if state.links.len() > super::state::MOST_PLACES {
            self.ask("too long", "the command makes more links than the policy follows");
        }
        let beyond: Vec<String> = places.iter().flat_map(|place| state.beyond(place)).collect();
        places.extend(beyond);
        for (index, place) in places.iter().enumerate() {
            match guard(place, self.context) {
                Some(Guard::Protected(what)) => {
                    let rule =
                        if place.to_lowercase().starts_with("/proc/sysrq") { "power state" } else { "protected path" };
                    self.deny(rule, format!("`{}` is protected ({what})", shown(place)));
                    break;
                }
                Some(Guard::StartUp(what)) if index == 0 => {
                    self.ask("start-up file", format!("`{}` is {what}", shown(place)));
                }
                _ => {}
            }
        }
        let is_known = is_anchored && !arg.is_dynamic && !arg.is_glob && !arg.has_placeholder;
        Some(Write { text: arg.text.clone(), path, appends: false, is_known })
    }

    /// Judges one path that is read; gives it when it holds credentials.
    pub(crate) fn read_file(&mut self, arg: &Arg, state: &State) -> Option<String> {
        let (path, _) = crate::path::resolve(&arg.text, state.folder.as_deref(), self.context);
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            self.ask("network", format!("`{path}` is a connection to the network"));
        }
        if crate::path::is_private(&path, self.context) {
            self.ask("private file", format!("`{}` holds credentials", shown(&path)));
            return Some(shown(&path));
        }
        None
    }
}

fn shown(path: &str) -> String {
    path.replace(crate::arg::UNKNOWN, "…")
}

fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    digits.chars().all(|next| next.is_ascii_digit())
}

/// What a word puts on the standard input.
pub(crate) fn flow_of(arg: &Arg) -> Flow {
    if arg.is_fetched {
        return Flow::Network;
    }
    match &arg.code {
        Some(code) => Flow::Literal(code.clone()),
        None => Flow::Opaque,
    }
}
