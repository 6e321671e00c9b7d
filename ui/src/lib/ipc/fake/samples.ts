import type {
  ApprovalItem,
  LedgerRow,
  ModelView,
  PlanView,
  PolicyChangeDetail,
  Price,
  ProviderView,
  RouteView,
  ScriptDetail,
  SessionConsentDetail,
  SpendDetail,
  TelemetrySum,
} from "../generated/protocol";

/** A time so many minutes from now, as the host writes times. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}

/** As the shipped facts name their source: an address and the day it was read. */
const DATA_USE_SOURCE = "https://provider.example/privacy, read 2026-11-20";

export function spendDetail(changes: Partial<SpendDetail> = {}): { type: "spend" } & SpendDetail {
  return {
    type: "spend",
    plan_id: "5f2c9a71e0b84d3396aa01c7",
    task: "verification",
    provider: "openrouter",
    model: "example/large-reasoner-2",
    billing_class: "paid",
    data_use: "retains",
    data_use_source: DATA_USE_SOURCE,
    masked_secrets: 3,
    other_routes: 0,
    is_local: false,
    estimated_cost_pico_usd: "61000000000",
    max_cost_pico_usd: "140000000000",
    estimated_input_tokens: 18_240,
    max_output_tokens: 4000,
    prompt_characters: 61_312,
    price_note: "price from the provider's listing, read 2026-11-28",
    caps_left: ["$4.12 of $10.00 left this month at openrouter", "188 of 200 requests left today"],
    reasons: ["needs reasoning and 24,000 tokens of context", "asked for by name", "best score for verification"],
    asked_because: "a paid route needs your consent under `paid_only`",
    ...changes,
  };
}

export function policyDetail(
  changes: Partial<PolicyChangeDetail> = {},
): { type: "policy_change" } & PolicyChangeDetail {
  return {
    type: "policy_change",
    path: "~/.config/lwa/config.toml",
    changes: [
      {
        key: "router.consent_mode",
        from: "paid_only",
        to: "automatic",
        effect: "paid plans run without asking, within the caps",
      },
      {
        key: "providers.openrouter.monthly_cap_usd",
        from: "10",
        to: "50",
        effect: "up to $50.00 a month may be spent",
      },
    ],
    ...changes,
  };
}

export function sessionConsentDetail(
  changes: Partial<SessionConsentDetail> = {},
): { type: "session_consent" } & SessionConsentDetail {
  return { type: "session_consent", from: "paid_only", to: "automatic", is_paid_allowed: true, ...changes };
}

export function scriptDetail(changes: Partial<ScriptDetail> = {}): { type: "script" } & ScriptDetail {
  const source = ["#!/bin/sh", "set -eu", 'printf "%s\\n" "$1" | sort | uniq -c', ""].join("\n");
  return {
    type: "script",
    slug: "count-lines",
    name: "Count equal lines",
    description: "counts how often each line of its input occurs",
    path: "~/.local/share/lwa/tool-library/tools/count-lines/run.sh",
    sha256: "9f2c41d07b6e5a8833aa01c75f2c9a71e0b84d3396aa01c79f2c41d07b6e5a88",
    bytes: source.length,
    source,
    is_source_whole: true,
    is_sandboxed: true,
    tool_kind: "script",
    ...changes,
  };
}

export function approval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return {
    id: "a1".padEnd(32, "0"),
    kind: "spend",
    title: "Spend up to $0.14 on example/large-reasoner-2?",
    client: "codex-mcp-client",
    session: "0199c2f4-thread",
    asker: {
      client_version: "0.171.0",
      client_path: "/usr/local/bin/codex",
      client_pid: 5102,
      cwd: "~/projects/harbour",
      process_chain: ["lwa-mcp", "codex", "zsh", "gnome-terminal"],
    },
    created_at: inMinutes(-2),
    expires_at: inMinutes(8),
    count: 1,
    detail: spendDetail(),
    consequence: "61,312 characters of your prompt leave this machine, and up to $0.14 is billed to your key.",
    is_serious: true,
    offers: ["allow_once"],
    code: "H7K2",
    outcome: null,
    outcome_reason: null,
    decided_at: null,
    decided_by: null,
    variants: [],
    variant: null,
    ...changes,
  };
}

export function policyApproval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return approval({
    id: "b2".padEnd(32, "0"),
    kind: "policy_change",
    title: "Put 2 loosening changes of the configuration into force?",
    client: "lwa",
    asker: { client_version: null, client_path: null, client_pid: null, cwd: null, process_chain: [] },
    detail: policyDetail(),
    consequence: "From then on Lwa asks you less often before money is spent.",
    is_serious: true,
    offers: ["allow_always"],
    ...changes,
  });
}

export function consentApproval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return approval({
    id: "c4".padEnd(32, "0"),
    kind: "policy_change",
    title: "Ask less often in this session of codex-mcp-client?",
    detail: sessionConsentDetail(),
    consequence:
      "Plans of this session run without asking you, also those that cost money, where paid routes are allowed.",
    ...changes,
  });
}

export function scriptApproval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return approval({
    id: "d5".padEnd(32, "0"),
    kind: "script",
    title: "Let the script “Count equal lines” run from now on?",
    detail: scriptDetail(),
    consequence:
      "Agents may run exactly this content on this machine, in a sandbox without a network, until it is changed or disabled.",
    offers: ["allow_always"],
    ...changes,
  });
}

export function route(changes: Partial<RouteView> = {}): RouteView {
  return {
    role: "primary",
    provider: "openrouter",
    model: "example/large-reasoner-2",
    billing_class: "paid",
    data_use: "retains",
    data_use_source: DATA_USE_SOURCE,
    is_local: false,
    score_hundredths: 8125,
    reasons: ["needs reasoning and 24,000 tokens of context", "best score for verification"],
    max_cost_pico_usd: "140000000000",
    price_source: "listing",
    price_as_of: "2026-11-28",
    is_price_stale: false,
    estimated_input_tokens: 18_240,
    max_output_tokens: 4000,
    ...changes,
  };
}

export function plan(changes: Partial<PlanView> = {}): PlanView {
  return {
    plan_id: "5f2c9a71e0b84d3396aa01c7",
    state: "confirmation_required",
    task: "verification",
    quality: "high",
    reasoning_effort: "medium",
    client: "codex-mcp-client",
    session: "0199c2f4-thread",
    routes: [route()],
    excluded: [
      { provider: "groq", model: "example/fast-9b", reason: "context of 8,192 tokens is too small for 22,240" },
      { provider: "ollama", model: "example-7b", reason: "score 61.00 below 81.25" },
      { provider: "mistral", model: "example-medium", reason: "trains on the text, and `allow_training` is off" },
    ],
    requires_confirmation: true,
    approval_id: "a1".padEnd(32, "0"),
    prompt_characters: 61_312,
    estimated_input_tokens: 18_240,
    max_output_tokens: 4000,
    max_cost_pico_usd: "140000000000",
    cost_pico_usd: null,
    created_at: inMinutes(-3),
    expires_at: inMinutes(7),
    started_at: null,
    finished_at: null,
    error: null,
    mode: "single",
    excluded_count: 3,
    locks: {
      prompt: true,
      token_budget: true,
      consensus_plan: true,
      model_routes: true,
      dynamic_rerouting_during_work: false,
      prompt_lock_scope: "complete",
    },
    egress: null,
    omitted_characters: 0,
    ...changes,
  };
}

export function provider(changes: Partial<ProviderView> = {}): ProviderView {
  return {
    name: "openrouter",
    adapter: "openai",
    base_url: "https://provider.example/v1",
    state: "ready",
    detail: null,
    billing_class: "paid",
    data_use: "retains",
    data_use_source: DATA_USE_SOURCE,
    is_experimental: false,
    listed_at: inMinutes(-190),
    list_problem: null,
    is_local: false,
    is_detected: false,
    needs_key: true,
    key: { provider: "openrouter", backend: "keychain", variable: null, masked: "…f3a9" },
    models: 3,
    daily_request_cap: 200,
    requests_today: 12,
    monthly_cap_pico_usd: "10000000000000",
    spent_this_month_pico_usd: "5880000000000",
    checked_at: inMinutes(-14),
    ...changes,
  };
}

export function builtin(): ProviderView {
  return provider({
    name: "builtin",
    adapter: "builtin",
    base_url: null,
    billing_class: "free",
    data_use: "none",
    data_use_source: "",
    listed_at: null,
    is_local: true,
    needs_key: false,
    key: null,
    models: 1,
    daily_request_cap: 0,
    requests_today: 4,
    monthly_cap_pico_usd: null,
    spent_this_month_pico_usd: "0",
    detail: "compresses text without a model; works offline",
  });
}

export function price(changes: Partial<Price> = {}): Price {
  return {
    input_pico_usd: "1250000",
    output_pico_usd: "10000000",
    cached_input_pico_usd: "125000",
    cache_write_pico_usd: null,
    tiers: [],
    source: "listing",
    as_of: "2026-11-28",
    ...changes,
  };
}

export function model(changes: Partial<ModelView> = {}): ModelView {
  return {
    provider: "openrouter",
    model: "example/large-reasoner-2",
    display_name: "Large Reasoner 2",
    billing_class: "paid",
    capabilities: ["text", "reasoning", "tools"],
    reasoning_levels: ["instant", "medium", "high"],
    effort_words: ["low", "medium", "high"],
    context_length: 262_144,
    max_output_tokens: 32_768,
    price: price(),
    is_price_stale: false,
    disabled_reason: null,
    source: "live",
    provenance: [{ field: "context_length", source: "listing", as_of: "2026-11-28" }],
    ...changes,
  };
}

export function ledgerRow(changes: Partial<LedgerRow> = {}): LedgerRow {
  return {
    id: 1,
    plan_id: "5f2c9a71e0b84d3396aa01c7",
    at: inMinutes(-5),
    client: "codex-mcp-client",
    session: "0199c2f4-thread",
    task: "verification",
    provider: "openrouter",
    model: "example/large-reasoner-2",
    billing_class: "paid",
    status: "ok",
    error_code: null,
    input_tokens: 18_190,
    output_tokens: 2210,
    cached_tokens: 4096,
    usage_reported: true,
    reserved_pico_usd: "140000000000",
    cost_pico_usd: "58437500000",
    latency_ms: 8210,
    ...changes,
  };
}

export function noUse(): TelemetrySum {
  return {
    calls: 0,
    failed: 0,
    usage_reported: 0,
    cost_known: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_pico_usd: "0",
  };
}
