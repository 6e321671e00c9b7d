//! What a client's model is told: the offer at connect, and the operating rules once the worker is on.
//!
//! Clients cut long texts, so each stays under [`MOST_CHARS`] and the rule of the mode stands first.

use crate::mode::Mode;

/// The longest text.
pub const MOST_CHARS: usize = 2_000;
/// The longest name of a model that is shown.
const MOST_MODEL_CHARS: usize = 60;

/// Said at connect, while the worker may be off.
pub const OFFER: &str = "\
    Lwa can work on this machine for you: run commands and read files here, and hand back a short, scrubbed result \
    instead of bulk output, or work on private material without showing it to you. It is off until the user turns it \
    on. The first call of local_llm_run or local_llm_delegate, or local_llm_enable, asks the user. If the user says no, \
    do not ask again and do the work yourself; call local_llm_enable later only when the user asks for it. \
    local_llm_status answers at any time and asks nobody.";

/// Stands before the rules in the prompt and the resource while the worker is off.
pub const OFF_LINE: &str =
    "The worker is off in this conversation; the rules below hold once the user has turned it on (local_llm_enable).";

const PII_RULE: &str = "\
    RULE (private mode): give the worker everything that may hold names, postal addresses, phone numbers, personal mail, \
    family matters, account, card or bank numbers, credentials, keys, tokens, password vaults, dotenv files, secrets and \
    ssh folders, password prompts, personal messages, contacts or calendars. Do not open such material yourself. Only \
    placeholders come back, and secrets stay on this machine. Work directly on anything else; when unsure, delegate.";

const ASSIST_RULE: &str = "\
    RULE (assist mode): delegate often. Whatever prints more than about 40 lines or 2 KB goes through local_llm_run: \
    logs, tests, builds, listings, git output, search results, process lists, service output. local_llm_delegate is for \
    reading files and answering questions about them. Do not delegate what prints little, small files, or edits. Exact \
    text: verbatim=true, or local_llm_artifact. Exact counts and sums: compute them inside the command. Numbers and \
    secrets come back masked. The user is asked once about names and mail, and the answer is honoured; when the user \
    says in chat that it changed, call local_llm_disclosure.";

/// The rules of a mode, for a worker model of this name.
pub fn operating_rules(mode: Mode, model: &str) -> String {
    let rule = match mode {
        Mode::Pii => PII_RULE,
        Mode::Assist => ASSIST_RULE,
    };
    let model: String = model.chars().filter(|character| !character.is_control()).take(MOST_MODEL_CHARS).collect();
    let model = if model.trim().is_empty() { "built-in condenser" } else { model.trim() };
    let text = format!(
        "{rule}\n\n\
         Worker: {model}. It keeps its own memory of this conversation, compacted when yours is.\n\
         - local_llm_run(command, task, cwd, timeout_s, verbatim, secret_env): runs a command, returns its digest\n\
         - local_llm_delegate(task, material, paths, command, verbatim): answers from material\n\
         - local_llm_artifact(ref, line_start, line_end | offset, limit): an exact slice of stored material\n\
         - local_llm_status(), local_llm_set_mode(mode), local_llm_disclosure(identity, numbers, reason)\n\
         verbatim=true returns quoted lines with their numbers. The last line of a result, the trailer, names turn, ref, \
         exit code, policy and what was scrubbed. Placeholders such as [EMAIL-1] are stable: use them in later calls, \
         where they are put back here; never ask what one stands for. A refusal is an answer, not something to work \
         around. Write precise tasks: say what you need to know and in which form.",
    );
    within(text)
}

/// The text of the prompt and the resource.
pub fn shown_rules(mode: Mode, model: &str, is_on: bool) -> String {
    let rules = operating_rules(mode, model);
    if is_on { rules } else { within(format!("{OFF_LINE}\n\n{rules}")) }
}

/// The line and the rules that `local_llm_set_mode` answers with.
pub fn mode_changed(mode: Mode, model: &str) -> String {
    format!("The mode is {mode} now.\n\n{}", operating_rules(mode, model))
}

/// The text, cut behind its last whole sentence that fits. The texts above fit; this holds whatever a name does.
fn within(text: String) -> String {
    if text.chars().count() <= MOST_CHARS {
        return text;
    }
    let cut: String = text.chars().take(MOST_CHARS).collect();
    let end = cut.rfind(['.', '!', '?']).map_or(cut.len(), |at| at + 1);
    cut.get(..end).unwrap_or_default().to_owned()
}
