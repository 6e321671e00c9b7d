//! `run.py` of a recipe: the recipe as a program, for people and for other programs.

use crate::slug::Slug;

/// The program's text. It needs nothing but Python itself and the command `lwa`.
pub(crate) fn text(slug: &Slug) -> String {
    format!(
        r#"#!/usr/bin/env python3
"""Runs the library recipe "{slug}" on a text.

Give the text as arguments, or on standard input.
"""
import subprocess
import sys


def main():
    text = " ".join(sys.argv[1:])
    if not sys.argv[1:]:
        text = sys.stdin.read()
    text = text.strip()
    if not text:
        print("give the text as arguments or on standard input", file=sys.stderr)
        return 2
    command = ["lwa", "library", "run", "{slug}", "--input", "-"]
    try:
        return subprocess.run(command, input=text.encode("utf-8", "surrogateescape")).returncode
    except FileNotFoundError:
        print("the command `lwa` is not on the search path", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main())
"#
    )
}
