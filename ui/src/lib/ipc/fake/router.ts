import type { ListTried, ProviderView, QuotaTried, QuotaView, TierView } from "../generated/protocol";
import { inMinutes } from "./samples";

export function quota(changes: Partial<QuotaView> = {}): QuotaView {
  return {
    provider: "groq",
    window: "requests_day",
    limit: "1000",
    remaining: "240",
    unit: "requests",
    resets_at: inMinutes(260),
    source: "x-ratelimit-remaining-requests",
    confidence: "stated",
    observed_at: inMinutes(-6),
    age_seconds: 360,
    ...changes,
  };
}

export function sampleQuotas(): QuotaView[] {
  return [
    quota(),
    quota({ window: "tokens_minute", unit: "tokens", limit: "6000", remaining: "5870", resets_at: inMinutes(1) }),
    quota({
      provider: "openrouter",
      window: "balance_usd",
      unit: "pico-dollars",
      limit: null,
      remaining: "4120000000000",
      resets_at: null,
      source: "balance",
    }),
    quota({
      provider: "openrouter",
      window: "credits",
      unit: "thousandths of a credit",
      limit: "10000",
      remaining: "2500",
      resets_at: null,
      source: "balance",
      confidence: "derived",
      observed_at: inMinutes(-2900),
      age_seconds: 174_000,
    }),
    quota({
      provider: "mistral",
      window: "requests_month",
      limit: "500",
      remaining: null,
      resets_at: null,
      confidence: "uncertain",
      observed_at: inMinutes(-50),
      age_seconds: 3000,
    }),
  ];
}

export function tier(changes: Partial<TierView> = {}): TierView {
  return {
    rank: 1,
    provider: "openrouter",
    model: "example/large-reasoner-2",
    display_name: "Large Reasoner 2",
    service_tiers: ["default", "flex"],
    supported_parameters: ["temperature", "tools"],
    reasoning_levels: ["instant", "medium", "high"],
    capabilities: ["text", "reasoning", "tools"],
    source: "live",
    enabled: true,
    free_plan_max_tokens: 200_000,
    pro_plan_max_tokens: 2_000_000,
    billing_class: "paid",
    subscription_plan: "pro",
    subscription_status: "active",
    subscription_monthly_token_limit: 5_000_000,
    context_length: 262_144,
    ...changes,
  };
}

export function sampleTiers(): TierView[] {
  const undeclared = {
    free_plan_max_tokens: null,
    pro_plan_max_tokens: null,
    subscription_plan: "unknown",
    subscription_status: "unknown",
    subscription_monthly_token_limit: null,
    service_tiers: [],
    supported_parameters: [],
  };
  return [
    tier(),
    tier({
      ...undeclared,
      rank: 2,
      provider: "groq",
      model: "example/fast-9b",
      display_name: null,
      billing_class: "free_quota",
      free_plan_max_tokens: 14_400,
      reasoning_levels: [],
      enabled: false,
    }),
    tier({
      ...undeclared,
      rank: 3,
      provider: "ollama",
      model: "example-7b",
      display_name: null,
      billing_class: "free",
      reasoning_levels: [],
      context_length: 8192,
    }),
  ];
}

/** How a list of models stands after it was asked for, by what is known of the provider. */
export function listTried(provider: ProviderView): ListTried {
  const known = { provider: provider.name, models: provider.models, is_cut: false, listed_at: provider.listed_at };
  if (provider.name === "builtin") return { ...known, status: "not_supported", detail: null };
  if (provider.needs_key && provider.key === null)
    return { ...known, status: "missing_credential", models: null, detail: "no key is stored" };
  if (provider.state === "failing") return { ...known, status: "failed", detail: "the key was rejected" };
  return { ...known, status: "ok", listed_at: inMinutes(0), detail: null };
}

/** How asking for a balance went, by what is known of the provider. */
export function quotaTried(provider: ProviderView): QuotaTried {
  if (provider.is_local) return { provider: provider.name, status: "not_supported", detail: null };
  if (provider.key === null) return { provider: provider.name, status: "not_configured", detail: "no key is stored" };
  if (provider.state === "failing") return { provider: provider.name, status: "error", detail: "the key was rejected" };
  return { provider: provider.name, status: "ok", detail: null };
}
