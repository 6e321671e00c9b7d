import type { PlanView, RouteView } from "$lib/ipc/generated/protocol";

/** A plan with what its preparation found out, where the host keeps that beyond the preparation. */
export type KeptPlan = PlanView;

/** Whether any route takes the text off this machine. */
export function leavesMachine(plan: KeptPlan): boolean {
  return plan.egress?.leaves_machine ?? plan.routes.some((route) => !route.is_local);
}

/** The route that carries the plan, and those that only vote. */
export function sortRoutes(routes: RouteView[]): { lead: RouteView[]; voters: RouteView[] } {
  const isVoter = (route: RouteView) => route.role === "consensus_voter";
  return { lead: routes.filter((route) => !isVoter(route)), voters: routes.filter(isVoter) };
}
