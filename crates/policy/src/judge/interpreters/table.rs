//! The interpreters with the options that hold code.

/// One interpreter.
pub(super) struct Interpreter {
    pub(super) names: &'static [&'static str],
    /// Short options whose value is code.
    pub(super) code: &'static str,
    /// Long ones.
    pub(super) code_long: &'static [&'static str],
    /// Other short options with a value.
    pub(super) values: &'static str,
    /// Other long ones.
    pub(super) long: &'static [&'static str],
    /// Short options whose value is a module to run.
    pub(super) module: &'static str,
    /// First words that are code in the next one.
    pub(super) code_verbs: &'static [&'static str],
    /// First words that run the file behind them.
    pub(super) run_verbs: &'static [&'static str],
}

const BASE: Interpreter = Interpreter {
    names: &[],
    code: "",
    code_long: &[],
    values: "",
    long: &[],
    module: "",
    code_verbs: &[],
    run_verbs: &[],
};

pub(super) static INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &[
            "python",
            "pypy",
            "py",
            "ipython",
            "bpython",
            "micropython",
            "jython",
            "graalpy",
            "pythonw",
            "ptpython",
        ],
        code: "c",
        values: "WXQ",
        long: &["check-hash-based-pycs"],
        module: "m",
        ..BASE
    },
    Interpreter { names: &["perl", "raku", "rakudo"], code: "eE", values: "IMmxFlD0C", ..BASE },
    Interpreter {
        names: &["ruby", "jruby", "irb", "truffleruby", "mruby", "rbx"],
        code: "e",
        values: "IrCFEKTWx",
        ..BASE
    },
    Interpreter {
        names: &["node", "nodejs", "iojs", "ts-node", "tsx", "zx", "coffee", "babel-node", "esr", "swc-node"],
        code: "ep",
        code_long: &["eval", "print", "import", "require", "loader", "experimental-loader"],
        values: "rC",
        long: &["conditions", "env-file", "title", "icu-data-dir", "inspect-port", "test-reporter"],
        ..BASE
    },
    Interpreter {
        names: &["deno"],
        code: "",
        code_long: &[],
        values: "cLr",
        long: &["config", "import-map", "lock", "cert", "seed", "location"],
        code_verbs: &["eval"],
        run_verbs: &["run", "test", "bench", "serve", "task", "compile", "repl"],
        ..BASE
    },
    Interpreter { names: &["php", "hhvm", "php-cgi"], code: "rBRE", code_long: &["run"], values: "cdfFSztg", ..BASE },
    Interpreter {
        names: &["lua", "luajit", "luau", "texlua", "fennel", "moon"],
        code: "e",
        code_long: &["eval"],
        values: "l",
        ..BASE
    },
    Interpreter {
        names: &["rscript", "r", "littler", "julia", "octave-cli"],
        code: "eE",
        code_long: &["eval", "print"],
        values: "fLJCHpt",
        long: &["file", "args", "load", "project", "threads", "sysimage"],
        ..BASE
    },
    Interpreter { names: &["expect", "tclsh", "wish", "itclsh", "jimsh"], code: "c", values: "fb", ..BASE },
    Interpreter {
        names: &[
            "groovy",
            "groovysh",
            "scala",
            "scala-cli",
            "kotlin",
            "kotlinc",
            "kscript",
            "jshell",
            "clojure",
            "clj",
            "bb",
            "lumo",
            "planck",
            "joker",
        ],
        code: "e",
        code_long: &["eval", "expression"],
        values: "cpMXAT",
        ..BASE
    },
    Interpreter {
        names: &[
            "ghci",
            "runghc",
            "runhaskell",
            "ghc",
            "ocaml",
            "utop",
            "sml",
            "poly",
            "swift",
            "swiftc",
            "elixir",
            "iex",
            "erl",
            "escript",
            "guile",
            "racket",
            "sbcl",
            "clisp",
            "ccl",
            "ecl",
            "chicken-csi",
            "csi",
            "gosh",
            "mit-scheme",
            "scheme",
            "janet",
            "crystal",
            "nim",
            "v",
            "zig",
            "io",
            "factor",
            "forth",
            "gforth",
            "swipl",
            "gprolog",
            "dart",
            "haxe",
            "cling",
            "tcc",
            "gambit",
            "newlisp",
            "arturo",
            "red",
            "rebol",
            "runroc",
        ],
        code: "eEsr",
        code_long: &["eval", "rpc-eval", "eval-string", "load", "expr", "noshell"],
        values: "lpSuf",
        ..BASE
    },
    Interpreter { names: &["pwsh", "powershell", "powershell_ise"], code: "", code_long: &[], ..BASE },
    Interpreter {
        names: &["gnuplot", "bpftrace", "dtrace", "stap", "csvsql", "gs", "ghostscript", "qalc", "pwntools"],
        code: "en",
        code_long: &["execute"],
        values: "pfcd",
        ..BASE
    },
];
