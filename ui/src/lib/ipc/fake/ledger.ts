import { sumMoney } from "../../format/money";
import type { LedgerRow, Telemetry, TelemetrySum } from "../generated/protocol";
import { ledgerRow, noUse } from "./samples";

const DAY_MS = 86_400_000;

/** Adds calls up as the host does: what is not known adds nothing and is not counted as known. */
export function sum(rows: LedgerRow[]): TelemetrySum {
  return rows.reduce<TelemetrySum>(
    (total, row) => ({
      calls: total.calls + 1,
      failed: total.failed + (row.status === "error" ? 1 : 0),
      usage_reported: total.usage_reported + (row.usage_reported ? 1 : 0),
      cost_known: total.cost_known + (row.cost_pico_usd === null ? 0 : 1),
      input_tokens: total.input_tokens + (row.input_tokens ?? 0),
      output_tokens: total.output_tokens + (row.output_tokens ?? 0),
      cost_pico_usd: sumMoney([total.cost_pico_usd, row.cost_pico_usd ?? "0"]),
    }),
    noUse(),
  );
}

/** Sums of rows as the host would answer them, from `since` until now. */
export function telemetryOf(rows: LedgerRow[], since: string | null): Telemetry {
  const now = Date.now();
  const start = since ? new Date(since).getTime() : now - 30 * DAY_MS;
  const counted = rows.filter((row) => new Date(row.at).getTime() >= start);
  const today = new Date(now).toISOString().slice(0, 10);
  const days = [];
  for (let day = Math.floor(start / DAY_MS); day <= Math.floor(now / DAY_MS); day += 1) {
    const name = new Date(day * DAY_MS).toISOString().slice(0, 10);
    days.push({ day: name, sum: sum(counted.filter((row) => row.at.startsWith(name))) });
  }
  const providers = [...new Set(counted.map((row) => row.provider))].map((provider) => {
    const own = counted.filter((row) => row.provider === provider);
    const times = own.flatMap((row) => row.latency_ms ?? []).sort((a, b) => a - b);
    return {
      provider,
      sum: sum(own),
      latency_p50_ms: times[Math.floor(times.length / 2)] ?? null,
      latency_p95_ms: times[Math.floor(times.length * 0.95)] ?? null,
      last_used: own[0]?.at ?? null,
    };
  });
  return {
    since: new Date(start).toISOString(),
    as_of: new Date(now).toISOString(),
    total: sum(counted),
    today: sum(rows.filter((row) => row.at.startsWith(today))),
    days,
    providers: providers.sort((a, b) => b.sum.calls - a.sum.calls),
  };
}

/** Thirty days of plausible, repeatable work, newest first. */
export function sampleRows(): LedgerRow[] {
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const tasks = ["verification", "query", "conversation_compression", "coding_aux", "quick_response"] as const;
  const kinds = [
    { provider: "openrouter", model: "example/large-reasoner-2", billing_class: "paid" },
    { provider: "groq", model: "example/fast-9b", billing_class: "free_quota" },
    { provider: "ollama", model: "example-7b", billing_class: "free" },
    { provider: "builtin", model: "extractive", billing_class: "free" },
  ] as const;
  const rows: LedgerRow[] = [];
  for (let index = 0; index < 140; index += 1) {
    const kind = kinds[Math.floor(random() * random() * kinds.length * 1.4) % kinds.length] ?? kinds[0];
    const input = Math.round(600 + random() * 21_000);
    const output = Math.round(80 + random() * 2400);
    const isError = random() < 0.06;
    const isCounted = index > 0 && !isError && random() > 0.05;
    const isPaid = kind.billing_class === "paid";
    rows.push(
      ledgerRow({
        ...kind,
        id: 140 - index,
        plan_id: (0xabc000 + index).toString(16).padEnd(24, "0"),
        at: new Date(Date.now() - index * index * 125_000 - index * 900_000 - 240_000).toISOString(),
        client: random() > 0.4 ? "codex-mcp-client" : "claude-code",
        task: tasks[Math.floor(random() * tasks.length)] ?? "query",
        status: index === 0 ? "reserved" : isError ? "error" : "ok",
        error_code: isError ? "provider_rate_limited" : null,
        input_tokens: isCounted ? input : null,
        output_tokens: isCounted ? output : null,
        cached_tokens: isPaid && isCounted ? Math.round(input * 0.2) : null,
        usage_reported: isCounted,
        reserved_pico_usd: isPaid ? "140000000000" : "0",
        cost_pico_usd: !isPaid ? "0" : isCounted ? String(input * 1_250_000 + output * 10_000_000) : null,
        latency_ms: index === 0 ? null : Math.round(300 + random() * 9000),
      }),
    );
  }
  return rows;
}
