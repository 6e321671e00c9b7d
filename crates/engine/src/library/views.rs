//! The library's values as they travel.

use lwa_library::patterns::Pattern;
use lwa_library::{Manifest, Version};
use lwa_protocol::library::{LibraryTool, LibraryToolName, LibraryVersion, WorkflowPattern};

use crate::engine::rfc3339;

pub(super) fn tool(manifest: &Manifest) -> LibraryTool {
    LibraryTool {
        slug: manifest.slug.to_string(),
        name: manifest.name.clone(),
        description: manifest.description.clone(),
        version: manifest.version.clone(),
        kind: manifest.kind.as_str().to_owned(),
        status: manifest.status.as_str().to_owned(),
        task: manifest.task,
        prompt_template: manifest.prompt_template.as_str().to_owned(),
        entrypoint: manifest.entrypoint.clone(),
        tags: manifest.tags.clone(),
        triggers: manifest.triggers.clone(),
        origin: manifest.origin.clone(),
        review_state: manifest.review_state.clone(),
        safety_state: manifest.safety_state.clone(),
        created_by: manifest.created_by.clone(),
        pattern_signature: manifest.pattern_signature.clone(),
        evidence_count: manifest.evidence_count,
        confidence: manifest.confidence.fraction(),
        approved: manifest.approved,
        content_id: manifest.content_id.as_ref().map(ToString::to_string),
        created_at: rfc3339(manifest.created_at),
        updated_at: rfc3339(manifest.updated_at),
        metadata: manifest.metadata.clone(),
    }
}

pub(super) fn name(manifest: &Manifest) -> LibraryToolName {
    LibraryToolName {
        slug: manifest.slug.to_string(),
        name: manifest.name.clone(),
        kind: manifest.kind.as_str().to_owned(),
        version: manifest.version.clone(),
    }
}

pub(super) fn pattern(pattern: &Pattern, is_eligible: bool) -> WorkflowPattern {
    WorkflowPattern {
        signature: pattern.signature.clone(),
        task: pattern.task,
        label: pattern.label.clone(),
        is_named: pattern.is_named,
        occurrences: pattern.occurrences,
        successes: pattern.successes,
        confidence: pattern.confidence().fraction(),
        project: pattern.project.clone(),
        tags: pattern.tags.clone(),
        tool_slug: pattern.tool.as_ref().map(ToString::to_string),
        is_eligible,
        first_seen_at: rfc3339(pattern.first_seen_at),
        last_seen_at: rfc3339(pattern.last_seen_at),
    }
}

pub(super) fn version(version: &Version, is_current: bool) -> LibraryVersion {
    LibraryVersion {
        content_id: version.id.to_string(),
        version: version.version.clone(),
        accepted_at: version.accepted_at.map(rfc3339),
        is_current,
    }
}
