//! Shapes that hold in one folder: `make test` runs what the `Makefile` of its folder says, so a yes in one project says
//! nothing about another.

use crate::judge::base_name;

/// Programs that run code which lies in the folder where they start.
const RUNNERS: &[&str] = &[
    "act",
    "ansible-playbook",
    "ant",
    "ash",
    "bash",
    "bazel",
    "bazelisk",
    "buck",
    "bun",
    "bundle",
    "bundler",
    "cabal",
    "cargo",
    "cargo-nextest",
    "cmake",
    "composer",
    "conan",
    "crystal",
    "ctest",
    "dart",
    "dash",
    "deno",
    "docker-compose",
    "dotnet",
    "elixir",
    "esbuild",
    "eslint",
    "fish",
    "flutter",
    "gem",
    "gmake",
    "go",
    "gradle",
    "grunt",
    "gulp",
    "hatch",
    "invoke",
    "irb",
    "jest",
    "julia",
    "just",
    "ksh",
    "lein",
    "lua",
    "make",
    "mage",
    "meson",
    "mix",
    "mocha",
    "msbuild",
    "mvn",
    "mypy",
    "nim",
    "ninja",
    "node",
    "nose",
    "nox",
    "npm",
    "npx",
    "nx",
    "pdm",
    "perl",
    "php",
    "phpunit",
    "pip",
    "pip3",
    "pipenv",
    "pnpm",
    "podman-compose",
    "poetry",
    "pre-commit",
    "prettier",
    "py",
    "pylint",
    "pytest",
    "python",
    "python2",
    "python3",
    "rake",
    "rscript",
    "rspec",
    "ruby",
    "ruff",
    "sbt",
    "scons",
    "sh",
    "stack",
    "stylelint",
    "swift",
    "task",
    "tclsh",
    "terraform",
    "tofu",
    "tox",
    "ts-node",
    "tsc",
    "tsx",
    "turbo",
    "uv",
    "uvx",
    "vagrant",
    "vite",
    "vitest",
    "waf",
    "webpack",
    "xcodebuild",
    "yarn",
    "zig",
    "zsh",
];

/// The shape as it is remembered from a folder: bound to it where what it runs lies there. None when the folder cannot
/// be written into a list.
pub fn placed(shape: &str, folder: &str) -> Option<String> {
    if !runs_what_lies_here(shape) {
        return Some(shape.to_owned());
    }
    let is_writable = folder.starts_with('/') && !folder.contains('\'') && !folder.chars().any(char::is_control);
    is_writable.then(|| format!("in '{folder}': {shape}"))
}

/// Whether some word of a shape names a program or a script by its place in the folder, or a program that runs what it
/// finds there. Wrappers are not told apart from what they start: every word counts.
fn runs_what_lies_here(shape: &str) -> bool {
    if shape.starts_with('>') {
        return false;
    }
    let Ok(words) = crate::allow_list::words_of(shape) else { return true };
    let mut words = words.iter().skip_while(|word| is_assignment(word));
    let Some(program) = words.next() else { return false };
    let is_here = |word: &str| word.starts_with("./") || word.starts_with("../");
    let is_runner = |word: &str| {
        let name = base_name(word).trim_end_matches('*').to_lowercase();
        let plain = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
        RUNNERS.contains(&name.as_str()) || (!plain.is_empty() && RUNNERS.contains(&plain))
    };
    let by_path = program.contains('/') && !program.starts_with('/');
    let reads_here = [".", "source"].contains(&program.as_str());
    by_path
        || reads_here
        || is_here(program)
        || is_runner(program)
        || words.any(|word| is_here(word) || is_runner(word))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_the_folders_own_code_is_bound_to_the_folder() {
        for shape in [
            "./build.sh",
            "scripts/x --all",
            "make test",
            "cargo test*",
            "bash build.sh",
            "npm run build",
            "python3 -m x",
            "python3.12 x.py",
            "timeout 5 make test",
            "CI=1 make",
            "env A=1 ./x",
            "find . -exec ./x '{}' ';'",
            "Make*",
        ] {
            assert_eq!(placed(shape, "/srv/shop"), Some(format!("in '/srv/shop': {shape}")), "{shape}");
            assert_eq!(placed(shape, "/srv/it's"), None, "{shape}");
            assert_eq!(placed(shape, "shop"), None, "{shape}");
        }
        for shape in ["git log*", "git -C . log", "find .", "/opt/tool/run", "cat docs/*", "grep*", "> out.txt", "ls*"]
        {
            assert_eq!(placed(shape, "/srv/it's").as_deref(), Some(shape));
        }
    }
}
