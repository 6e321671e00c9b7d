//! Containers, clusters and machines: what they run there, and what of this machine they open.

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::{Grammar, parse};
use crate::walk::state::State;

const GLOBAL: Grammar = Grammar::stopping(
    "HclfpDn",
    &[
        "host",
        "context",
        "config",
        "log-level",
        "tlscacert",
        "tlscert",
        "tlskey",
        "url",
        "connection",
        "identity",
        "root",
        "namespace",
        "file",
        "project-name",
        "profile",
        "env-file",
        "project-directory",
        "ansi",
        "progress",
        "parallel",
    ],
)
.flags(&["tls"]);

const RUN: Grammar = Grammar::stopping(
    "aceuvwplhmn",
    &[
        "add-host",
        "annotation",
        "attach",
        "blkio-weight",
        "cap-add",
        "cap-drop",
        "cgroup-parent",
        "cgroupns",
        "cidfile",
        "cpu-period",
        "cpu-quota",
        "cpu-shares",
        "cpus",
        "cpuset-cpus",
        "cpuset-mems",
        "detach-keys",
        "device",
        "device-cgroup-rule",
        "dns",
        "dns-option",
        "dns-search",
        "domainname",
        "entrypoint",
        "env",
        "env-file",
        "expose",
        "gpus",
        "group-add",
        "health-cmd",
        "health-interval",
        "health-retries",
        "health-timeout",
        "hostname",
        "ip",
        "ipc",
        "isolation",
        "label",
        "label-file",
        "link",
        "log-driver",
        "log-opt",
        "mac-address",
        "memory",
        "memory-reservation",
        "memory-swap",
        "mount",
        "name",
        "network",
        "net",
        "network-alias",
        "pid",
        "pids-limit",
        "platform",
        "publish",
        "pull",
        "restart",
        "runtime",
        "security-opt",
        "shm-size",
        "stop-signal",
        "stop-timeout",
        "storage-opt",
        "sysctl",
        "tmpfs",
        "ulimit",
        "user",
        "userns",
        "uts",
        "volume",
        "volume-driver",
        "volumes-from",
        "workdir",
        "index",
        "arch",
        "os",
        "pod",
        "secret",
    ],
)
.flags(&["detach"]);

const KUBE: Grammar = Grammar::stopping(
    "nsluvo",
    &[
        "namespace",
        "context",
        "cluster",
        "kubeconfig",
        "server",
        "user",
        "token",
        "as",
        "as-group",
        "as-uid",
        "cache-dir",
        "certificate-authority",
        "client-certificate",
        "client-key",
        "request-timeout",
        "tls-server-name",
        "v",
        "log-flush-frequency",
        "password",
        "username",
        "profile",
    ],
);

impl Walker<'_> {
    /// Containers and clusters.
    pub(super) fn container(&mut self, look: &mut Look, state: &mut State) -> bool {
        match look.name.as_str() {
            "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "finch" | "buildah" => {
                self.docker(look, state);
            }
            "kubectl" | "oc" | "k" | "microk8s.kubectl" | "k3s-kubectl" => self.kube(look, state),
            "lxc" | "incus" | "lxc-attach" | "multipass" | "adb" | "distrobox" | "toolbox" | "heroku" | "fly"
            | "flyctl" | "gcloud" | "minikube" | "colima" | "limactl" | "nomad" | "fleetctl" | "crictl" | "ctr"
            | "railway" | "eb" | "doctl" | "az" => {
                self.remote_words(look, state);
            }
            "vagrant" => {
                let place = look.args.iter().position(|arg| matches!(arg.text.as_str(), "-c" | "--command"));
                if let Some(code) = place.and_then(|at| look.args.get(at + 1)).cloned() {
                    self.ask("remote shell", "the command runs on another machine");
                    self.denied_in_code(&code.text, &Flow::Nothing, state);
                }
                if look.text(1) == "plugin" && matches!(look.text(2), "install" | "uninstall" | "update") {
                    self.deny("package install", "installs or removes a plug-in");
                }
                look.set_head(&[1]);
            }
            _ => return false,
        }
        true
    }

    fn docker(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&GLOBAL);
        let is_elsewhere = |value: &Arg| {
            value.is_dynamic
                || !["unix:///var/run/docker.sock", "unix:///run/docker.sock"].contains(&value.text.as_str())
        };
        if parsed.values('H', "host").iter().any(is_elsewhere) {
            self.ask("another machine", "acts on another machine");
        }
        if parsed.options.iter().any(|option| option.is_long && option.name == "config") {
            self.ask("another configuration", "the configuration names helpers and plug-ins that are run");
        }
        let Some(first) = parsed.operands.first().copied() else { return };
        let mut places = vec![first];
        let mut verb = look.text(first).to_owned();
        let mut at = first;
        if matches!(
            verb.as_str(),
            "container"
                | "image"
                | "volume"
                | "network"
                | "system"
                | "compose"
                | "builder"
                | "buildx"
                | "context"
                | "plugin"
                | "stack"
                | "swarm"
                | "service"
                | "node"
                | "secret"
                | "config"
                | "machine"
                | "manifest"
                | "trust"
                | "pod"
        ) {
            let rest: Vec<Arg> = look.from(first);
            let inside = parse(&rest, &GLOBAL);
            if let Some(next) = inside.operands.first().map(|at| at + first) {
                places.push(next);
                at = next;
                if verb == "plugin" && matches!(look.text(next), "install" | "rm" | "enable" | "upgrade" | "remove") {
                    self.deny("package install", "installs or removes a plug-in");
                }
                look.text(next).clone_into(&mut verb);
            }
        }
        look.set_head(&places);
        match verb.as_str() {
            "run" | "create" | "exec" => {
                let words = look.from(at);
                let inside = parse(&words, &RUN);
                self.container_options(look, at, &inside, state);
                let mut operands = inside.operands.iter().filter_map(|at| words.get(*at)).cloned();
                operands.next();
                let command: Vec<Arg> = operands.collect();
                if !command.is_empty() {
                    look.executes(&crate::arg::line(&command));
                    self.denied_inside(command.clone(), &look.stdin.clone(), state);
                }
                if let Some(entry) = inside.values('\0', "entrypoint").pop() {
                    let whole: Vec<Arg> = std::iter::once(entry).chain(command).collect();
                    self.denied_inside(whole, &look.stdin.clone(), state);
                }
                if verb == "exec" {
                    // What runs inside has to be spelled.
                    for place in at + 1..look.args.len() {
                        if !look.text(place).starts_with('-') {
                            look.must_spell(place);
                        }
                    }
                }
            }
            "build" | "bake" | "buildx" => {
                let words = look.from(at);
                let inside = parse(
                    &words,
                    &Grammar::new(
                        "ftomc",
                        &[
                            "file",
                            "tag",
                            "output",
                            "build-arg",
                            "target",
                            "platform",
                            "secret",
                            "ssh",
                            "label",
                            "iidfile",
                            "metadata-file",
                            "cache-from",
                            "cache-to",
                            "network",
                            "allow",
                            "add-host",
                            "builder",
                            "progress",
                        ],
                    ),
                );
                for value in [inside.values('\0', "iidfile"), inside.values('\0', "metadata-file")].concat() {
                    self.writes_aside(look, &value, state);
                }
                for value in inside.values('o', "output") {
                    let named = value.text.split(',').find_map(|part| part.strip_prefix("dest="));
                    let target = named.map_or_else(|| value.clone(), Arg::literal);
                    if named.is_some() || !value.text.contains('=') {
                        self.writes_aside(look, &target, state);
                    }
                }
                for option in inside.options.iter().filter(|option| option.is_long && option.name == "push") {
                    look.must_spell(at + option.at);
                }
            }
            "cp" => {
                if let Some(last) = look.args.last().cloned()
                    && !last.text.contains(':')
                {
                    self.writes_purposely(look, &last, state);
                }
            }
            "save" | "export" => self.option_writes(look, "o", &["output"], state),
            "rm" | "rmi" | "prune" | "kill" | "stop" | "down" | "remove" | "delete" | "leave" => {
                look.must_spell(at);
            }
            "push" | "login" | "logout" | "trust" | "context" => look.must_spell(at),
            _ => {}
        }
    }

    fn container_options(&mut self, look: &mut Look, from: usize, inside: &crate::options::Parsed, state: &State) {
        let _ = from;
        for option in &inside.options {
            let value = option.value.as_ref().map(|value| value.text.clone()).unwrap_or_default();
            let name = option.name.as_str();
            let opens = option.is_long
                && (name == "privileged"
                    || name == "device"
                    || name == "cap-add"
                    || name == "security-opt"
                    || name == "volumes-from")
                || matches!(name, "pid" | "net" | "network" | "ipc" | "uts" | "userns" | "cgroupns")
                    && (value == "host" || value.starts_with("container:"));
            if opens {
                self.ask("opens the machine", format!("the option `--{name}` opens this machine to the container"));
            }
            let mounted = match name {
                "v" | "volume" => value.split(':').next().map(str::to_owned),
                "mount" => value
                    .split(',')
                    .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
                    .map(str::to_owned),
                _ => None,
            };
            if let Some(source) = mounted
                && (source.starts_with(['/', '.', '~']) || source.contains(crate::arg::UNKNOWN))
            {
                let (path, is_anchored) = crate::path::resolve(&source, state.folder.as_deref(), self.context);
                let work = self.context.working_folder.clone().unwrap_or_default();
                let is_inside =
                    is_anchored && (path == work || path.starts_with(&format!("{}/", work.trim_end_matches('/'))));
                if !is_inside || source.contains(crate::arg::UNKNOWN) {
                    self.ask(
                        "opens the machine",
                        format!(
                            "the folder `{}` outside of the work would be open to the container",
                            source.replace(crate::arg::UNKNOWN, "…")
                        ),
                    );
                }
            }
        }
        let _ = look;
    }

    fn kube(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&KUBE);
        // The configuration of a cluster may name a program that gives the credentials.
        let names_settings = look.args.iter().any(|arg| {
            arg.text.starts_with("--kubeconfig") || arg.text.len() > 7 && "--kubeconfig".starts_with(&arg.text)
        });
        if names_settings {
            self.ask("another configuration", "the configuration names programs that are run");
        }
        let Some(at) = parsed.operands.first().copied() else { return };
        let verb = look.text(at).to_owned();
        let mut places = vec![at];
        if matches!(
            verb.as_str(),
            "rollout"
                | "config"
                | "create"
                | "set"
                | "auth"
                | "top"
                | "apply"
                | "krew"
                | "plugin"
                | "adm"
                | "certificate"
        ) && let Some(next) = (at + 1..look.args.len()).find(|next| !look.text(*next).starts_with('-'))
        {
            places.push(next);
            if verb == "krew" && matches!(look.text(next), "install" | "uninstall" | "upgrade" | "update") {
                self.deny("package install", "installs or removes a plug-in");
            }
        }
        look.set_head(&places);
        if verb == "config" && places.get(1).is_some_and(|next| look.text(*next).starts_with("set")) {
            self.ask("changes settings", "changes the configuration of clusters, which names programs that are run");
        }
        if matches!(verb.as_str(), "exec" | "run" | "debug" | "attach" | "rsh") {
            look.must_spell(at);
            let end = look.args.iter().position(|arg| arg.text == "--").map(|at| at + 1);
            let command = match end {
                Some(from) => look.from(from),
                None => look.from(at + 2).into_iter().skip_while(|arg| arg.text.starts_with('-')).collect(),
            };
            if !command.is_empty() {
                look.executes(&crate::arg::line(&command));
                self.denied_inside(command, &look.stdin.clone(), state);
            }
            for place in at + 1..look.args.len() {
                look.must_spell(place);
            }
        }
        if verb == "cp"
            && let Some(last) = look.args.last().cloned()
            && !last.text.contains(':')
        {
            self.writes_purposely(look, &last, state);
        }
        let changes = matches!(
            verb.as_str(),
            "delete"
                | "drain"
                | "cordon"
                | "uncordon"
                | "taint"
                | "replace"
                | "patch"
                | "edit"
                | "apply"
                | "create"
                | "scale"
                | "autoscale"
                | "expose"
                | "cp"
                | "proxy"
                | "port-forward"
        );
        let rolls = verb == "rollout"
            && places.get(1).is_some_and(|next| matches!(look.text(*next), "undo" | "restart" | "pause" | "resume"));
        if changes || rolls {
            look.must_spell(at);
        }
    }

    /// Tools that carry a command to another machine in their last words.
    fn remote_words(&mut self, look: &mut Look, state: &State) {
        let clouds = Grammar::new(
            "go",
            &[
                "project",
                "account",
                "format",
                "configuration",
                "zone",
                "region",
                "output",
                "query",
                "subscription",
                "resource-group",
                "verbosity",
            ],
        );
        let verbs: Vec<usize> = if matches!(look.name.as_str(), "gcloud" | "az") {
            look.parse(&clouds).operands.into_iter().take(3).collect()
        } else {
            (1..look.args.len()).filter(|at| !look.text(*at).starts_with('-')).take(3).collect()
        };
        let is_remote = look.name == "lxc-attach"
            || verbs.iter().any(|at| {
                matches!(
                    look.text(*at),
                    "exec" | "shell" | "ssh" | "run" | "enter" | "run:detached" | "ssh-command" | "console" | "task"
                )
            });
        if matches!(look.name.as_str(), "gcloud" | "az") && verbs.iter().any(|at| look.text(*at) == "storage") {
            look.out = Some(Flow::Network);
        }
        let takes = if matches!(look.name.as_str(), "gcloud" | "az") { 3 } else { 1 };
        let head: Vec<usize> = verbs.iter().copied().take(takes).collect();
        look.set_head(&head);
        if look.name == "adb" && matches!(look.text(1), "reboot" | "root") {
            self.ask("another machine", "changes the state of a device");
        }
        if !is_remote {
            return;
        }
        self.ask("remote shell", format!("`{}` runs commands somewhere else", look.name));
        for at in 1..look.args.len() {
            let text = look.text(at).to_owned();
            let code = text.strip_prefix("--command=").unwrap_or(&text).to_owned();
            if code.contains(' ') {
                self.denied_in_code(&code, &Flow::Nothing, state);
            }
            let is_start =
                text == "--" || matches!(text.as_str(), "shell" | "exec" | "-C" | "-c" | "-e" | "run" | "--command");
            if is_start {
                for from in at + 1..(at + 4).min(look.args.len()) {
                    let words = look.args.iter().skip(from).take(64).cloned().collect();
                    self.denied_inside(words, &Flow::Nothing, state);
                }
            }
            if self.budget.is_spent() {
                break;
            }
        }
    }
}
