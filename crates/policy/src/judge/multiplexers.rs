//! Programs with verbs that are no family of their own: forges, clouds, builders, services.

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::State;

struct Multiplexer {
    names: &'static [&'static str],
    /// Global options with a value.
    grammar: Grammar,
    /// How many words make the verb.
    depth: usize,
    /// Options that start or load what they name.
    risky: &'static [&'static str],
    /// Verbs, joined by a blank, that need the human each time.
    asking: &'static [&'static str],
    /// Words that an entry has to spell out.
    spelled: &'static [&'static str],
}

const BASE: Multiplexer =
    Multiplexer { names: &[], grammar: Grammar::stopping("", &[]), depth: 1, risky: &[], asking: &[], spelled: &[] };

const MULTIPLEXERS: &[Multiplexer] = &[
    Multiplexer {
        names: &["gh", "glab", "tea"],
        grammar: Grammar::stopping("R", &["repo", "hostname"]),
        depth: 2,
        asking: &[
            "alias set",
            "alias import",
            "config set",
            "auth login",
            "auth token",
            "auth refresh",
            "extension exec",
            "repo delete",
            "repo archive",
            "secret set",
            "secret delete",
            "ssh-key add",
            "gpg-key add",
            "codespace ssh",
            "cs ssh",
            "auth setup-git",
            "workflow run",
            "release delete",
            "repo edit",
            "gist create",
            "release upload",
            "release create",
            "repo create",
            "repo rename",
            "repo sync",
            "variable set",
            "variable delete",
            "run delete",
            "cache delete",
            "label delete",
        ],
        spelled: &["delete", "close", "merge", "--admin", "--force", "archive", "transfer"],
        ..BASE
    },
    Multiplexer {
        names: &["aws"],
        grammar: Grammar::stopping(
            "",
            &[
                "profile",
                "region",
                "output",
                "endpoint-url",
                "query",
                "ca-bundle",
                "color",
                "cli-read-timeout",
                "cli-connect-timeout",
            ],
        ),
        depth: 2,
        asking: &[
            "configure set",
            "configure import",
            "ssm start-session",
            "ecs execute-command",
            "ssm send-command",
            "configure sso",
        ],
        risky: &["endpoint-url"],
        ..BASE
    },
    Multiplexer {
        names: &["terraform", "tofu", "terragrunt", "pulumi", "cdk", "serverless", "sls", "packer"],
        grammar: Grammar::stopping("", &["chdir"]),
        asking: &["console", "login"],
        spelled: &[
            "init",
            "-auto-approve",
            "--auto-approve",
            "destroy",
            "--yes",
            "-y",
            "-destroy",
            "--force",
            "apply",
            "import",
            "taint",
            "rm",
            "mv",
            "force-unlock",
            "up",
            "deploy",
        ],
        ..BASE
    },
    Multiplexer {
        names: &["helm", "helmfile", "kustomize", "argocd", "flux", "istioctl"],
        grammar: Grammar::stopping(
            "n",
            &["namespace", "kube-context", "kubeconfig", "registry-config", "repository-cache", "repository-config"],
        ),
        risky: &["post-renderer", "enable-exec", "enable-alpha-plugins", "enable-helm", "kubeconfig"],
        asking: &["plugin", "repo"],
        spelled: &["delete", "uninstall", "rollback", "install", "upgrade", "push", "sync", "apply"],
        ..BASE
    },
    Multiplexer {
        names: &["make", "gmake", "bmake", "remake"],
        grammar: Grammar::stopping(
            "CfIjlOoWn",
            &[
                "directory",
                "file",
                "makefile",
                "include-dir",
                "jobs",
                "load-average",
                "old-file",
                "what-if",
                "eval",
                "assume-old",
                "new-file",
            ],
        )
        .attached("jlO"),
        depth: 0,
        risky: &[],
        ..BASE
    },
    Multiplexer {
        names: &[
            "ninja",
            "cmake",
            "meson",
            "bazel",
            "bazelisk",
            "buck",
            "buck2",
            "scons",
            "waf",
            "gradle",
            "gradlew",
            "mvn",
            "mvnw",
            "ant",
            "rake",
            "just",
            "task",
            "invoke",
            "tox",
            "nox",
            "xcodebuild",
            "msbuild",
            "turbo",
            "nx",
            "lerna",
            "grunt",
            "gulp",
            "webpack",
            "vite",
            "esbuild",
            "rollup",
            "parcel",
            "dagger",
            "earthly",
            "act",
            "b2",
            "xmake",
            "sbt",
            "mill",
        ],
        grammar: Grammar::stopping(
            "CfPpDS",
            &["directory", "file", "justfile", "working-directory", "build-file", "project-dir", "init-script"],
        ),
        risky: &["init-script", "shell", "shell-arg", "run_under", "run-under", "override_repository", "eval"],
        ..BASE
    },
    Multiplexer {
        names: &["journalctl"],
        grammar: Grammar::new("", &[]),
        depth: 0,
        risky: &["vacuum-size", "vacuum-time", "vacuum-files", "rotate", "flush"],
        ..BASE
    },
    Multiplexer {
        names: &["service", "rc-service", "sv", "supervisorctl", "pm2", "initctl", "monit", "s6-svc", "svcadm"],
        depth: 2,
        ..BASE
    },
    Multiplexer {
        names: &["hg", "svn", "bzr", "fossil", "jj", "sl", "darcs", "p4"],
        grammar: Grammar::stopping("R", &["cwd", "repository", "config", "config-dir", "config-option", "config-file"]),
        risky: &[
            "config",
            "config-option",
            "diff-cmd",
            "editor-cmd",
            "diff3-cmd",
            "ssh",
            "remotecmd",
            "config-file",
            "tool",
        ],
        asking: &["config"],
        ..BASE
    },
    Multiplexer {
        names: &["ip", "ifconfig", "route", "nmcli", "iw", "tc", "bridge", "networksetup", "scutil"],
        depth: 2,
        asking: &["netns exec", "vrf exec"],
        ..BASE
    },
    Multiplexer {
        names: &["twine", "vsce", "ovsx", "semantic-release"],
        asking: &["upload", "publish", "register"],
        ..BASE
    },
    Multiplexer {
        names: &["rails", "spring"],
        grammar: Grammar::stopping("e", &["environment"]),
        asking: &["runner", "r", "console", "c", "dbconsole", "db", "destroy", "d", "credentials:edit"],
        spelled: &["db:drop", "db:reset", "db:purge"],
        ..BASE
    },
    Multiplexer {
        names: &["lwa", "lwa-mcp", "ollama"],
        asking: &[
            "mcp",
            "config",
            "approvals",
            "keys",
            "hook",
            "exec",
            "run",
            "uninstall",
            "import",
            "clients",
            "servers",
        ],
        ..BASE
    },
];

/// Agents, which run what they think of.
const AGENTS: &[&str] = &[
    "claude",
    "codex",
    "gemini",
    "aider",
    "opencode",
    "cursor-agent",
    "goose",
    "amp",
    "crush",
    "qwen",
    "copilot",
    "llm",
    "sgpt",
    "interpreter",
];

impl Walker<'_> {
    /// Programs with verbs.
    pub(super) fn multiplexer(&mut self, look: &mut Look, state: &mut State) -> bool {
        if AGENTS.contains(&look.name.as_str()) {
            let informs =
                look.args.iter().skip(1).any(|arg| matches!(arg.text.as_str(), "--version" | "-v" | "--help" | "-h"));
            if !informs {
                self.ask("another agent", format!("`{}` starts an agent that runs commands of its own", look.name));
            }
            return true;
        }
        let Some(known) = MULTIPLEXERS.iter().find(|known| known.names.contains(&look.name.as_str())) else {
            return false;
        };
        let parsed = look.parse(&known.grammar);
        let verbs: Vec<usize> =
            parsed.operands.iter().copied().filter(|at| !look.text(*at).starts_with('-')).take(known.depth).collect();
        if known.depth > 0 {
            look.set_head(&verbs);
        }
        let names: Vec<String> = verbs.iter().map(|at| look.text(*at).to_owned()).collect();
        let verb = names.join(" ");
        let first = names.first().cloned().unwrap_or_default();
        if known.asking.contains(&verb.as_str()) || known.asking.contains(&first.as_str()) {
            self.ask("changes settings", format!("`{} {verb}` changes settings or runs what it names", look.name));
        }
        for at in 1..look.args.len() {
            let text = look.text(at).to_owned();
            if known.spelled.contains(&text.as_str()) {
                look.must_spell(at);
            }
            if let Some(body) = text.strip_prefix("--").or_else(|| text.strip_prefix('-').filter(|body| body.len() > 2))
            {
                let (name, value) =
                    body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value.to_owned())));
                if known.risky.contains(&name) {
                    self.ask(
                        "option that executes",
                        format!("the option `{name}` of `{}` starts or loads what it names", look.name),
                    );
                    let code = value.or_else(|| look.args.get(at + 1).map(|arg| arg.text.clone())).unwrap_or_default();
                    let code = code.split_once('=').map_or(code.clone(), |(_, tail)| tail.to_owned());
                    self.denied_in_code(&code, &Flow::Nothing, state);
                }
            }
        }
        if matches!(look.name.as_str(), "lerna" | "nx" | "turbo" | "mill" | "ip" | "terragrunt") {
            self.launched(look, state);
        }
        match look.name.as_str() {
            "make" | "gmake" | "bmake" | "remake" => self.make(look, state),
            "gh" | "glab" => self.forge(look, &verb, state),
            "aws" => self.cloud(look, &verb, state),
            "cmake" => self.cmake(look, state),
            "hg" | "svn" => {
                for arg in look.from(1) {
                    if let Some((key, code)) = arg.text.split_once('=')
                        && (key.contains("alias.")
                            || key.contains("hooks.")
                            || key.contains("ssh")
                            || key.contains("extensions.")
                            || key.contains("pager"))
                    {
                        self.ask("setting on the command line", "sets what the program runs");
                        self.denied_in_code(code.trim_start_matches('!'), &Flow::Nothing, state);
                    }
                }
            }
            "ifconfig" | "route" | "nmcli" | "iw" | "tc" | "bridge" | "networksetup" => self.connections(look, &names),
            "ip" => {
                self.connections(look, &names);
                if look.args.iter().any(|arg| {
                    let name = arg.text.trim_start_matches('-');
                    arg.text.starts_with('-') && !name.is_empty() && "batch".starts_with(name) || name == "force"
                }) {
                    self.ask("options from a file", "`ip -batch` would read commands from a file");
                }
                if let Some(at) = verbs.last().filter(|_| matches!(verb.as_str(), "netns exec" | "vrf exec")) {
                    self.denied_inside(look.from(at + 2), &Flow::Nothing, state);
                }
            }
            "mvn" | "mvnw" | "gradle" | "gradlew" => {
                for at in 1..look.args.len() {
                    let text = look.text(at).to_owned();
                    let runs = text.starts_with("exec:") || text.starts_with("antrun:") || text.contains("exec-maven");
                    let publishes = text == "deploy"
                        || text.starts_with("release:")
                        || text.starts_with("deploy:")
                        || text.rsplit(':').next().unwrap_or_default().starts_with("publish");
                    if runs || publishes && !text.starts_with('-') {
                        look.must_spell(at);
                    }
                    if text == "-I" && look.name.starts_with("gradle") {
                        self.ask("option that executes", "an option of the builder loads what it names");
                    }
                }
            }
            "just" | "ninja" | "task" | "rake" => {
                for value in look.parse(&known.grammar).options {
                    if value.is('f', "justfile") || value.is('\0', "rakefile") {
                        look.must_spell(value.at);
                    }
                    if look.name == "just" && value.is_long && value.name == "command" {
                        let words: Vec<Arg> = look.args.iter().skip(value.at + 1).take(64).cloned().collect();
                        self.ask("option that executes", "`just --command` runs a program");
                        self.denied_inside(words, &Flow::Nothing, state);
                    }
                }
            }
            "helm"
                if verb == "plugin"
                    && verbs
                        .first()
                        .is_some_and(|at| matches!(look.text(at + 1), "install" | "update" | "uninstall")) =>
            {
                self.deny("package install", "installs or removes a plug-in");
            }
            _ => {}
        }
        true
    }

    /// Verbs that change how the machine is connected; `ip` takes the beginnings of verbs as well.
    fn connections(&mut self, look: &Look, verbs: &[String]) {
        const CHANGES: &[&str] = &[
            "add",
            "append",
            "change",
            "connect",
            "del",
            "delete",
            "disconnect",
            "down",
            "edit",
            "flush",
            "import",
            "modify",
            "off",
            "on",
            "prepend",
            "replace",
            "restore",
            "set",
            "up",
        ];
        let changes = if look.name == "ip" {
            let second = verbs.get(1).map(String::as_str).unwrap_or_default();
            // `s` sets a link and shows anything else.
            let shows = second == "s" && !verbs.first().is_some_and(|object| "link".starts_with(object.as_str()));
            !second.is_empty()
                && !shows
                && CHANGES.iter().any(|verb| verb.starts_with(second) && *verb != "on" && *verb != "off")
        } else {
            look.args.iter().skip(1).any(|arg| {
                let text = arg.text.trim_start_matches('-');
                CHANGES.contains(&text) || look.name == "networksetup" && text.starts_with("set")
            })
        };
        if changes {
            self.ask("system setting", format!("`{}` changes how the machine is connected", look.name));
        }
    }

    fn make(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(
            &Grammar::new(
                "CfIjlOoW",
                &["directory", "file", "makefile", "include-dir", "jobs", "old-file", "what-if", "eval"],
            )
            .attached("jlO"),
        );
        for option in &parsed.options {
            if option.is('\0', "eval") && option.name.len() > 1
                || option.is_long && option.name == "eval"
                || option.name == "E"
            {
                self.ask("option that executes", "`make --eval` runs what it is given");
                if let Some(value) = &option.value {
                    self.make_text(&value.text, state);
                }
            }
            if option.is('f', "file") || option.is('\0', "makefile") && option.name.len() > 1 {
                look.must_spell(option.at);
                if let Some(value) = &option.value {
                    if look.text(option.at).len() == 2 || !look.text(option.at).contains(&value.text) {
                        look.must_spell(option.at + 1);
                    }
                    let is_input = value.text == "-";
                    let flow = super::held(value, &look.stdin, state).or_else(|| is_input.then(|| look.stdin.clone()));
                    match flow {
                        Some(Flow::Network) => self.deny("network pipe to shell", "`make` would run fetched text"),
                        Some(Flow::Literal(text)) => {
                            self.ask("program from the input", "`make` would run its input");
                            self.make_text(&text, state);
                        }
                        Some(_) => self.ask("program from the input", "`make` would run its input"),
                        None => {}
                    }
                }
            }
            if option.is('I', "include-dir") {
                look.must_spell(option.at);
            }
        }
        let stays = parsed
            .values('C', "directory")
            .iter()
            .all(|folder| folder.is_static() && !folder.text.starts_with(['/', '~']) && !folder.text.contains(".."));
        for option in parsed.options.iter().filter(|option| !stays && option.is('C', "directory")) {
            // What another project makes is another thing.
            look.must_spell(option.at);
            if look.text(option.at).len() == 2 || look.text(option.at) == "--directory" {
                look.must_spell(option.at + 1);
            }
        }
        if stays && let Some(target) = parsed.operands.iter().find(|at| !look.text(**at).contains('=')) {
            look.bring_forward(*target);
        }
        for at in parsed.operands.clone() {
            let text = look.text(at).to_owned();
            if let Some((name, value)) = text.split_once('=') {
                let name = name.trim_end_matches([':', '+', '?', '!']);
                if matches!(name, "DESTDIR" | "PREFIX" | "prefix" | "O" | "OUT" | "BUILDDIR" | "builddir") {
                    self.write(&Arg::literal(format!("{value}/x")), state);
                }
                let runs = super::environment::is_unsafe(name)
                    || value.contains("$(shell")
                    || value.contains("$(eval")
                    || name == ".SHELLFLAGS"
                    || name.ends_with("SHELL");
                if runs {
                    self.ask("unsafe assignment", format!("the variable `{name}` changes what `make` runs"));
                    let code = value.trim_start_matches("$(shell").trim_end_matches(')').to_owned();
                    self.denied_in_code(&code, &Flow::Nothing, state);
                }
            }
        }
    }

    fn make_text(&mut self, text: &str, state: &State) {
        for line in text.lines() {
            let line = line.trim_start_matches(['\t', '@', '-', '+', ' ']);
            for part in line.split(';') {
                self.denied_in_code(part.trim(), &Flow::Nothing, state);
            }
            if let Some((_, tail)) = line.split_once("$(shell ") {
                self.denied_in_code(tail.trim_end_matches(')'), &Flow::Nothing, state);
            }
        }
    }

    fn forge(&mut self, look: &mut Look, verb: &str, state: &State) {
        if verb.starts_with("extension") || verb.starts_with("ext ") {
            let second = verb.split(' ').nth(1).unwrap_or_default();
            if matches!(second, "install" | "upgrade" | "remove" | "create") {
                self.deny("package install", "installs or removes an extension");
            }
        }
        if verb.starts_with("alias set")
            && let Some(code) = look.args.last()
        {
            let code = code.text.trim_start_matches('!').to_owned();
            self.denied_in_code(&code, &Flow::Nothing, state);
        }
        if verb.starts_with("api") || matches!(verb, "gist view" | "release view" | "issue view" | "pr view") {
            look.out = Some(Flow::Network);
        }
        if verb == "api" || verb.starts_with("api ") {
            look.set_head(&[1]);
            let parsed = look.parse(&Grammar::new(
                "XfFHqtp",
                &["method", "field", "raw-field", "header", "jq", "template", "input", "cache", "hostname", "preview"],
            ));
            let method = parsed.values('X', "method").pop().map(|arg| arg.text.to_uppercase());
            let sends = parsed.options.iter().any(|option| {
                option.is('f', "field")
                    || option.is('F', "raw-field")
                    || option.is('\0', "input") && option.name.len() > 2
            });
            if method.as_deref().is_some_and(|method| method != "GET" && method != "HEAD") || sends && method.is_none()
            {
                self.ask("changes something", "the request changes something on the server");
            }
        }
        if (verb == "repo clone" || verb == "gist clone")
            && let Some(target) = look.args.iter().skip(3).filter(|arg| !arg.text.starts_with('-')).nth(1).cloned()
        {
            self.writes_purposely(look, &target, state);
        }
        if verb == "release download" || verb == "run download" {
            self.option_writes(look, "ODd", &["output", "dir"], state);
        }
    }

    fn cloud(&mut self, look: &mut Look, verb: &str, state: &State) {
        let operation = verb.split(' ').nth(1).unwrap_or_default();
        if matches!(operation, "rm" | "rb") || operation.starts_with("delete") || operation.starts_with("terminate") {
            for at in 2..look.args.len() {
                look.must_spell(at.min(3));
            }
        }
        if matches!(verb, "s3 cp" | "s3 sync" | "s3 mv") {
            let targets: Vec<Arg> =
                look.args.iter().skip(3).filter(|arg| !arg.text.starts_with('-')).cloned().collect();
            if let Some(target) = targets.get(1) {
                if target.text.starts_with("s3://") {
                    self.ask("upload", "`aws` would send files away");
                } else {
                    self.writes_aside(look, target, state);
                }
            }
            if targets.get(1).is_some_and(|target| target.text == "-")
                || look.args.last().is_some_and(|arg| arg.text == "-")
            {
                look.out = Some(Flow::Network);
            }
        }
        for arg in look.from(1) {
            if arg.text.starts_with("file://") || arg.text.starts_with("fileb://") {
                self.ask("upload", "`aws` would read a file into the request");
            }
        }
    }

    fn cmake(&mut self, look: &mut Look, state: &mut State) {
        let place = look.args.iter().position(|arg| arg.text == "-E");
        if let Some(at) = place {
            let words = look.from(at + 1);
            let verb = words.first().map(|arg| arg.text.clone()).unwrap_or_default();
            if matches!(verb.as_str(), "env" | "time") {
                self.inner(look, words, state);
            } else if verb == "chdir" {
                self.inner(look, words.into_iter().skip(2).collect(), state);
            } else if matches!(
                verb.as_str(),
                "rm" | "remove_directory"
                    | "copy"
                    | "copy_directory"
                    | "rename"
                    | "touch"
                    | "make_directory"
                    | "create_symlink"
            ) {
                let verb = match verb.as_str() {
                    "remove_directory" => vec![Arg::literal("rm"), Arg::literal("-r")],
                    "rm" => vec![Arg::literal("rm")],
                    "copy" | "copy_directory" => vec![Arg::literal("cp")],
                    "rename" => vec![Arg::literal("mv")],
                    _ => vec![Arg::literal("touch")],
                };
                let words: Vec<Arg> = verb.into_iter().chain(words.into_iter().skip(1)).collect();
                self.denied_inside(words, &Flow::Nothing, state);
            }
        }
        let places = look.parse(&Grammar::new("BS", &["build", "prefix"]));
        for value in [places.values('B', ""), places.values('\0', "build"), places.values('\0', "prefix")].concat() {
            self.writes_purposely(look, &Arg::literal(format!("{}/x", value.text)), state);
        }
        let own = look.args.iter().skip_while(|arg| arg.text != "--").any(|arg| {
            arg.text.split_once('=').is_some_and(|(name, _)| super::environment::is_unsafe(name))
                || arg.text.starts_with("--eval")
        });
        if own {
            self.ask("unsafe assignment", "words for the builder change what it runs");
        }
        // A script, or what fills the cache: both are code.
        if let Some(at) = look.args.iter().position(|arg| matches!(arg.text.as_str(), "-P" | "-C")) {
            look.must_spell((at + 1).min(look.args.len() - 1));
        }
    }
}
