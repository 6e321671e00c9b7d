//! Reading and changing tools.

use lwa_domain::ErrorCode;
use lwa_library::{
    Activation, Author, Library, LibraryError, Manifest, NewRecipe, NewScript, Slug, ToolKind, ToolStatus,
};
use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::library::{
    LibraryCounts, LibraryCreateParams, LibraryHistory, LibraryRebuilt, LibraryRegisterParams, LibraryStatus,
    LibraryTool, LibraryToolParams, LibraryToolView,
};
use serde_json::json;

use super::find::required_task;
use super::{count_of, of_finding, views};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::failure;

/// How many patterns the status lists.
const PATTERNS: u32 = 30;

impl Engine {
    /// `library/read`.
    ///
    /// # Errors
    /// There is none of this name, or its files cannot be read.
    pub async fn read_library_tool(&self, params: &LibraryToolParams) -> Result<LibraryToolView, Failure> {
        let name = params.slug.clone();
        let view = self.shelf("read", move |library| library.read(&library.find(&name)?.slug)).await?;
        Ok(LibraryToolView {
            tool: views::tool(&view.manifest),
            path: view.folder.display().to_string(),
            readme: view.page,
            manifest: view.description,
            content: view.content,
            content_id: view.content_id.to_string(),
        })
    }

    /// `library/create`.
    ///
    /// # Errors
    /// A field breaks a rule, or the folder cannot be used.
    pub async fn create_recipe(&self, caller: &Caller, params: LibraryCreateParams) -> Result<LibraryTool, Failure> {
        let recipe = NewRecipe {
            task: required_task(&params.task)?,
            name: params.name,
            description: params.description,
            template: params.prompt_template,
            tags: params.tags,
            triggers: params.triggers,
            activation: if params.activate { Activation::Active } else { Activation::Draft },
            author: Author::Operator,
            evidence: None,
        };
        // A call that is repeated because its answer was lost makes no second tool.
        let work = move |library: &Library| match library.get(&Slug::from_name(&recipe.name)) {
            Ok(present) if is_same(&present, &recipe) => Ok(present),
            _ => library.create_recipe(&recipe),
        };
        self.change_tool(caller, "library.created", work).await
    }

    /// `library/register_script`.
    ///
    /// # Errors
    /// A field breaks a rule, or the folder cannot be used.
    pub async fn register_script(
        &self,
        caller: &Caller,
        params: LibraryRegisterParams,
    ) -> Result<LibraryTool, Failure> {
        let script = NewScript {
            task: required_task(&params.task)?,
            name: params.name,
            description: params.description,
            source: params.source.into_bytes(),
            file_name: params.filename.unwrap_or_else(|| "tool.py".to_owned()),
            tags: params.tags,
            triggers: params.triggers,
        };
        self.change_tool(caller, "library.registered", move |library| library.register_script(&script)).await
    }

    /// `library/disable`.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub async fn disable_tool(&self, caller: &Caller, params: &LibraryToolParams) -> Result<LibraryTool, Failure> {
        let name = params.slug.clone();
        let work = move |library: &Library| library.disable(&library.find(&name)?.slug);
        self.change_tool(caller, "library.disabled", work).await
    }

    /// `library/archive`.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub async fn archive_tool(&self, caller: &Caller, params: &LibraryToolParams) -> Result<LibraryTool, Failure> {
        let name = params.slug.clone();
        let work = move |library: &Library| library.archive(&library.find(&name)?.slug);
        self.change_tool(caller, "library.archived", work).await
    }

    /// `library/delete`: the tool with its files and its history. Its pattern stays, so that it is not made again.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub async fn delete_tool(&self, caller: &Caller, params: &LibraryToolParams) -> Result<Nothing, Failure> {
        let name = params.slug.clone();
        let work = move |library: &Library| {
            let manifest = library.find(&name)?;
            library.delete(&manifest.slug)?;
            Ok(manifest)
        };
        self.change_tool(caller, "library.deleted", work).await?;
        Ok(Nothing {})
    }

    /// `library/history`.
    ///
    /// # Errors
    /// There is none of this name, or its history cannot be read.
    pub async fn tool_history(&self, params: &LibraryToolParams) -> Result<LibraryHistory, Failure> {
        let name = params.slug.clone();
        let (manifest, versions) = self
            .shelf("history", move |library| {
                let manifest = library.find(&name)?;
                let versions = library.history(&manifest.slug)?;
                Ok((manifest, versions))
            })
            .await?;
        // A content that came back is in the list twice, and only the last of them is in force.
        let current = versions.iter().rposition(|version| manifest.content_id.as_ref() == Some(&version.id));
        let views = versions.iter().enumerate();
        Ok(LibraryHistory {
            slug: manifest.slug.to_string(),
            versions: views.map(|(place, version)| views::version(version, Some(place) == current)).collect(),
        })
    }

    /// `library/rebuild`: puts right what is out of step, and writes catalogue, pages and index anew.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub async fn rebuild_library(&self, caller: &Caller) -> Result<LibraryRebuilt, Failure> {
        let (engine, caller) = (self.clone(), caller.clone());
        self.to_the_end(async move {
            let _turn = engine.library.turn.lock().await;
            let work = |library: &Library| Ok((library.heal()?, library.rebuild_catalogue()?));
            let (repaired, catalogue) = engine.shelf("rebuild", work).await?;
            let tools = engine.sync_library().await?;
            let detail = json!({ "tools": tools.len(), "repaired": repaired.len() });
            engine.note_tool(Some(&caller), "library.rebuilt", "library", None, detail).await?;
            Ok(LibraryRebuilt {
                status: "rebuilt".to_owned(),
                catalog: catalogue.display().to_string(),
                tools: u32::try_from(tools.len()).unwrap_or(u32::MAX),
                repaired: repaired.iter().map(of_finding).collect(),
            })
        })
        .await
    }

    /// `library/status`.
    ///
    /// # Errors
    /// The folder cannot be used, or the database failed.
    pub async fn library_status(&self) -> Result<LibraryStatus, Failure> {
        let tools = self.sync_library().await?;
        let catalogue = self.library().await?.catalogue_path();
        let config = self.configuration.in_force();
        let pattern_count = self.db.pattern_count().await.map_err(failure::store)?;
        let patterns = self.pattern_views(PATTERNS).await?;
        Ok(LibraryStatus {
            library: LibraryCounts {
                path: self.home.library_dir().display().to_string(),
                catalog: catalogue.display().to_string(),
                tools: u32::try_from(tools.len()).unwrap_or(u32::MAX),
                active: count_of(&tools, ToolStatus::Active),
                draft: count_of(&tools, ToolStatus::Draft),
                disabled: count_of(&tools, ToolStatus::Disabled),
                archived: count_of(&tools, ToolStatus::Archived),
                is_observing: config.library.auto_detect_patterns,
                runs_scripts: config.library.allow_reviewed_script_execution,
                notices: locked(&self.library.notices).iter().cloned().collect(),
            },
            pattern_count: u32::try_from(pattern_count).unwrap_or(u32::MAX),
            patterns,
        })
    }

    /// One change of one tool with what follows from it: the index, and a row of the audit log.
    pub(super) async fn change_tool(
        &self,
        caller: &Caller,
        action: &'static str,
        work: impl FnOnce(&Library) -> Result<Manifest, LibraryError> + Send + 'static,
    ) -> Result<LibraryTool, Failure> {
        let (engine, caller) = (self.clone(), caller.clone());
        self.to_the_end(async move {
            let _turn = engine.library.turn.lock().await;
            let manifest = engine.shelf(action, work).await?;
            engine.index_again().await;
            let detail = json!({ "kind": manifest.kind.as_str(), "status": manifest.status.as_str() });
            engine.note_tool(Some(&caller), action, manifest.slug.as_str(), None, detail).await?;
            Ok(views::tool(&manifest))
        })
        .await
    }

    /// Brings the index up to date after a change. The change is made, so a failure is a matter for the log.
    pub(super) async fn index_again(&self) {
        if let Err(failure) = self.sync_library().await {
            tracing::warn!(%failure, "the index of the tool library is out of date");
        }
    }
}

fn is_same(present: &Manifest, wanted: &NewRecipe) -> bool {
    present.kind == ToolKind::PromptRecipe
        && present.name == wanted.name.trim()
        && present.description == wanted.description.trim()
        && present.task == wanted.task
        && present.prompt_template.as_str() == wanted.template.trim()
}

/// Refuses a call without the text that it is about.
pub(super) fn is_missing(text: &str, what: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure::new(ErrorCode::InvalidInput, format!("the {what} is missing")));
    }
    Ok(())
}
