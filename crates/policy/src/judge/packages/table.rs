//! The verbs of the package managers.

use crate::options::Grammar;

/// Words with bars between them.
#[derive(Clone, Copy)]
pub(super) struct Words(&'static str);

impl Words {
    /// Whether the word is one of them.
    pub(super) fn has(self, word: &str) -> bool {
        !word.is_empty() && self.0.split('|').any(|known| known == word)
    }

    /// Whether one of them starts with the word.
    fn has_longer(self, word: &str) -> bool {
        self.0.split('|').any(|known| known.starts_with(word))
    }
}

/// One package manager.
pub(super) struct Manager {
    pub(super) names: Words,
    pub(super) grammar: Grammar,
    /// Verbs that install, change or remove.
    pub(super) denied: Words,
    /// The same in two words.
    pub(super) denied_pairs: Words,
    /// Verbs with a second verb behind them.
    pub(super) nested: Words,
    /// Verbs that are anything else.
    pub(super) others: Words,
    /// Verbs that need the human whatever the list says.
    pub(super) asking: Words,
    /// Verbs that start a program that is there.
    pub(super) runs: Words,
    /// Options in front of that program.
    pub(super) run_grammar: Grammar,
    /// Verbs that fetch a program and start it.
    pub(super) remote: Words,
    /// Long options that set what is run.
    pub(super) risky: Words,
    /// Short ones.
    pub(super) risky_shorts: &'static str,
    /// Whether the program alone installs.
    pub(super) bare_installs: bool,
    /// Whether verbs may be shortened.
    pub(super) abbreviates: bool,
}

impl Manager {
    pub(super) fn is_denied(&self, verb: &str) -> bool {
        self.denied.has(verb)
            || self.abbreviates && verb.len() >= 3 && !self.others.has(verb) && self.denied.has_longer(verb)
    }
}

const NONE: Manager = Manager {
    names: Words(""),
    grammar: Grammar::new("", &[]),
    denied: Words(""),
    denied_pairs: Words(""),
    nested: Words(""),
    others: Words(""),
    asking: Words(""),
    runs: Words(""),
    run_grammar: Grammar::new("", &[]),
    remote: Words(""),
    risky: Words(""),
    risky_shorts: "",
    bare_installs: false,
    abbreviates: false,
};

const APT: Words = Words(
    "install|remove|purge|autoremove|autopurge|update|upgrade|full-upgrade|dist-upgrade|safe-upgrade|\
            reinstall|build-dep|dselect-upgrade|satisfy|edit-sources|markauto|unmarkauto|hold|unhold|\
            forbid-version",
);

const RPM: Words = Words(
    "install|in|remove|rm|erase|update|up|upgrade|dup|dist-upgrade|patch|downgrade|reinstall|\
            autoremove|distro-sync|distribution-synchronization|localinstall|localupdate|groupinstall|\
            groupremove|groupupdate|swap|builddep|build-dep|source-install|si|install-new-recommends|inr|\
            addrepo|ar|removerepo|rr|refresh|ref|upgrade-minimal|update-minimal|system-upgrade|\
            offline-upgrade|add-repo|verify-install|debuginfo-install|rebase|deploy|override",
);

const NPM_DENIED: Words = Words(
    "install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|add|ci|clean-install|ic|\
            install-clean|isntall-clean|install-test|it|install-ci-test|cit|update|up|upgrade|udpate|\
            uninstall|un|unlink|remove|rm|r|link|ln|rebuild|rb|dedupe|ddp|prune|install-links",
);

pub(super) static MANAGERS: &[Manager] = &[
    Manager {
        names: Words("apt|apt-get|aptitude|apt-fast|nala|pkcon|apt-rpm"),
        grammar: Grammar::new(
            "octaPu",
            &[
                "option",
                "config-file",
                "target-release",
                "default-release",
                "host-architecture",
                "build-profiles",
                "arch-only-for",
            ],
        ),
        denied: APT,
        others: Words(
            "list|search|show|policy|depends|rdepends|showsrc|changelog|download|source|clean|autoclean|\
            check|moo|versions|why|help|indextargets",
        ),
        risky: Words("option|config-file"),
        risky_shorts: "oc",
        ..NONE
    },
    Manager {
        names: Words("apt-mark"),
        denied: Words("hold|unhold|auto|manual|install|remove|purge"),
        others: Words("showauto|showmanual|showhold"),
        ..NONE
    },
    Manager {
        names: Words("apt-key"),
        denied: Words("add|del|delete|adv|update"),
        others: Words("list|export|finger"),
        ..NONE
    },
    Manager {
        names: Words("dnf|dnf5|yum|microdnf|zypper|tdnf|rpm-ostree|urpmi|yum-3"),
        grammar: Grammar::new(
            "cdeRxDr",
            &[
                "config",
                "setopt",
                "repo",
                "repoid",
                "enablerepo",
                "disablerepo",
                "enable-repo",
                "disable-repo",
                "releasever",
                "installroot",
                "forcearch",
                "exclude",
                "root",
                "reposd-dir",
                "cache-dir",
                "advisory",
                "bugfix",
                "color",
                "comment",
                "debuglevel",
                "errorlevel",
                "disableplugin",
                "enableplugin",
                "downloaddir",
                "destdir",
                "plus-repo",
                "plus-content",
                "userdata",
            ],
        ),
        denied: RPM,
        denied_pairs: Words(
            "group install|group remove|group upgrade|module install|module enable|module remove|\
            module disable|module reset|module update|history undo|history redo|history rollback|\
            copr enable|copr disable|copr remove|config-manager --add-repo|repository-packages install|\
            offline reboot|config-manager addrepo|config-manager setopt",
        ),
        others: Words(
            "list|search|se|info|if|repolist|lr|repos|check-update|list-updates|lu|provides|what-provides|wp|\
            whatprovides|repoquery|history|group|module|copr|config-manager|makecache|clean|deplist|check|\
            updateinfo|status|db|packages|pa|patches|products|patterns|help|download",
        ),
        ..NONE
    },
    Manager {
        names: Words("apk"),
        grammar: Grammar::new(
            "pXt",
            &["root", "repository", "arch", "keys-dir", "repositories-file", "virtual", "wait"],
        ),
        denied: Words("add|del|upgrade|fix|update"),
        others: Words("info|search|list|policy|audit|cache|fetch|verify|version|stats|dot|manifest"),
        ..NONE
    },
    Manager {
        names: Words("brew|linuxbrew"),
        denied: Words(
            "install|uninstall|remove|rm|upgrade|update|reinstall|tap|untap|link|unlink|ln|cleanup|\
            autoremove|bundle|pin|unpin|migrate|postinstall|switch|tap-new|update-reset",
        ),
        denied_pairs: Words("cask install|cask uninstall|cask upgrade"),
        others: Words(
            "list|ls|search|info|outdated|deps|uses|doctor|config|home|leaves|services|cask|desc|log|cat|\
            formulae|commands|shellenv|fetch|missing|options|audit",
        ),
        ..NONE
    },
    Manager {
        names: Words(
            "port|snap|flatpak|pkg|pkgin|opkg|eopkg|swupd|guix|winget|choco|scoop|mas|emaint|conary|\
            cards|nixpkg",
        ),
        grammar: Grammar::new("j", &["arch", "installation", "channel", "source", "id"]),
        denied: Words(
            "install|add|remove|delete|uninstall|upgrade|update|refresh|revert|enable|disable|switch|try|\
            selfupdate|autoremove|reinstall|in|rm|ur|it|up|import|remote-add|remote-delete|remote-modify|\
            mask|pin|override|repair|bundle-add|bundle-remove|pull|package|system|home|purchase|lucky|\
            full-upgrade|clean|set-install",
        ),
        others: Words(
            "list|search|info|find|run|ps|remotes|history|show|audit|query|which|outdated|status|services|\
            logs|known|version|connections|interfaces|changes|ls|config|depends|echo|contents|describe|\
            shell|build|environment",
        ),
        ..NONE
    },
    Manager {
        names: Words("pip|pipenv"),
        grammar: Grammar::new(
            "cretifd",
            &[
                "python",
                "log",
                "proxy",
                "retries",
                "timeout",
                "exists-action",
                "trusted-host",
                "cert",
                "client-cert",
                "cache-dir",
                "index-url",
                "extra-index-url",
                "find-links",
                "requirement",
                "constraint",
                "target",
                "prefix",
                "root",
                "src",
                "use-feature",
                "use-deprecated",
                "keyring-provider",
                "resume-retries",
            ],
        ),
        denied: Words("install|uninstall|update|upgrade|sync|lock|add|remove"),
        others: Words(
            "list|show|freeze|check|search|index|config|cache|debug|hash|inspect|completion|help|graph|\
            requirements|scripts|verify|run|shell",
        ),
        asking: Words("download|wheel|config set|config unset|config edit|shell"),
        runs: Words("run"),
        ..NONE
    },
    Manager {
        names: Words("pipx"),
        grammar: Grammar::new("", &["python", "spec", "index-url", "pip-args"]),
        denied: Words(
            "install|uninstall|upgrade|upgrade-all|upgrade-shared|reinstall|reinstall-all|uninstall-all|\
            inject|uninject|install-all|ensurepath|pin|unpin",
        ),
        others: Words("list|environment|completions|interpreter|runpip|help"),
        remote: Words("run"),
        ..NONE
    },
    Manager {
        names: Words("uv|rye|pdm|poetry|hatch|pixi|flit"),
        grammar: Grammar::new(
            "pCVi",
            &[
                "directory",
                "project",
                "config-file",
                "cache-dir",
                "color",
                "python",
                "allow-insecure-host",
                "index-url",
                "index",
                "manifest-path",
            ],
        ),
        denied: Words("add|remove|sync|install|update|upgrade|uninstall|global"),
        denied_pairs: Words(
            "pip install|pip uninstall|pip sync|tool install|tool uninstall|tool upgrade|tool update-shell|\
            python install|python uninstall|python upgrade|python pin|self update|self add|self remove|\
            self install|self upgrade|plugin add|plugin remove|source add|env remove|env use|toolchain fetch",
        ),
        nested: Words("pip|tool|tools|python|self|plugin|source|env|toolchain|cache|dep|config"),
        others: Words(
            "lock|tree|export|build|check|init|venv|version|help|show|list|search|new|about|fmt|test|lint|\
            info|format",
        ),
        asking: Words("publish|init|new|lock|venv|config|build|shell|fetch"),
        runs: Words("run"),
        run_grammar: Grammar::new(
            "pmCe",
            &[
                "python",
                "with",
                "with-editable",
                "with-requirements",
                "extra",
                "group",
                "only-group",
                "env-file",
                "package",
                "directory",
                "project",
                "index",
                "index-url",
                "script",
                "module",
                "env",
                "no-group",
                "python-platform",
            ],
        ),
        remote: Words("tool run|x"),
        risky: Words("config-file"),
        ..NONE
    },
    Manager {
        names: Words("conda|mamba|micromamba|anaconda"),
        grammar: Grammar::new("npcr", &["name", "prefix", "channel", "file", "rc-file", "root-prefix"]),
        denied: Words("install|remove|uninstall|update|upgrade|create|clean|init|self-update|rename"),
        denied_pairs: Words("env create|env update|env remove|self update"),
        others: Words("list|info|search|env|config|activate|deactivate|export|package|compare|repoquery|help|doctor"),
        asking: Words("config"),
        runs: Words("run"),
        run_grammar: Grammar::new("np", &["name", "prefix", "cwd"]),
        ..NONE
    },
    Manager {
        names: Words("npm|cnpm|npm-cli"),
        grammar: Grammar::new(
            "Cw",
            &[
                "prefix",
                "registry",
                "userconfig",
                "globalconfig",
                "cache",
                "loglevel",
                "workspace",
                "tag",
                "otp",
                "script-shell",
                "omit",
                "include",
                "depth",
                "location",
                "access",
                "node-options",
                "before",
                "auth-type",
                "viewer",
                "editor",
                "message",
                "scope",
                "init-module",
            ],
        )
        .flags(&["global"]),
        denied: NPM_DENIED,
        denied_pairs: Words("audit fix|cache clean|cache rm"),
        others: Words(
            "run|run-script|rum|urn|test|t|tst|start|stop|restart|ls|list|la|ll|view|v|info|show|outdated|\
            audit|fund|help|root|bin|prefix|search|s|se|find|whoami|ping|version|pack|query|explain|why|\
            docs|home|repo|bugs|issues|doctor|diff|completion|config|c|get|sbom|cache|help-search|ls-remote|\
            pkg|token|profile|stars|owner|team|org|dist-tag|access|hook|shrinkwrap",
        ),
        asking: Words(
            "publish|unpublish|deprecate|login|adduser|logout|token|owner|access|dist-tag|set|config set|\
            config edit|config delete|config rm|set-script|init|create|innit|edit|explore|pkg set|\
            pkg delete|profile set|star|org|team|hook",
        ),
        remote: Words("exec|x"),
        risky: Words("script-shell|userconfig|globalconfig|node-options|prefix|registry"),
        abbreviates: true,
        ..NONE
    },
    Manager {
        names: Words("pnpm|yarn|bun|yarnpkg|ni|nun|nup"),
        grammar: Grammar::new(
            "CF",
            &[
                "cwd",
                "dir",
                "filter",
                "filter-prod",
                "use-yarnrc",
                "registry",
                "modules-folder",
                "cache-folder",
                "reporter",
                "loglevel",
                "workspace-concurrency",
                "global-dir",
                "store-dir",
                "mutex",
                "network-timeout",
                "config",
                "preload",
                "require",
                "env-file",
            ],
        ),
        denied: Words(
            "add|install|i|a|remove|rm|uninstall|un|upgrade|up|update|upgrade-interactive|link|ln|unlink|\
            import|fetch|rebuild|rb|prune|dedupe|install-test|it|self-update|setup|patch-commit|policies|\
            unplug|ci|clean-install",
        ),
        denied_pairs: Words(
            "global add|global remove|global upgrade|set version|plugin import|plugin remove|env use|env add|\
            env remove|audit fix|store prune|cache clean|pm trust|workspaces focus",
        ),
        nested: Words("global|plugin|workspace|env|pm"),
        others: Words(
            "run|run-script|test|t|start|stop|build|lint|format|typecheck|dev|serve|list|ls|la|ll|why|info|\
            outdated|audit|licenses|workspaces|config|cache|versions|version|help|root|bin|check|node|store|\
            pack|set|exec|recursive|m|multi|pm|repl|npm|constraints|search|unlink-all",
        ),
        asking: Words("publish|login|logout|create|init|config set|tag|owner|team|node|deploy|repl|patch|set"),
        runs: Words("exec"),
        run_grammar: Grammar::new("cF", &["filter"]),
        remote: Words("dlx|x"),
        risky: Words("use-yarnrc|config|preload|require|modules-folder|registry"),
        bare_installs: true,
        ..NONE
    },
    Manager {
        names: Words("cargo"),
        grammar: Grammar::new(
            "CZjpF",
            &[
                "color",
                "config",
                "manifest-path",
                "target",
                "target-dir",
                "package",
                "features",
                "jobs",
                "profile",
                "bin",
                "example",
                "test",
                "bench",
                "exclude",
                "message-format",
                "lockfile-path",
                "registry",
                "index",
                "root",
                "version",
                "artifact-dir",
                "out-dir",
            ],
        ),
        denied: Words("install|uninstall|add|remove|rm|update|upgrade|binstall|install-update|quickinstall"),
        denied_pairs: Words("generate install"),
        others: Words(
            "build|b|check|c|test|t|run|r|clippy|fmt|doc|d|rustdoc|clean|bench|tree|metadata|search|info|fix|\
            new|init|package|vendor|fetch|generate-lockfile|nextest|expand|audit|deny|llvm-cov|insta|miri|\
            machete|outdated|udeps|watch|help|locate-project|pkgid|read-manifest|verify-project|version|\
            report|rustc|hack|tarpaulin|xtask|criterion|geiger|bloat|flamegraph|semver-checks|config|sort|\
            make|leptos|tauri",
        ),
        asking: Words("publish|login|logout|owner|yank|fix|new|init|watch"),
        risky: Words("config|artifact-dir|out-dir"),
        ..NONE
    },
    Manager {
        names: Words("go"),
        grammar: Grammar::new("C", &[]),
        denied: Words("get|install"),
        denied_pairs: Words("mod edit|work use|telemetry on|mod init"),
        others: Words("build|test|run|vet|fmt|list|doc|env|version|mod|work|clean|generate|tool|help|bug|fix"),
        asking: Words("generate|tool|clean|fix|env -w|env -u"),
        ..NONE
    },
    Manager {
        names: Words(
            "rustup|asdf|mise|rtx|volta|fnm|nvm|n|pyenv|rbenv|nodenv|goenv|jenv|sdk|ghcup|opam|juliaup|\
            corepack|proto|jabba|gvm|rvm|elan|tfenv|chruby|vfox",
        ),
        grammar: Grammar::new("C", &["toolchain", "profile", "default-toolchain"]),
        denied: Words(
            "install|i|uninstall|update|upgrade|remove|add|self-update|prepare|enable|disable|hydrate|use|\
            default|pin|fetch|implode|plugin-add|plugin-remove|u|unuse|plugin|set|migrate|link|unlink|\
            local-set|global|override",
        ),
        denied_pairs: Words(
            "toolchain install|toolchain uninstall|toolchain link|target add|target remove|component add|\
            component remove|self update|self uninstall|plugins install|plugin add|plugin install|\
            plugin remove|override set|switch create|switch remove",
        ),
        nested: Words("toolchain|target|component|self|plugins|switch"),
        run_grammar: Grammar::new("c", &["using", "node", "npm", "yarn", "pnpm", "command", "switch"]),
        others: Words(
            "show|list|ls|check|which|where|current|doc|versions|version|latest|help|completions|info|shims|\
            reshim|rehash|ls-remote|run|exec|x|whence|root|prefix|env|config|tasks|doctor",
        ),
        runs: Words("exec|run|x"),
        ..NONE
    },
    Manager {
        names: Words(
            "gem|luarocks|cabal|stack|vcpkg|conan|nuget|pear|pecl|tlmgr|krew|apm|vsce|raco|cs|\
            coursier|nimble|shards|dub|spack|rebar3|hex|carthage|pod|mint|bower|jspm|\
            ansible-galaxy|pub|zef|clib|eask|cask|elm|spago|fisher|\
            omf|zinit|antigen",
        ),
        grammar: Grammar::new("", &["config-file", "platform", "source", "version"]),
        denied: Words(
            "install|i|uninstall|remove|update|upgrade|add|cleanup|pristine|fetch-deps|in|un|up|get|get-deps|\
            unpack|setup|restore|make-install|integrate|bootstrap|selfupdate",
        ),
        denied_pairs: Words(
            "pkg install|pkg remove|pkg update|collection install|role install|module install|repo update",
        ),
        nested: Words("pkg|collection|role|module|repo"),
        others: Words(
            "list|search|info|show|query|build|test|run|exec|check|version|help|env|contents|specification|\
            outdated|repl|freeze|init|new|format|sources|signin|which",
        ),
        asking: Words("push|publish|signin|owner|yank|init|new|exec|upload|repl"),
        ..NONE
    },
    Manager {
        names: Words("bundle|bundler|composer"),
        grammar: Grammar::new("dw", &["gemfile", "path", "working-dir", "jobs"]),
        denied: Words(
            "install|update|add|remove|require|create-project|self-update|selfupdate|i|u|r|clean|lock|\
            pristine|reinstall|upgrade|inject|cache|package|bump",
        ),
        denied_pairs: Words("global require|global install|global update|global remove|plugin install"),
        nested: Words("global|plugin"),
        others: Words(
            "show|list|info|check|outdated|exec|config|doctor|env|help|platform|viz|open|validate|why|\
            licenses|depends|diagnose|search|run-script|run|test|dump-autoload|status|fund|audit",
        ),
        asking: Words("config|console|gem|init|open"),
        runs: Words("exec"),
        bare_installs: true,
        ..NONE
    },
    Manager {
        names: Words("dotnet"),
        denied: Words("restore-tools|install|add|remove"),
        denied_pairs: Words(
            "tool install|tool uninstall|tool update|tool restore|workload install|workload update|\
            workload uninstall|workload restore|nuget add|nuget push|nuget delete|new install|new uninstall|\
            add package|remove package|package add|package remove|package update",
        ),
        nested: Words("tool|workload|nuget|new|package"),
        others: Words("build|test|run|restore|publish|pack|clean|list|sln|format|watch|msbuild|vstest|help"),
        asking: Words("exec|script|restore|publish"),
        ..NONE
    },
    Manager {
        names: Words("mix|lein|sbt|flutter|jupyter"),
        denied: Words(
            "deps.get|deps.update|deps.clean|local.hex|local.rebar|archive.install|archive.uninstall|\
            escript.install|deps.compile-all|upgrade|install|uninstall",
        ),
        denied_pairs: Words(
            "pub get|pub add|pub remove|pub upgrade|pub global|pub downgrade|package update|\
            package add-dependency|package resolve|labextension install|labextension uninstall|\
            nbextension install|serverextension enable|packages get",
        ),
        nested: Words("pub|package|labextension|nbextension|serverextension|packages"),
        ..NONE
    },
    Manager {
        names: Words("nix|home-manager|devbox|flox|devenv"),
        grammar: Grammar::new(
            "If",
            &["option", "include", "expr", "file", "extra-experimental-features", "experimental-features"],
        ),
        denied: Words("install|upgrade-nix|switch|add|rm|remove|update|upgrade|uninstall|pull"),
        denied_pairs: Words(
            "profile install|profile add|profile remove|profile upgrade|profile rollback|\
            profile wipe-history|channel add|registry add|store gc|store delete|flake update|global add",
        ),
        nested: Words("profile|channel|registry|store|flake|global"),
        others: Words(
            "build|eval|search|log|show-config|why-depends|path-info|repl|fmt|hash|derivation|edit|list|info|\
            generations|news",
        ),
        asking: Words("eval|build|repl|copy|bundle|edit|print-dev-env"),
        remote: Words("run|shell|develop"),
        ..NONE
    },
    Manager { names: Words("nix-channel"), denied: Words("--add|--update|--remove|--rollback"), ..NONE },
];
