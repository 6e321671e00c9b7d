import type { LibraryStatus, LibraryTool, WorkflowPattern } from "../generated/protocol";
import { failed, type FakeBackend } from "./fake-backend";
import { inMinutes, scriptApproval, scriptDetail } from "./samples";
import type { World } from "./world";

const HASH = "9f2c41d07b6e5a8833aa01c75f2c9a71e0b84d3396aa01c79f2c41d07b6e5a88";

export function tool(changes: Partial<LibraryTool> = {}): LibraryTool {
  return {
    slug: "release-notes",
    name: "Release notes",
    description: "writes release notes from a list of commits",
    version: "0.1.2",
    kind: "prompt_recipe",
    status: "active",
    task: "document_editing",
    prompt_template: "Apply the established workflow.\nReport what could not be verified.\n\nINPUT\n{input}\n",
    entrypoint: "run.py",
    tags: ["document_editing", "release"],
    triggers: ["when a release is prepared", "changelog"],
    origin: "pattern_detector",
    review_state: "approved",
    safety_state: "safe",
    created_by: "pattern_detector",
    pattern_signature: "aa01c79f2c41d07b6e5a",
    evidence_count: 7,
    confidence: 0.91,
    approved: true,
    content_id: HASH,
    created_at: inMinutes(-40_000),
    updated_at: inMinutes(-300),
    metadata: {},
    ...changes,
  };
}

export function pattern(changes: Partial<WorkflowPattern> = {}): WorkflowPattern {
  return {
    signature: "aa01c79f2c41d07b6e5a",
    task: "document_editing",
    label: "Release notes",
    is_named: true,
    occurrences: 8,
    successes: 7,
    confidence: 0.91,
    project: "harbour",
    tags: ["release"],
    tool_slug: "release-notes",
    is_eligible: false,
    first_seen_at: inMinutes(-90_000),
    last_seen_at: inMinutes(-300),
    ...changes,
  };
}

export function sampleTools(): LibraryTool[] {
  const byHand = {
    origin: "operator",
    created_by: "operator",
    pattern_signature: null,
    evidence_count: 0,
    confidence: 0,
  };
  return [
    tool(),
    tool({
      ...byHand,
      slug: "count-lines",
      name: "Count equal lines",
      description: "counts how often each line of its input occurs",
      kind: "script",
      status: "draft",
      approved: false,
      review_state: "draft",
      safety_state: "review_required",
      task: "coding_aux",
      prompt_template: "{input}",
      entrypoint: "tool.py",
      triggers: [],
      tags: ["log"],
      content_id: null,
      updated_at: inMinutes(-20),
    }),
    tool({
      slug: "triage",
      name: "Triage of reports",
      description: "sorts reports by what they need",
      status: "disabled",
      evidence_count: 3,
      confidence: 0.63,
    }),
  ];
}

export function samplePatterns(): WorkflowPattern[] {
  return [
    pattern(),
    pattern({
      signature: "bb02",
      label: "verification",
      task: "verification",
      is_named: false,
      occurrences: 5,
      successes: 4,
      confidence: 0.75,
      project: "",
      tool_slug: null,
      is_eligible: true,
    }),
    pattern({
      signature: "cc03",
      label: "query",
      task: "query",
      is_named: false,
      occurrences: 1,
      successes: 1,
      confidence: 0.49,
      project: "",
      tool_slug: null,
    }),
  ];
}

/** The library's answers over a world: changes are kept, an approval opens a question. */
export function libraryHandlers(world: World, backend: FakeBackend): FakeBackend["handlers"] {
  const named = (slug: string) => {
    const found = world.tools.find((each) => each.slug === slug);
    if (!found) throw failed("not_found", `no tool \`${slug}\``, "list them with `lwa library list`");
    return found;
  };
  const change = (slug: string, changes: Partial<LibraryTool>) => {
    const changed = { ...named(slug), ...changes, updated_at: inMinutes(0) };
    world.tools = world.tools.map((each) => (each.slug === slug ? changed : each));
    return changed;
  };
  return {
    "library/list": () => ({ tools: world.tools }),
    "library/status": () => statusOf(world),
    "library/read": ({ slug }) => {
      const found = named(slug);
      const isScript = found.kind === "script";
      return {
        tool: found,
        path: `~/.local/share/lwa/tool-library/tools/${slug}`,
        readme: `# ${found.name}\n\n${found.description}\n`,
        manifest: `slug: ${slug}\nkind: ${found.kind}\nstatus: ${found.status}\n`,
        content: isScript ? scriptDetail().source : found.prompt_template,
        content_id: HASH,
      };
    },
    "library/history": ({ slug }) => ({
      slug,
      versions: named(slug).approved
        ? [
            { content_id: "11".repeat(32), version: "0.1.1", accepted_at: inMinutes(-9000), is_current: false },
            { content_id: HASH, version: "0.1.2", accepted_at: inMinutes(-300), is_current: true },
          ]
        : [{ content_id: HASH, version: "", accepted_at: null, is_current: false }],
    }),
    "library/approve": ({ slug }) => {
      const found = named(slug);
      const item = scriptApproval({ id: "e6".padEnd(32, "0"), client: "lwa" });
      world.approvals = [...world.approvals, item];
      backend.emit({ type: "approval_opened", approval: item });
      const message = "the human has not answered yet; repeat this call";
      return { status: "approval_pending", message, approval_id: item.id, tool: found };
    },
    "library/disable": ({ slug }) => change(slug, { status: "disabled" }),
    "library/archive": ({ slug }) => change(slug, { status: "archived" }),
    "library/delete": ({ slug }) => {
      const found = named(slug);
      world.tools = world.tools.filter((each) => each !== found);
      return {};
    },
    "library/analyze": () => {
      const ready = world.patterns.filter((each) => each.is_eligible);
      const made = ready.map((each) =>
        tool({ slug: each.label, name: each.label, task: each.task, status: "draft", evidence_count: each.successes }),
      );
      world.tools = [...made, ...world.tools];
      world.patterns = world.patterns.map((each) =>
        each.is_eligible ? { ...each, is_eligible: false, tool_slug: each.label } : each,
      );
      return { patterns: world.patterns, created_tools: made };
    },
  };
}

function statusOf(world: World): LibraryStatus {
  const count = (status: string) => world.tools.filter((each) => each.status === status).length;
  const root = "~/.local/share/lwa/tool-library";
  return {
    library: {
      path: root,
      catalog: `${root}/CATALOG.md`,
      tools: world.tools.length,
      active: count("active"),
      draft: count("draft"),
      disabled: count("disabled"),
      archived: count("archived"),
      is_observing: true,
      runs_scripts: false,
      notices: [],
    },
    pattern_count: world.patterns.length,
    patterns: world.patterns,
  };
}
