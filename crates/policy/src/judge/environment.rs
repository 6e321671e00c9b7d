//! Assignments: which variables change what later programs run, load or obey.

use super::Walker;
use crate::arg::{Arg, Flow, UNKNOWN};
use crate::walk::state::State;

/// Variables that start, load or redirect.
const UNSAFE: &[&str] = &[
    "PATH",
    "IFS",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_LOADABLES_PATH",
    "GLOBIGNORE",
    "CDPATH",
    "SHELL",
    "HOME",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "TMP",
    "TEMP",
    "USER_ZDOTDIR",
    "ZDOTDIR",
    "FPATH",
    "HISTFILE",
    "INPUTRC",
    "MAILCHECK",
    "MAIL",
    "MAILPATH",
    "FCEDIT",
    "EXECIGNORE",
    "BASH_XTRACEFD",
    "TIMEFORMAT_CMD",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "LESS",
    "MORE",
    "MANPAGER",
    "MANOPT",
    "MANROFFOPT",
    "LESSKEY",
    "LESSKEYIN",
    "LESSEDIT",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PERL5DB",
    "PERL5SHELL",
    "RUBYLIB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "JAVA_HOME",
    "MAVEN_OPTS",
    "MAVEN_ARGS",
    "GRADLE_OPTS",
    "JAVA_OPTS",
    "SBT_OPTS",
    "ANT_OPTS",
    "ANT_ARGS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "NM",
    "RANLIB",
    "STRIP",
    "FC",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "CPPFLAGS",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "MAKE",
    "MAKEFLAGS",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKEFILES",
    "MAKEOVERRIDES",
    "GOFLAGS",
    "GOPROXY",
    "GOROOT",
    "GOTOOLDIR",
    "GOTOOLCHAIN",
    "GONOSUMDB",
    "GOENV",
    "GOPATH",
    "GOBIN",
    "GONOSUMCHECK",
    "GOSUMDB",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SSH_AUTH_SOCK",
    "RSYNC_RSH",
    "RSYNC_CONNECT_PROG",
    "CVS_RSH",
    "SVN_SSH",
    "SVN_EDITOR",
    "HGEDITOR",
    "HGMERGE",
    "HGRCPATH",
    "BZR_EDITOR",
    "TAR_OPTIONS",
    "TAPE",
    "RSH",
    "GREP_OPTIONS",
    "ZIPOPT",
    "ZIP",
    "UNZIP",
    "UNZIPOPT",
    "GZIP",
    "BZIP",
    "XZ_OPT",
    "XZ_DEFAULTS",
    "ZSTD_CLEVEL_FILE",
    "RIPGREP_CONFIG_PATH",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "BAT_CONFIG_PATH",
    "BAT_PAGER",
    "BAT_OPTS",
    "CURL_HOME",
    "WGETRC",
    "SYSTEM_WGETRC",
    "NETRC",
    "KUBECONFIG",
    "KUBE_EDITOR",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_ENDPOINT_URL",
    "BOTO_CONFIG",
    "CLOUDSDK_CONFIG",
    "ANSIBLE_CONFIG",
    "TERM_PROGRAM",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TERMCAP",
    "TERMPATH",
    "DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "XDG_RUNTIME_DIR",
    "XDG_CACHE_HOME",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "LOCALDOMAIN",
    "GETCONF_DIR",
    "MALLOC_TRACE",
    "NIS_PATH",
    "RES_OPTIONS",
    "TZDIR",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "SSLKEYLOGFILE",
    "VIMINIT",
    "EXINIT",
    "VIMRUNTIME",
    "VIM",
    "MYVIMRC",
    "EMACSLOADPATH",
    "GVIMINIT",
    "NVIM_APPNAME",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "R_PROFILE",
    "R_PROFILE_USER",
    "R_ENVIRON",
    "R_ENVIRON_USER",
    "JULIA_LOAD_PATH",
    "JULIA_DEPOT_PATH",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "ELIXIR_ERL_OPTIONS",
    "GUILE_LOAD_PATH",
    "TCLLIBPATH",
    "PSQLRC",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "PGSERVICEFILE",
    "PGPASSFILE",
    "MYSQL_HOME",
    "MYSQL_PS1",
    "SQLITE_HISTORY",
    "GDBINIT",
    "SYSTEMD_PAGER",
    "SYSTEMD_EDITOR",
    "SYSTEMD_LESS",
    "GNUPGHOME",
    "GPG_AGENT_INFO",
    "DEBUGINFOD_URLS",
    "QT_PLUGIN_PATH",
    "GTK_MODULES",
    "GTK_PATH",
    "GIO_EXTRA_MODULES",
    "LIBGL_DRIVERS_PATH",
    "AWKPATH",
    "AWKLIBPATH",
    "M4PATH",
    "MAGIC",
    "GH_CONFIG_DIR",
    "GH_PAGER",
    "GH_EDITOR",
    "GH_BROWSER",
    "GH_HOST",
    "GLAB_PAGER",
    "CARGO",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_DIST_SERVER",
    "SCCACHE_PATH",
    "CCACHE_PREFIX",
    "CCACHE_COMPILER",
    "CCACHE_CONFIGPATH",
    "CMAKE_TOOLCHAIN_FILE",
    "PKG_CONFIG",
    "PKG_CONFIG_PATH",
    "COMSPEC",
    "PATHEXT",
    "PSMODULEPATH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "FTP_PROXY",
    "RSYNC_PROXY",
    "LOGNAME_CMD",
    "POSIXLY_CORRECT",
    "TEXINPUTS",
    "BIBINPUTS",
    "TEXMFHOME",
    "DIRENV_CONFIG",
    "STARSHIP_CONFIG",
    "TMUX_TMPDIR",
    "SCREENRC",
    "SCREENDIR",
    "MPLCONFIGDIR",
    "BUNDLE_GEMFILE",
    "GEM_HOME",
    "GEM_PATH",
    "RAKEOPT",
    "RBENV_DIR",
    "PIPENV_PIPFILE",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDARC",
    "MISE_CONFIG_FILE",
    "RUFF_CONFIG",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "TOX_OVERRIDE",
    "ESLINT_USE_FLAT_CONFIG",
    "PRETTIER_CONFIG",
    "ELECTRON_RUN_AS_NODE",
    "CHROME_PATH",
    "PUPPETEER_EXECUTABLE_PATH",
];

/// Beginnings of such names.
const UNSAFE_STARTS: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "BASH_FUNC_",
    "PYTHON",
    "NPM_CONFIG_",
    "YARN_",
    "COREPACK_",
    "PNPM_",
    "PIP_",
    "UV_",
    "POETRY_",
    "CARGO_",
    "GLIBC_TUNABLES",
    "AFL_",
    "ASAN_OPTIONS",
    "HELM_",
    "TF_CLI_",
    "COMPOSER",
    "LUA_INIT_",
    "LUA_PATH_",
    "LUA_CPATH_",
    "CORECLR_",
    "DOTNET_STARTUP",
    "COMPLUS_",
    "SYSTEMD_",
    "CONDA_",
    "MISE_",
    "ASDF_",
    "DENO_",
    "BUN_",
    "NIX_",
    "PERL_",
];

/// Ends of such names.
const UNSAFE_ENDS: &[&str] = &[
    "_COMMAND",
    "_CMD",
    "_PAGER",
    "_EDITOR",
    "_PATH",
    "_OPTS",
    "_OPTIONS",
    "_WRAPPER",
    "_RUNNER",
    "_HOOK",
    "_SHELL",
    "_PRELOAD",
    "_ASKPASS",
    "_RSH",
    "_SSH",
    "_RC",
    "_CONFIG_FILE",
    "_PROG",
    "_PROGRAM",
    "_EXEC",
    "_BROWSER",
    "_PLUGINS",
    "_PLUGIN",
    "_INIT",
    "_LINKER",
    "_PROXY",
    "_STARTUP",
    "_COMPILER",
];

/// Of those, variables that set nothing of the kind.
const SAFE: &[&str] = &[
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONHASHSEED",
    "PYTHONNOUSERSITE",
    "PYTHONFAULTHANDLER",
    "PYTHONOPTIMIZE",
    "PYTHONWARNINGS_DEFAULT",
    "PYTHONDEVMODE",
    "PYTHONASYNCIODEBUG",
    "PYTHONSAFEPATH",
    "PYTHONTRACEMALLOC",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_MERGE_AUTOEDIT",
    "GIT_LFS_SKIP_SMUDGE",
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_BUILD_JOBS",
    "CARGO_PROFILE_DEV_DEBUG",
    "CARGO_TERM_PROGRESS_WHEN",
    "CARGO_TERM_VERBOSE",
    "CARGO_TERM_QUIET",
    "UV_OFFLINE",
    "UV_NO_PROGRESS",
    "UV_FROZEN",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_NO_INPUT",
    "DENO_NO_UPDATE_CHECK",
    "SYSTEMD_COLORS",
    "HELM_DEBUG",
    "NIX_SHELL_PRESERVE_PROMPT",
    "NO_PROXY",
    "SSH_CONNECTION",
];

/// Variables of which any value is a word and nothing else.
const PLAIN: &[&str] = &[
    "DATABASE_URL",
    "REDIS_URL",
    "BASE_URL",
    "API_URL",
    "TZ",
    "LANG",
    "LANGUAGE",
    "RUST_LOG",
    "PGHOST",
    "PGUSER",
    "PGDATABASE",
    "PGPORT",
    "BABEL_ENV",
    "APP_ENV",
];

/// Whether the variable changes what is run, loaded or obeyed.
pub(super) fn is_unsafe(name: &str) -> bool {
    let upper = name.to_uppercase();
    let upper = upper.as_str();
    if SAFE.contains(&upper) || PLAIN.contains(&upper) {
        return false;
    }
    UNSAFE.contains(&upper)
        || UNSAFE_STARTS.iter().any(|start| upper.starts_with(start))
        || UNSAFE_ENDS.iter().any(|end| upper.ends_with(end))
}

/// A pager or an editor that is switched off.
fn does_nothing(name: &str, value: &Arg) -> bool {
    let is_viewer = ["PAGER", "EDITOR", "VISUAL"].contains(&name)
        || name.ends_with("_PAGER")
        || name.ends_with("_EDITOR")
        || name == "MANPAGER";
    is_viewer && value.is_static() && matches!(value.text.as_str(), "" | "cat" | "true" | ":")
}

/// Flags of the compiler that only say what it warns about.
fn only_warns(name: &str, value: &Arg) -> bool {
    let mut words = value.text.split_whitespace();
    let mut is_plain = matches!(name, "RUSTFLAGS" | "RUSTDOCFLAGS") && value.is_static();
    while let Some(word) = words.next().filter(|_| is_plain) {
        let lint = match word {
            "-D" | "-W" | "-A" | "-F" | "--cap-lints" => words.next(),
            _ => ["-D", "-W", "-A", "-F"].iter().find_map(|flag| word.strip_prefix(flag)),
        };
        is_plain = lint.is_some_and(|lint| {
            !lint.is_empty() && lint.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-:".contains(&byte))
        });
    }
    is_plain
}

impl Walker<'_> {
    /// A variable that is set in front of a command or for all that follow.
    pub(crate) fn assignment_value(&mut self, name: &str, value: &Arg) {
        if value.is_fetched && is_unsafe(name) {
            self.ask("unsafe assignment", format!("`{name}` would hold fetched text"));
        }
        if does_nothing(name, value) || only_warns(name, value) {
            return;
        }
        if name == "CARGO_TARGET_DIR" && value.is_static() && !value.has_placeholder {
            // A folder for what is built: a write like another.
            let state = State { folder: self.context.working_folder.clone(), ..State::default() };
            self.write(value, &state);
            return;
        }
        if is_unsafe(name) {
            self.ask("unsafe assignment", format!("the variable `{name}` changes what programs run, load or obey"));
            // Its value may itself be a command line.
            let code = value.code.clone().unwrap_or_else(|| value.text.replace(UNKNOWN, "x"));
            if code.contains(' ') || code.starts_with('!') || code.starts_with('|') {
                let code = code.trim_start_matches(['!', '|', ' ']).to_owned();
                self.denied_in_code(&code, &Flow::Nothing, &State::default());
            }
            return;
        }
        let upper = name.to_uppercase();
        if PLAIN.contains(&upper.as_str()) || upper.starts_with("LC_") || SAFE.contains(&upper.as_str()) {
            return;
        }
        let looks_like_code = value.text.contains([';', '|', '&', '`', '$', '('])
            || value.text.starts_with('/') && value.text.contains(' ');
        if looks_like_code && !value.is_dynamic && value.text.starts_with('(') {
            self.ask("unsafe assignment", format!("the variable `{name}` would hold a function"));
        }
    }

    /// A variable that a built-in sets to something that is not seen.
    pub(crate) fn assignment_name(&mut self, name: &str) {
        if is_unsafe(name) || name.contains(UNKNOWN) {
            self.ask(
                "unsafe assignment",
                format!("the variable `{}` changes what programs run, load or obey", name.replace(UNKNOWN, "…")),
            );
        }
        if name.contains('[') && name.contains(['$', '`']) {
            self.ask("arithmetic", "an index is evaluated and may hold commands");
        }
    }
}
