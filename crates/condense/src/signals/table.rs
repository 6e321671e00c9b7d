//! The words, with what they mean and the edges they need.

/// What a word says about its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something failed.
    Failure,
    /// Something may go wrong.
    Warning,
    /// A word of failure that may be part of a name.
    Mention,
    /// Takes the sting out of one failure word, such as `0 errors`.
    Harmless,
    /// A test passed.
    Passing,
    /// A closing count.
    Summary,
    /// A decision or a finding.
    Decision,
    /// Open, due or to be done.
    Action,
    /// Binding words.
    Requirement,
    /// The start of a compiler's command line.
    Command,
}

/// Where in a line a word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// Anywhere.
    Any,
    /// As a whole word.
    Word,
    /// At the start of a word.
    WordStart,
    /// At the start of the line, behind white space and list marks.
    LineStart,
    /// At the end of the line.
    LineEnd,
    /// Not behind a digit, for phrases that begin with `0`.
    NoDigitBefore,
    /// As a word or the end of a CamelCase name, not as a part of a path, an option or an identifier.
    Report,
}

/// One row of the table.
#[derive(Debug)]
pub(super) struct Signal {
    pub(super) word: &'static str,
    pub(super) kind: Kind,
    pub(super) edge: Edge,
}

const fn row(word: &'static str, kind: Kind, edge: Edge) -> Signal {
    Signal { word, kind, edge }
}

use Edge::{Any, LineEnd, LineStart, NoDigitBefore, Report, Word, WordStart};
use Kind::{Action, Command, Decision, Failure, Harmless, Mention, Passing, Requirement, Summary, Warning};

/// All signals.
#[rustfmt::skip]
pub(super) const SIGNALS: &[Signal] = &[
    // Failures.
    row("error", Failure, Report), row("errors", Failure, Report), row("errored", Failure, Report),
    row("fail", Failure, Report), row("fails", Failure, Report), row("failed", Failure, Report),
    row("failing", Failure, Report), row("failure", Failure, Report), row("failures", Failure, Report),
    row("failed to", Failure, WordStart),
    row("panic", Failure, Report), row("panics", Failure, Report), row("panicked", Failure, Report),
    row("fatal", Failure, Report), row("exception", Failure, Report), row("traceback", Failure, Report),
    row("denied", Failure, Report), row("refused", Failure, Report), row("timeout", Failure, Report),
    row("timed out", Failure, Report), row("time out", Failure, Report), row("times out", Failure, Report),
    row("aborted", Failure, Word), row("aborting", Failure, Word), row("abort", Mention, Any), row("critical", Failure, Report),
    row("crash", Failure, Report), row("crashed", Failure, Report), row("crashes", Failure, Report),
    row("segfault", Failure, Any), row("segmentation fault", Failure, Any), row("core dumped", Failure, Any),
    row("killed", Failure, Word), row("sigkill", Failure, Any), row("sigsegv", Failure, Any), row("oomkilled", Failure, Any),
    row("out of memory", Failure, Any), row("undefined reference", Failure, Any), row("undefined symbol", Failure, Any),
    row("unresolved", Failure, Word), row("unreachable", Failure, Word), row("no such file", Failure, Any),
    row("not ok ", Failure, LineStart), row("npm err!", Failure, Any), row("unable to", Failure, Word), row("could not", Failure, Word),
    row("cannot", Failure, Word), row("couldn't", Failure, Word), row("not found", Failure, Word), row("not permitted", Failure, Any),
    row("connection reset", Failure, Any), row("broken pipe", Failure, Any), row("deadlock", Failure, Word),
    row("stack overflow", Failure, Any), row("corrupt", Failure, WordStart), row("unexpected", Failure, Word),
    row("unhandled", Failure, Word), row("uncaught", Failure, Word), row("mismatched", Failure, Word), row("invalid", Failure, Word),
    row("unmet", Failure, Word), row("severe", Failure, Word), row("caused by:", Failure, Any),
    row("assertion", Failure, Word), row("assertionerror", Failure, Any), row("assert", Mention, Any),
    row("\u{2717}", Failure, Any), row("\u{2716}", Failure, Any), row("\u{2715}", Failure, Any), row("\u{25cf} ", Failure, LineStart),
    row("*** [", Failure, Any), row("***failed", Failure, Any), row("err!", Failure, Any), row("e:", Failure, LineStart),
    row("lvl=eror", Failure, Any), row("\"level\":50", Failure, Any), row("\"level\":60", Failure, Any), row("[err]", Failure, Any),
    row("level=err", Failure, Any), row("[e]", Failure, Any), row("exit status ", Failure, WordStart),
    // Warnings.
    row("warning", Warning, Report), row("warnings", Warning, Report), row("warn", Warning, Report), row("warned", Warning, Report),
    row("deprecated", Warning, Word), row("deprecationwarning", Warning, Any), row("w:", Warning, LineStart),
    row("\"level\":40", Warning, Any), row("vulnerabilities", Warning, Word), row("vulnerability", Warning, Word),
    row("retrying", Warning, Word), row("skipped:", Warning, WordStart), row("\u{26a0}", Warning, Any), row("npm warn", Warning, Any),
    // The exit status of a success is no failure.
    row("exit status 0", Harmless, Word), row("exit status: 0", Harmless, Word),
    // Harmless phrases.
    row("0 error", Harmless, NoDigitBefore), row("0 fail", Harmless, NoDigitBefore), row("0 warning", Harmless, NoDigitBefore),
    row("0 vulnerabilities", Harmless, NoDigitBefore), row("0 exception", Harmless, NoDigitBefore),
    row("0 timeout", Harmless, NoDigitBefore), row("0 panic", Harmless, NoDigitBefore),
    row("no error", Harmless, WordStart), row("no fail", Harmless, WordStart), row("no warning", Harmless, WordStart),
    row("without error", Harmless, WordStart), row("without warning", Harmless, WordStart), row("without failure", Harmless, WordStart),
    row("errors: 0", Harmless, Word), row("errors=0", Harmless, Word), row("error=0", Harmless, Word), row("error=null", Harmless, Any),
    row("error=nil", Harmless, Any), row("err=nil", Harmless, Any), row("error=none", Harmless, Any), row("error: null", Harmless, Any),
    row("\"error\":null", Harmless, Any), row("\"error\": null", Harmless, Any), row("\"errors\":0", Harmless, Word),
    row("\"errors\":[]", Harmless, Any), row("failed: 0", Harmless, Word), row("failed=0", Harmless, Word), row("failures: 0", Harmless, Word),
    row("failures=0", Harmless, Word), row("fail 0", Harmless, Word), row("warnings: 0", Harmless, Word), row("warnings=0", Harmless, Word),
    row("fail: 0", Harmless, Word), row("\"failed\":0", Harmless, Word), row("not found: 0", Harmless, Word),
    // Passing tests.
    row("... ok", Passing, LineEnd), row(" passed", Passing, LineEnd), row("passed [", Passing, Any), row("\u{2713}", Passing, LineStart),
    row("\u{2714}", Passing, LineStart), row("\u{221a}", Passing, LineStart), row("ok ", Passing, LineStart), row("[       ok ]", Passing, Any),
    row("[ run      ]", Passing, Any), row("   passed ", Passing, Any), row("--- pass:", Passing, LineStart), row("... ignored", Passing, LineEnd),
    // Closing counts.
    row("test result:", Summary, LineStart), row("finished `", Summary, LineStart), row("finished in ", Summary, Any),
    row(" passed in ", Summary, Any), row(" failed in ", Summary, Any), row("tests passed", Summary, Any), row("tests failed", Summary, Any),
    row("added ", Summary, LineStart), row("audited ", Summary, LineStart), row("tests:", Summary, LineStart), row("test suites:", Summary, LineStart),
    row("test files ", Summary, LineStart), row("snapshots:", Summary, LineStart), row(" passing (", Summary, Any), row(" failing", Summary, LineEnd),
    row("newly installed", Summary, Any), row("total test time", Summary, LineStart), row("build succeeded", Summary, Any),
    row("build failed", Summary, Any), row("successfully installed", Summary, LineStart), row("successfully built", Summary, LineStart),
    row("successfully tagged", Summary, LineStart), row("exited with", Summary, Any), row("exit code", Summary, Any), row("exit status", Summary, Any),
    row("after this operation", Summary, LineStart), row("# tests ", Summary, Any), row("# pass ", Summary, Any), row("# fail ", Summary, Any),
    row("tests ", Summary, LineStart), row("pass ", Summary, LineStart), row("duration_ms ", Summary, LineStart),
    row("ran all test suites", Summary, Any), row("ran ", Summary, LineStart), row("real\t", Summary, LineStart), row("compilation finished", Summary, Any),
    row("collected ", Summary, LineStart), row("short test summary", Summary, Any), row("total time", Summary, Any), row("elapsed:", Summary, WordStart),
    row("generated ", Summary, LineStart), row("files changed", Summary, Any), row("up to date", Summary, Any),
    // Decisions and findings.
    row("decided", Decision, Word), row("decision", Decision, Word), row("decide", Decision, Word), row("agreed", Decision, Word), row("let's go with", Decision, Any),
    row("lets go with", Decision, Any), row("going with", Decision, Word), row("go with", Decision, Word), row("chosen", Decision, Word),
    row("we chose", Decision, Word), row("i chose", Decision, Word), row("will use", Decision, Word), row("we'll use", Decision, Word),
    row("i'll use", Decision, Word), row("settled on", Decision, Word), row("conclusion", Decision, Word), row("concluded", Decision, Word),
    row("root cause", Decision, Word), row("turns out", Decision, Word), row("workaround", Decision, Word), row("instead of", Decision, Word),
    row("approved", Decision, Word), row("rejected", Decision, Word), row("reverted", Decision, Word), row("rolled back", Decision, Word),
    row("we keep", Decision, Word), row("we'll keep", Decision, Word), row("keep using", Decision, Word), row("stick with", Decision, Word),
    row("sticking with", Decision, Word), row("confirmed", Decision, Word), row("ruled out", Decision, Word), row("trade-off", Decision, Word),
    row("switched to", Decision, Word), row("switch to", Decision, Word), row("prefer", Decision, WordStart), row("opted", Decision, Word),
    row("the plan is", Decision, Word), row("final answer", Decision, Word), row("resolved by", Decision, Word), row("fixed by", Decision, Word),
    row("the fix", Decision, Word), row("we drop", Decision, Word), row("merged", Decision, Word), row("deployed", Decision, Word),
    // Open points and next actions.
    row("todo", Action, Word), row("fixme", Action, Word), row("tbd", Action, Word), row("open question", Action, WordStart),
    row("still unclear", Action, Word), row("unclear", Action, Word), row("not sure", Action, Word), row("unknown", Action, Word),
    row("need to", Action, Word), row("needs to", Action, Word), row("needs a", Action, Word), row("remaining", Action, Word),
    row("remains", Action, Word), row("blocked", Action, Word), row("blocker", Action, Word), row("pending", Action, Word),
    row("follow-up", Action, Word), row("follow up", Action, Word), row("left to do", Action, Word), row("next step", Action, WordStart),
    row("next steps", Action, WordStart), row("next action", Action, WordStart), row("action item", Action, WordStart), row("next:", Action, WordStart),
    row("deadline", Action, Word), row("due", Action, Word), row("by monday", Action, Word), row("by tuesday", Action, Word),
    row("by wednesday", Action, Word), row("by thursday", Action, Word), row("by friday", Action, Word), row("by tomorrow", Action, Word),
    row("by end of", Action, Word), row("not yet", Action, Word), row("waiting for", Action, Word), row("waiting on", Action, Word),
    row("to be done", Action, Word), row("later:", Action, Word), row("assigned to", Action, Word), row("owner:", Action, Word),
    // Binding words.
    row("must", Requirement, Word), row("must not", Requirement, Word), row("never", Requirement, Word), row("always", Requirement, Word),
    row("do not", Requirement, Word), row("don't", Requirement, Word), row("make sure", Requirement, Word), row("require", Requirement, WordStart),
    row("shall", Requirement, Word), row("forbidden", Requirement, Word), row("constraint", Requirement, WordStart), row("important", Requirement, Word),
    row("at most", Requirement, Word), row("at least", Requirement, Word), row("no more than", Requirement, Word), row("only if", Requirement, Word),
    row("unless", Requirement, Word), row("should not", Requirement, Word), row("shouldn't", Requirement, Word), row("ensure", Requirement, Word),
    // Compiler command lines.
    row("gcc ", Command, LineStart), row("g++ ", Command, LineStart), row("cc ", Command, LineStart), row("c++ ", Command, LineStart),
    row("clang ", Command, LineStart), row("clang++ ", Command, LineStart), row("/usr/bin/cc ", Command, LineStart),
    row("/usr/bin/c++ ", Command, LineStart), row("running `", Command, LineStart), row("/usr/bin/gcc ", Command, LineStart),
    row("libtool: compile", Command, LineStart), row("/bin/bash ", Command, LineStart), row("ar ", Command, LineStart),
];
