import type { PlanState } from "$lib/ipc/generated/protocol";

/** What a state of a plan means. */
export const planTone: Record<PlanState, "neutral" | "good" | "attention" | "danger"> = {
  ready: "neutral",
  confirmation_required: "attention",
  denied: "danger",
  working: "neutral",
  completed: "good",
  repreflight_required: "danger",
  expired: "neutral",
};
