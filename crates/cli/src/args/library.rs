//! The options of `lwa library`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// What to do with the tool library.
#[derive(Debug, Subcommand)]
pub enum LibraryVerb {
    /// Lists the tools, newest change first.
    List {
        /// Only those of this status: draft, active, disabled or archived.
        #[arg(long)]
        status: Option<String>,
    },
    /// Finds tools by words.
    Search {
        /// What to look for.
        query: String,
        /// The task at hand; tools of this task come first.
        #[arg(long)]
        task: Option<String>,
        /// How many at most.
        #[arg(long, default_value_t = 10)]
        limit: u32,
        /// Finds drafts, disabled and archived tools too.
        #[arg(long)]
        include_inactive: bool,
    },
    /// Shows everything about one tool.
    Show {
        /// Its slug.
        slug: String,
    },
    /// Runs a tool on an input.
    Run(LibraryRunArgs),
    /// Makes a recipe.
    Create(LibraryCreateArgs),
    /// Puts a Python script into the library, as a draft.
    Register(LibraryRegisterArgs),
    /// Counts one run of a named workflow.
    Observe(LibraryObserveArgs),
    /// Makes recipes of work that repeats.
    Analyze {
        /// How many patterns to look at, the most frequent first.
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Asks you to put a tool into use; a script's present content is what you approve.
    Approve {
        /// Its slug.
        slug: String,
    },
    /// Takes a tool out of use; its files stay.
    Disable {
        /// Its slug.
        slug: String,
    },
    /// Puts a tool away; its files stay.
    Archive {
        /// Its slug.
        slug: String,
    },
    /// Removes a tool with its files and its history, for good.
    Delete {
        /// Its slug.
        slug: String,
        /// Does it.
        #[arg(long)]
        yes: bool,
    },
    /// Lists every content that a tool had.
    History {
        /// Its slug.
        slug: String,
    },
    /// Puts right what is out of step, and writes catalogue and pages anew.
    #[command(alias = "catalog")]
    Rebuild,
    /// Shows where the library is, what is in it, and which work repeats.
    Status,
}

/// Options of `lwa library run`.
#[derive(Debug, ClapArgs)]
pub struct LibraryRunArgs {
    /// The tool's slug.
    pub slug: String,
    /// The input; `-` reads it from stdin.
    #[arg(long)]
    pub input: String,
    /// economy, balanced or high.
    #[arg(long)]
    pub quality: Option<String>,
    /// instant, medium or high.
    #[arg(long)]
    pub reasoning_effort: Option<String>,
    /// Tokens the answer may have.
    #[arg(long)]
    pub max_output_tokens: Option<u32>,
    /// Lets paid routes be considered; consents to nothing.
    #[arg(long)]
    pub allow_paid: bool,
    /// Lets routes that your own subscription pays be considered; consents to nothing.
    #[arg(long)]
    pub allow_user_pays: bool,
    /// Does not wait for consent: ends with exit code 4 when it is needed.
    #[arg(long)]
    pub no_wait: bool,
}

/// What every new tool says about itself.
#[derive(Debug, ClapArgs)]
pub struct DescribedArgs {
    /// Its name.
    #[arg(long)]
    pub name: String,
    /// What it does, in a sentence.
    #[arg(long)]
    pub description: String,
    /// The kind of task.
    #[arg(long)]
    pub task: String,
    /// A word to find it by; may be given several times.
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// When to use it; may be given several times.
    #[arg(long = "trigger")]
    pub triggers: Vec<String>,
}

/// Options of `lwa library create`.
#[derive(Debug, ClapArgs)]
pub struct LibraryCreateArgs {
    /// What it is.
    #[command(flatten)]
    pub described: DescribedArgs,
    /// The text, with `{input}` where the input goes; `-` reads it from stdin.
    #[arg(long)]
    pub template: String,
    /// Makes a draft, which cannot be run yet.
    #[arg(long)]
    pub draft: bool,
}

/// Options of `lwa library register`.
#[derive(Debug, ClapArgs)]
pub struct LibraryRegisterArgs {
    /// The script.
    pub file: PathBuf,
    /// What it is.
    #[command(flatten)]
    pub described: DescribedArgs,
}

/// Options of `lwa library observe`.
#[derive(Debug, ClapArgs)]
pub struct LibraryObserveArgs {
    /// The workflow's name.
    #[arg(long)]
    pub name: String,
    /// What it does, in a sentence.
    #[arg(long)]
    pub description: String,
    /// The kind of task.
    #[arg(long)]
    pub task: String,
    /// An example of its input; it is looked at and not kept.
    #[arg(long, default_value = "")]
    pub sample: String,
    /// The project it belongs to.
    #[arg(long, default_value = "")]
    pub project: String,
    /// A word to find it by; may be given several times.
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// It did not go well.
    #[arg(long)]
    pub failed: bool,
}
