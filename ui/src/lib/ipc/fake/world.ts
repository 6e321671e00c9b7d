import type {
  ApprovalItem,
  Answer,
  AuditEvent,
  LibraryTool,
  Outcome,
  PlanPrepared,
  PlanView,
  ProviderView,
  QuotaView,
  TierView,
  WorkflowPattern,
} from "../generated/protocol";
import { configHandlers } from "./config";
import { FakeBackend, failed } from "./fake-backend";
import { sampleRows, telemetryOf } from "./ledger";
import { libraryHandlers, samplePatterns, sampleTools } from "./library";
import { PICTURE, resultOf } from "./results";
import {
  noSavings,
  sampleCounted,
  savingsHandlers,
  savingsReport,
  type CountedTurns,
  type FakeReport,
} from "./savings";
import { sampleSessions, workerHandlers } from "./worker";
import { listTried, quotaTried, sampleQuotas, sampleTiers } from "./router";
import {
  approval,
  builtin,
  consentApproval,
  inMinutes,
  model,
  plan,
  policyApproval,
  price,
  provider,
  route,
  scriptApproval,
  spendDetail,
} from "./samples";

const OUTCOMES: Record<Answer, Outcome> = {
  deny: "denied",
  dismiss: "dismissed",
  allow_once: "allowed_once",
  allow_session: "allowed_session",
  allow_always: "allowed_always",
};

/** What a scripted host holds. */
export interface World {
  approvals: ApprovalItem[];
  providers: ProviderView[];
  rows: ReturnType<typeof sampleRows>;
  plans: ReturnType<typeof plan>[];
  models: ReturnType<typeof model>[];
  quotas: QuotaView[];
  tiers: TierView[];
  tools: LibraryTool[];
  patterns: WorkflowPattern[];
  sessions: ReturnType<typeof sampleSessions>;
  savings: FakeReport;
  /** The turns behind the savings with their times, oldest first. */
  counted: CountedTurns[];
  /** Turns of the worker that no count of savings knows yet. */
  older_turns: number;
}

export function busyWorld(): World {
  const closed = { code: null, decided_at: inMinutes(-30) };
  return {
    approvals: [
      approval(),
      policyApproval({ created_at: inMinutes(-1) }),
      approval({
        id: "c3".padEnd(32, "0"),
        client: "claude-code",
        title: "Spend an unknown amount on example/preview-model?",
        detail: spendDetail({
          model: "example/preview-model",
          billing_class: "unknown",
          data_use: "unknown",
          data_use_source: "",
          masked_secrets: 0,
          other_routes: 3,
          estimated_cost_pico_usd: null,
          max_cost_pico_usd: null,
          price_note: "the provider lists no price for this model",
        }),
        created_at: inMinutes(-0.2),
        count: 3,
        offers: ["allow_once", "allow_session"],
      }),
      consentApproval({ created_at: inMinutes(-0.1) }),
      scriptApproval({ client: "claude-code", created_at: inMinutes(-0.1) }),
      approval({
        id: "d4".padEnd(32, "0"),
        ...closed,
        outcome: "denied",
        decided_by: "app",
        outcome_reason: "too dear",
      }),
      approval({ id: "e5".padEnd(32, "0"), ...closed, outcome: "allowed_once", decided_by: "terminal" }),
      approval({
        id: "f6".padEnd(32, "0"),
        ...closed,
        outcome: "timed_out",
        outcome_reason: "nobody answered in time",
      }),
      approval({ id: "07".padEnd(32, "0"), ...closed, outcome: "withdrawn", outcome_reason: "the client left" }),
    ],
    providers: [
      builtin(),
      provider(),
      provider({
        name: "ollama",
        base_url: "http://127.0.0.1:11434/v1",
        billing_class: "free",
        data_use: "none",
        data_use_source: "",
        is_local: true,
        is_detected: true,
        needs_key: false,
        key: null,
        models: 2,
        daily_request_cap: 0,
        monthly_cap_pico_usd: null,
        spent_this_month_pico_usd: "0",
      }),
      provider({
        name: "groq",
        state: "failing",
        detail: "the key was rejected; routes to it are off; replace the key or check its scope",
        billing_class: "free_quota",
        is_experimental: true,
        listed_at: inMinutes(-3100),
        list_problem: "the key was rejected",
        models: 1,
        key: { provider: "groq", backend: "environment", variable: "GROQ_API_KEY", masked: "…91c0" },
        monthly_cap_pico_usd: null,
        spent_this_month_pico_usd: "0",
      }),
      provider({
        name: "mistral",
        state: "needs_key",
        billing_class: "free_quota",
        data_use: "trains",
        is_experimental: true,
        listed_at: null,
        key: null,
        models: 0,
        requests_today: 0,
        monthly_cap_pico_usd: null,
        spent_this_month_pico_usd: "0",
        checked_at: null,
      }),
    ],
    rows: sampleRows(),
    plans: [
      plan(),
      plan({ plan_id: "77aa".padEnd(24, "0"), state: "working", approval_id: null, started_at: inMinutes(-1) }),
      plan({ ...ended("88bb"), cost_pico_usd: "58437500000" }),
      plan({
        ...ended("99cc"),
        state: "repreflight_required",
        max_cost_pico_usd: null,
        error: {
          code: "provider_rate_limited",
          message: "the provider asks to slow down",
          hint: "prepare a new plan in a minute",
        },
      }),
      Object.assign(
        plan({ ...ended("aacc"), task: "consensus", mode: "consensus", routes: consensusRoutes() }),
        keptFacts(),
      ),
      plan({ ...ended("aabb"), task: "image_generation", mode: "image" }),
    ],
    models: [
      model(),
      model({ model: "example/preview-model", display_name: null, billing_class: "unknown", price: null }),
      model({
        model: "example/old-reasoner",
        display_name: null,
        price: price({
          as_of: "2026-03-02",
          tiers: [
            {
              above_input_tokens: 200_000,
              input_pico_usd: "2500000",
              output_pico_usd: "15000000",
              cached_input_pico_usd: null,
            },
          ],
        }),
        is_price_stale: true,
      }),
      model({ ...unpriced, provider: "ollama", model: "example-7b" }),
      model({ ...unpriced, provider: "groq", model: "example/fast-9b", billing_class: "free_quota" }),
    ],
    quotas: sampleQuotas(),
    tiers: sampleTiers(),
    tools: sampleTools(),
    patterns: samplePatterns(),
    sessions: sampleSessions(),
    savings: savingsReport(),
    counted: sampleCounted(),
    older_turns: 12,
  };
}

const unpriced = {
  billing_class: "free",
  display_name: null,
  price: null,
  reasoning_levels: [],
  effort_words: [],
} satisfies Partial<ReturnType<typeof model>>;

function ended(digits: string): Partial<PlanView> {
  const times = { started_at: inMinutes(-20), finished_at: inMinutes(-19) };
  return { plan_id: digits.padEnd(24, "0"), state: "completed", approval_id: null, ...times };
}

/** What the preparation of a consensus found out, as a host sends it that keeps it. */
function keptFacts(): Pick<PlanPrepared, "egress" | "locks" | "omitted_characters"> {
  return {
    egress: {
      leaves_machine: true,
      masked_secrets: 2,
      masked_kinds: ["github-token", "openai-api-key"],
      data_use: "mistral trains on what it is sent; openrouter keeps what it is sent for a time",
    },
    locks: {
      prompt: true,
      token_budget: true,
      consensus_plan: true,
      model_routes: true,
      dynamic_rerouting_during_work: false,
      prompt_lock_scope: "template",
    },
    omitted_characters: 1200,
  };
}

function consensusRoutes() {
  const voter = { role: "consensus_voter", billing_class: "free_quota", max_cost_pico_usd: "0" } as const;
  return [
    route({ ...voter, provider: "groq", model: "example/fast-9b" }),
    route({
      ...voter,
      provider: "ollama",
      model: "example-7b",
      billing_class: "free",
      is_local: true,
      data_use: "none",
      data_use_source: "",
      price_source: null,
      price_as_of: null,
    }),
    route({ ...voter, provider: "mistral", model: "example-medium", data_use: "trains" }),
    route({ role: "consensus_synthesis", is_price_stale: true }),
  ];
}

export function emptyWorld(): World {
  return {
    approvals: [],
    providers: [builtin()],
    rows: [],
    plans: [],
    models: [],
    quotas: [],
    tiers: [],
    tools: [],
    patterns: [],
    sessions: [],
    savings: noSavings(),
    counted: [],
    older_turns: 0,
  };
}

/** A host over a world: answers change it and send the events that the real host sends. */
export function backendOver(world: World): FakeBackend {
  const backend = new FakeBackend();
  const find = (id: string) => {
    const item = world.approvals.find((each) => each.id === id);
    if (!item) throw failed("not_found", `no approval \`${id}\``);
    return item;
  };
  const put = (item: ApprovalItem) => {
    world.approvals = world.approvals.map((each) => (each.id === item.id ? item : each));
    return item;
  };
  const named = (name: string) => {
    const item = world.providers.find((each) => each.name === name);
    if (!item) throw failed("not_found", `no provider \`${name}\``);
    return item;
  };
  const change = (name: string, changes: Partial<ProviderView>) => {
    const item = { ...named(name), ...changes };
    world.providers = world.providers.map((each) => (each.name === name ? item : each));
    backend.emit({ type: "providers_changed" });
    return item;
  };
  backend.handlers = {
    "approval/list": ({ with_answered }) => ({
      approvals: world.approvals.filter((item) => with_answered || item.outcome === null),
    }),
    "approval/show": ({ id }) => find(id),
    "approval/extend": ({ id }) => {
      const item = put({ ...find(id), expires_at: inMinutes(10) });
      backend.emit({ type: "approval_changed", approval: item });
      return item;
    },
    "approval/decide": ({ id, answer, reason }) => {
      const ended = { outcome: OUTCOMES[answer], outcome_reason: reason, decided_by: "app", code: null };
      const item = put({ ...find(id), ...ended, decided_at: inMinutes(0) });
      backend.emit({ type: "approval_closed", id, outcome: ended.outcome, reason });
      return item;
    },
    "plan/list": () => ({ plans: world.plans }),
    "plan/result": ({ plan_id }) => {
      const found = world.plans.find((each) => each.plan_id === plan_id);
      if (!found) throw failed("unknown_plan", `no plan \`${plan_id}\``);
      return resultOf(found);
    },
    "plan/media": () => ({ mime_type: "image/png", base64: PICTURE }),
    "provider/list": () => ({ providers: world.providers }),
    "provider/test": ({ provider: name }) => {
      const isFine = named(name).state !== "failing";
      return { ok: isFine, detail: isFine ? "reachable" : "the key was rejected", latency_ms: 212, models: 3 };
    },
    "model/list": () => ({ models: world.models }),
    "catalogue/refresh": ({ provider: name }) => {
      const asked = name === null ? world.providers : [named(name)];
      const providers = asked.map(listTried);
      for (const each of providers) if (each.status === "ok") change(each.provider, { listed_at: each.listed_at });
      return { models: world.models.length, refreshed: world.models.length, providers };
    },
    "quota/list": () => ({ quotas: world.quotas }),
    "quota/refresh": () => ({ providers: world.providers.map(quotaTried), quotas: world.quotas }),
    "tier/list": () => ({ tiers: world.tiers }),
    "key/set": ({ provider: name, key }) => {
      const view = { provider: name, backend: "keychain", variable: null, masked: `…${key.slice(-4)}` };
      change(name, { key: view, state: "unverified", detail: null });
      return view;
    },
    "key/remove": ({ provider: name }) => change(name, { key: null, state: "needs_key" }),
    "ledger/list": ({ since, limit }) => ({
      rows: world.rows.filter((row) => !since || row.at >= since).slice(0, limit ?? 200),
    }),
    "ledger/telemetry": ({ since }) => telemetryOf(world.rows, since),
    "host/status": () => ({
      pid: 4711,
      product: "0.1.0",
      protocol: 1,
      started_at: inMinutes(-95),
      socket: "/run/user/1000/lwa/host.sock",
      database: "~/.local/state/lwa/host.sqlite3",
      log: "~/.local/state/lwa/host.log",
      paused_until: pausedUntil,
      connections: world.rows.length === 0 ? [] : connections(),
      waiting: world.approvals.filter((item) => item.outcome === null).length,
      config: { path: "~/.config/lwa/config.toml", is_in_force: true, error: null, has_pending_change: hasPending() },
      secrets: { backend: "keychain", state: "ready", detail: null },
      ignored_variables: [],
    }),
    "host/pause": ({ minutes }) => {
      pausedUntil = minutes === 0 ? null : minutes === null ? "resumed" : inMinutes(minutes);
      backend.emit({ type: "host_changed" });
      return backend.call("host/status", {});
    },
    "audit/tail": ({ limit }) => ({ events: auditOf(world).slice(0, limit ?? 50) }),
    "audit/verify": () => ({
      ok: true,
      events: auditOf(world).length,
      head: "c0ffee".padEnd(64, "0"),
      first_bad: null,
    }),
    "doctor/run": () => ({
      level: "warn",
      checks: [
        { id: "database", status: "ok", detail: "opens, schema 3", fix: null },
        { id: "keychain", status: "ok", detail: "Secret Service answers", fix: null },
        { id: "providers", status: "warn", detail: "groq rejects its key", fix: "lwa keys set groq" },
      ],
      hard_blockers: [],
      soft_blockers: ["groq cannot be used"],
      next_actions: ["replace the key of groq"],
    }),
  };
  Object.assign(backend.handlers, libraryHandlers(world, backend), configHandlers(world, backend));
  Object.assign(backend.handlers, workerHandlers(world, backend), savingsHandlers(world));
  let pausedUntil: string | null = null;
  const hasPending = () =>
    world.approvals.some(({ detail, outcome }) => detail.type === "policy_change" && outcome === null);
  return backend;
}

function auditOf(world: World): AuditEvent[] {
  const events = world.rows.slice(0, 40).map((row, index, rows) => ({
    seq: rows.length - index,
    at: row.at,
    actor: index % 5 === 4 ? "user" : row.client,
    session: row.session,
    action: index % 5 === 4 ? "approval.decided" : "plan.prepared",
    object: row.plan_id,
    decision: index % 5 === 4 ? "allowed_once" : null,
    detail: { task: row.task, prompt_characters: 61_312 },
    hash: row.id.toString(16).padStart(64, "0"),
  }));
  return events;
}

function connections() {
  const own = { session: "0199c2f4-thread", product: "0.1.0", since: inMinutes(-40) };
  return [
    { ...own, role: "sidecar" as const, client: "codex-mcp-client", client_version: "0.171.0", pid: 5120 },
    { ...own, role: "app" as const, client: "lwa", client_version: "0.1.0", pid: 4800 },
  ];
}
