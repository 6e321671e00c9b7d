//! Recipes: making them, changing them, and putting tools into and out of use.

use std::path::Path;

use jiff::Timestamp;
use lwa_domain::TaskKind;
use serde_json::{Map, Value, json};

use super::{LEAVING, Library, unknown};
use crate::confidence::Confidence;
use crate::error::LibraryError;
use crate::files;
use crate::key_shape::{has_key_beginning, raw_words};
use crate::manifest::{Manifest, ToolKind, ToolStatus, first_version, next_version, tidy};
use crate::registry::Registry;
use crate::slug::Slug;
use crate::template::Template;
use crate::versions::Versions;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 200;
/// The longest description, in bytes.
const LONGEST_DESCRIPTION: usize = 2000;

/// Who makes a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// A person, or an agent on a person's behalf.
    Operator,
    /// The detection of repeated work.
    PatternDetector,
}

impl Author {
    /// The word in manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::PatternDetector => "pattern_detector",
        }
    }
}

/// Whether a new recipe is in use at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// It can be run at once.
    Active,
    /// It waits for a person.
    Draft,
}

/// What a pattern knows about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The pattern.
    pub signature: String,
    /// Its distinct runs.
    pub occurrences: u32,
    /// Those that succeeded.
    pub successes: u32,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where the work was done; empty when nobody said.
    pub project: String,
}

/// A recipe to make.
#[derive(Debug, Clone)]
pub struct NewRecipe {
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The task that it prepares.
    pub task: TaskKind,
    /// Its text, not yet checked.
    pub template: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When to use it.
    pub triggers: Vec<String>,
    /// Whether it is in use at once.
    pub activation: Activation,
    /// Who makes it.
    pub author: Author,
    /// The pattern that it comes from.
    pub evidence: Option<Evidence>,
}

/// What can be changed about a recipe; none leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct RecipeChange {
    /// Another name for people. The slug stays.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another text.
    pub template: Option<String>,
    /// Other tags.
    pub tags: Option<Vec<String>>,
    /// Other triggers.
    pub triggers: Option<Vec<String>>,
}

impl Library {
    /// Makes a recipe. When its pattern has a tool already, that one gets the text as a new version.
    ///
    /// # Errors
    /// A field breaks a rule, or the folder cannot be used.
    pub fn create_recipe(&self, recipe: &NewRecipe) -> Result<Manifest, LibraryError> {
        let template = Template::parse(&recipe.template)?;
        check_texts(&recipe.name, &recipe.description, &recipe.tags, &recipe.triggers)?;
        refuse_keys("template", template.as_str())?;
        let now = self.now();
        self.change(|registry| {
            let bound = recipe.evidence.as_ref().and_then(|evidence| registry.by_signature(&evidence.signature));
            match bound.cloned() {
                Some(present) => self.recreate(registry, present, recipe, template),
                None => self.create(registry, recipe, template, now),
            }
        })
    }

    fn create(
        &self,
        registry: &mut Registry,
        recipe: &NewRecipe,
        template: Template,
        now: Timestamp,
    ) -> Result<Manifest, LibraryError> {
        let slug = self.free_slug(registry, &recipe.name);
        let is_active = recipe.activation == Activation::Active;
        let mut manifest = Manifest {
            slug,
            name: recipe.name.trim().to_owned(),
            description: recipe.description.trim().to_owned(),
            version: first_version(),
            kind: ToolKind::PromptRecipe,
            status: if is_active { ToolStatus::Active } else { ToolStatus::Draft },
            task: recipe.task,
            prompt_template: template,
            entrypoint: "run.py".to_owned(),
            tags: tidy(&recipe.tags),
            triggers: tidy(&recipe.triggers),
            origin: recipe.author.as_str().to_owned(),
            review_state: if is_active { "approved" } else { "draft" }.to_owned(),
            safety_state: "safe".to_owned(),
            created_by: recipe.author.as_str().to_owned(),
            pattern_signature: None,
            evidence_count: 0,
            confidence: Confidence::NONE,
            approved: is_active,
            created_at: now,
            updated_at: now,
            metadata: Map::new(),
            content_id: None,
            approval: None,
            unknown: Map::new(),
        };
        if let Some(evidence) = &recipe.evidence {
            manifest.metadata.insert("autogenerated".to_owned(), json!(recipe.author == Author::PatternDetector));
            note_evidence(&mut manifest, evidence);
        }
        self.store_new(registry, manifest, |folder, manifest| accept_template(folder, manifest, now))
    }

    /// The tool of the pattern with the new text; its name stays, so that nothing that names it breaks.
    fn recreate(
        &self,
        registry: &mut Registry,
        mut manifest: Manifest,
        recipe: &NewRecipe,
        template: Template,
    ) -> Result<Manifest, LibraryError> {
        let now = self.now();
        if let Some(evidence) = &recipe.evidence {
            note_evidence(&mut manifest, evidence);
        }
        manifest.version = next_version(&manifest.version);
        manifest.prompt_template = template;
        manifest.updated_at = now;
        accept_template(&self.folder_of(&manifest.slug), &mut manifest, now)?;
        self.store(registry, manifest)
    }

    /// Changes a recipe. Another text is a new version; the old one stays in its history.
    ///
    /// # Errors
    /// There is none of this name, it is a script, a field breaks a rule, or the folder cannot be used.
    pub fn change_recipe(&self, slug: &Slug, change: &RecipeChange) -> Result<Manifest, LibraryError> {
        let template = change.template.as_deref().map(Template::parse).transpose()?;
        let now = self.now();
        self.change(|registry| {
            let mut manifest = recipe_of(registry, slug)?;
            if let Some(name) = &change.name {
                name.trim().clone_into(&mut manifest.name);
            }
            if let Some(description) = &change.description {
                description.trim().clone_into(&mut manifest.description);
            }
            if let Some(tags) = &change.tags {
                manifest.tags = tidy(tags);
            }
            if let Some(triggers) = &change.triggers {
                manifest.triggers = tidy(triggers);
            }
            check_texts(&manifest.name, &manifest.description, &manifest.tags, &manifest.triggers)?;
            manifest.updated_at = now;
            if let Some(template) = template.filter(|template| *template != manifest.prompt_template) {
                refuse_keys("template", template.as_str())?;
                manifest.prompt_template = template;
                manifest.version = next_version(&manifest.version);
                accept_template(&self.folder_of(slug), &mut manifest, now)?;
            }
            self.store(registry, manifest)
        })
    }

    /// Writes down what a pattern learned since. The version stays.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub fn refresh_evidence(&self, slug: &Slug, evidence: &Evidence) -> Result<Manifest, LibraryError> {
        self.edit(slug, |manifest| {
            note_evidence(manifest, evidence);
            Ok(())
        })
    }

    /// Puts a recipe into use. A script has [`Library::approve_script`] instead.
    ///
    /// # Errors
    /// There is none of this name, it is a script, or the folder cannot be used.
    pub fn activate(&self, slug: &Slug) -> Result<Manifest, LibraryError> {
        self.edit(slug, |manifest| {
            if manifest.kind != ToolKind::PromptRecipe {
                return Err(LibraryError::WrongKind { slug: slug.clone(), kind: manifest.kind.as_str() });
            }
            manifest.status = ToolStatus::Active;
            manifest.approved = true;
            "approved".clone_into(&mut manifest.review_state);
            "safe".clone_into(&mut manifest.safety_state);
            Ok(())
        })
    }

    /// Takes a tool out of use. Its files and its history stay.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub fn disable(&self, slug: &Slug) -> Result<Manifest, LibraryError> {
        self.edit(slug, |manifest| {
            manifest.status = ToolStatus::Disabled;
            Ok(())
        })
    }

    /// Puts a tool away: out of use and out of the way, with its files and its history.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub fn archive(&self, slug: &Slug) -> Result<Manifest, LibraryError> {
        self.edit(slug, |manifest| {
            manifest.status = ToolStatus::Archived;
            Ok(())
        })
    }

    /// Removes a tool with its files and its history, for good.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub fn delete(&self, slug: &Slug) -> Result<(), LibraryError> {
        self.change(|registry| {
            if registry.get(slug).is_none() {
                return Err(unknown(registry, slug.as_str()));
            }
            let folder = self.folder_of(slug);
            if std::fs::symlink_metadata(&folder).is_ok() {
                // Moved first: a stop in the middle leaves no half of a tool behind its name.
                let leaving = files::set_aside(&folder, &self.root.join(format!("{LEAVING}-{slug}")))?;
                std::fs::remove_dir_all(&leaving).map_err(|source| LibraryError::file("remove", leaving, source))?;
            }
            registry.remove(slug);
            Ok(())
        })
    }

    /// One change to one manifest, with its time.
    pub(super) fn edit(
        &self,
        slug: &Slug,
        work: impl FnOnce(&mut Manifest) -> Result<(), LibraryError>,
    ) -> Result<Manifest, LibraryError> {
        let now = self.now();
        self.change(|registry| {
            let mut manifest = registry.get(slug).cloned().ok_or_else(|| unknown(registry, slug.as_str()))?;
            work(&mut manifest)?;
            manifest.updated_at = now;
            self.store(registry, manifest)
        })
    }

    /// A name that neither the registry nor a folder has.
    pub(super) fn free_slug(&self, registry: &Registry, name: &str) -> Slug {
        Slug::from_name(name)
            .free_of(|slug| registry.is_taken(slug) || std::fs::symlink_metadata(self.folder_of(slug)).is_ok())
    }
}

fn accept_template(folder: &Path, manifest: &mut Manifest, now: Timestamp) -> Result<(), LibraryError> {
    let text = manifest.prompt_template.as_str().as_bytes();
    manifest.content_id = Some(Versions::of(folder).accept(text, &manifest.version, now)?);
    Ok(())
}

fn recipe_of(registry: &Registry, slug: &Slug) -> Result<Manifest, LibraryError> {
    let manifest = registry.get(slug).cloned().ok_or_else(|| unknown(registry, slug.as_str()))?;
    match manifest.kind {
        ToolKind::PromptRecipe => Ok(manifest),
        ToolKind::Script => Err(LibraryError::WrongKind { slug: slug.clone(), kind: manifest.kind.as_str() }),
    }
}

fn note_evidence(manifest: &mut Manifest, evidence: &Evidence) {
    manifest.pattern_signature = Some(evidence.signature.clone());
    manifest.evidence_count = evidence.occurrences;
    manifest.confidence = evidence.confidence;
    manifest.metadata.insert("successes".to_owned(), json!(evidence.successes));
    if !evidence.project.is_empty() {
        manifest.metadata.insert("project".to_owned(), Value::String(evidence.project.clone()));
    }
}

/// The rules for what people read about a tool.
pub(super) fn check_texts(
    name: &str,
    description: &str,
    tags: &[String],
    triggers: &[String],
) -> Result<(), LibraryError> {
    if name.trim().is_empty() {
        return Err(LibraryError::Empty("name"));
    }
    if name.len() > LONGEST_NAME {
        return Err(LibraryError::TooLong { field: "name", limit: LONGEST_NAME });
    }
    if description.len() > LONGEST_DESCRIPTION {
        return Err(LibraryError::TooLong { field: "description", limit: LONGEST_DESCRIPTION });
    }
    refuse_keys("name", name)?;
    refuse_keys("description", description)?;
    tags.iter().try_for_each(|tag| refuse_keys("tags", tag))?;
    triggers.iter().try_for_each(|trigger| refuse_keys("triggers", trigger))
}

/// A text with a key of a well-known kind in it is refused, because files of the library are read,
/// shown and copied.
pub(super) fn refuse_keys(field: &'static str, text: &str) -> Result<(), LibraryError> {
    if raw_words(text).any(has_key_beginning) { Err(LibraryError::HoldsKey(field)) } else { Ok(()) }
}
