import type { PlanView, RouteUsed, RunAnswer, Usage } from "../generated/protocol";
import { failed } from "./fake-backend";

const USED: RouteUsed = { provider: "openrouter", model: "example/large-reasoner-2", billing_class: "paid" };
const COUNTED: Usage = { input_tokens: 18_190, output_tokens: 2210, cached_tokens: null, reported: true };

export function runAnswer(changes: Partial<RunAnswer> = {}): RunAnswer {
  return {
    status: "completed",
    phase: "work_complete",
    replayed: true,
    plan_id: "5f2c9a71e0b84d3396aa01c7",
    task: "verification",
    route: USED,
    usage: COUNTED,
    cost_pico_usd: "58437500000",
    latency_ms: 8210,
    text: "Two claims have no test: the retry limit and the order of migrations. The key [SECRET-1] is not in use.",
    is_text_reduced: false,
    text_bytes: 1840,
    finish_reason: "stop",
    display: "verification on openrouter",
    error: null,
    consensus: null,
    media: null,
    masked: [
      { placeholder: "[SECRET-1]", kind: "openai-api-key" },
      { placeholder: "[SECRET-2]", kind: "github-token" },
    ],
    panel: null,
    next_tier_guidance: null,
    warnings: [],
    ...changes,
  };
}

/** What a plan's run left behind, by its mode. */
export function resultOf(plan: PlanView): RunAnswer {
  const own = { plan_id: plan.plan_id, task: plan.task };
  switch (plan.mode) {
    case "single":
      return runAnswer(own);
    case "consensus":
      return runAnswer({
        ...own,
        ...consensus(),
        warnings: ["the recipe could not be noted: the folder is read-only"],
      });
    case "image":
      return runAnswer({ ...own, ...pictures(), masked: [] });
    case "video":
      throw failed("not_found", "the result is gone", "prepare a new plan");
  }
}

function consensus(): Partial<RunAnswer> {
  const voter = (provider: string, model: string): RouteUsed => ({ provider, model, billing_class: "free_quota" });
  const review = { usage: { ...COUNTED, reported: false }, latency_ms: 3400 };
  return {
    text: "Three reviewers agree that the migration has to run before the index is built.",
    consensus: {
      reviews: [
        { ...review, route: voter("groq", "example/fast-9b"), text: "The order of the steps is wrong in part two." },
        { ...review, route: voter("ollama", "example-7b"), text: "No step says what happens when the disk is full." },
      ],
      voter_failures: [
        {
          provider: "mistral",
          model: "example-medium",
          error: { code: "provider_rate_limited", message: "the provider asks to slow down", hint: null },
        },
      ],
      synthesis_failures: [],
      voters: 3,
      synthesized_by: USED,
    },
  };
}

function pictures(): Partial<RunAnswer> {
  const folder = "~/.local/state/lwa/generated/aabb";
  return {
    text: null,
    display: "2 pictures on openrouter",
    media: {
      files: [
        { index: 0, path: `${folder}/0.png`, mime_type: "image/png", bytes: PICTURE.length },
        { index: 1, path: `${folder}/1.png`, mime_type: "image/png", bytes: 2_400_000 },
      ],
      job_id: "job-7719",
      is_filtered: false,
    },
  };
}

/** A small picture, for looking at a preview without a file. */
export const PICTURE = [
  "iVBORw0KGgoAAAANSUhEUgAAAHgAAABQCAMAAADlRUG7AAAACVBMVEXh6PosVrgLf3dLfdA/AAAA0klEQVR42u3ZQQrDMAxEUY3u",
  "f+gW2kWamkQjJLWG+Rd4Tgh2kM2UUkq15q/wblY9wBO2H8NHc+4JxhT7BbfRfgtjhF3BDbQHYS92EYa9+HnXyHIxte+ZgLE/7CSM",
  "yg+agrE37AkYdTsHCUNweo9mYQjOnoY0DMGCBZ9+8mLIajGCBQv+E9jSsAlOyixsgrMyCdfMP3jY9oaNhuuGTRxs+8M/m3M95Thc",
  "PVOMwuVT1CDcMTgOwE2T8lu473LgEm69DbmA22+AlvDQnVf92auUUhv0ANMbEHb7A4u7AAAAAElFTkSuQmCC",
].join("");
