//! What each verb does.

mod approvals;
mod audit;
mod config;
mod doctor;
mod frame;
mod guard;
mod hook;
mod import;
mod keys;
mod keys_wizard;
mod library;
mod maintenance;
mod pipelines;
mod policy;
mod preflight;
mod providers;
mod quotas;
mod refresh;
mod response;
mod run;
mod savings;
mod scrub;
mod status;
mod telemetry;
mod telemetry_check;
mod tiers;
mod timers;
mod worker;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;

use crate::args::{Command, ConfigVerb};
use crate::output::Output;

/// Runs a verb. Gives the exit code of a verb that did what it was asked.
///
/// # Errors
/// What went wrong and the way out.
pub async fn run(command: Command, output: Output) -> Result<u8, Failure> {
    match command {
        Command::Run(args) => run::run(&args, output).await,
        Command::Plan(args) => run::plan(&args, output).await,
        Command::Resume { plan_token } => run::resume(plan_token, output).await,
        Command::Result { plan_id } => run::result(plan_id, output).await,
        Command::Status(args) => status::status(&args, output).await,
        Command::Stop => status::stop(output).await,
        Command::Providers => providers::providers(output).await,
        Command::Models { provider } => providers::models(provider, output).await,
        Command::Keys { verb } => keys::keys(verb, output).await,
        Command::Approvals { verb } => approvals::approvals(verb, output).await,
        Command::Telemetry(args) => telemetry::telemetry(args, output).await,
        Command::Tiers { limit } => tiers::tiers(limit, output).await,
        Command::Refresh(args) => refresh::refresh(args, output).await,
        Command::Quotas { refresh } => quotas::quotas(refresh, output).await,
        Command::Pipelines(args) => pipelines::pipelines(args, output).await,
        Command::Doctor { probe } => doctor::doctor(probe, output).await,
        Command::Audit { verb } => audit::audit(verb, output).await,
        Command::Config { verb: ConfigVerb::Check } => config::check(output).await,
        Command::Config { verb } => config::config(verb, output).await,
        // A tool that is not there is a lack of something that can serve, and not a slip in the command.
        Command::Library { verb } => match library::library(verb, output).await {
            Err(failure) if failure.code == ErrorCode::NotFound => {
                let _names_another_code = output.fail(&failure);
                Ok(ErrorCode::NoRoute.exit_code())
            }
            outcome => outcome,
        },
        Command::Import(args) => import::import(&args, output).await,
        Command::Worker { verb } => worker::worker(verb, output).await,
        Command::Scrub(args) => scrub::scrub(&args, output),
        Command::Policy { verb } => policy::policy(&verb, output),
        Command::Guard { verb } => guard::guard(&verb, output),
        Command::Hook { verb } => hook::hook(verb, output).await,
        Command::Savings(args) => savings::savings(args, output).await,
        Command::Maintenance(args) => maintenance::maintenance(&args, output).await,
        Command::Timers { verb } => timers::timers(verb, output).await,
        // Served before a face exists.
        Command::Host(_) => Ok(0),
    }
}
