import type { ApprovalItem, CommandDetail, DisclosureDetail, TurnOnDetail } from "../generated/protocol";
import { approval } from "./samples";

export function commandDetail(changes: Partial<CommandDetail> = {}): { type: "command" } & CommandDetail {
  const reason = "`git push --force origin main` is not on the allow list.";
  return {
    type: "command",
    command: "cargo test --workspace && git push --force origin main | tee push.log",
    cwd: "/home/ada/harbour",
    segments: [
      reason,
      "  cargo test --workspace   [runs code of the project]",
      "  git push --force origin main   [uses the network]",
      "  tee push.log   [writes /home/ada/harbour/push.log]",
    ],
    reason,
    warnings: ["it replaces what others have at the remote"],
    shapes: ["git push --force origin main", "> push.log"],
    sandbox: null,
    secret_variables: [],
    is_clients_own: false,
    ...changes,
  };
}

export function commandApproval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return approval({
    id: "e7".padEnd(32, "0"),
    kind: "command",
    title: "Run this command?",
    detail: commandDetail(),
    consequence: "It runs on this machine with your rights.",
    is_serious: true,
    offers: ["allow_once", "allow_session", "allow_always"],
    ...changes,
  });
}

export function turnOnDetail(changes: Partial<TurnOnDetail> = {}): { type: "turn_on" } & TurnOnDetail {
  return { type: "turn_on", tool: "local_llm_run", model: "builtin", mode: "assist", ...changes };
}

export function turnOnApproval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return approval({
    id: "e8".padEnd(32, "0"),
    kind: "turn_on",
    title: "Turn the worker on for this conversation?",
    detail: turnOnDetail(),
    consequence: "It may then run commands that your list allows, and read files, on this machine.",
    is_serious: false,
    offers: ["allow_session"],
    variants: [
      { id: "on", title: "Turn on: bulk output is shortened, secrets stay here", answer: "allow_session" },
      {
        id: "on_pii",
        title: "Turn on for private material: everything personal stays here",
        answer: "allow_session",
      },
    ],
    ...changes,
  });
}

export function disclosureDetail(changes: Partial<DisclosureDetail> = {}): { type: "disclosure" } & DisclosureDetail {
  return {
    type: "disclosure",
    kinds: [
      { kind: "PERSON", count: 3 },
      { kind: "EMAIL", count: 2 },
    ],
    source: "letter.txt",
    wanted: null,
    reason: null,
    ...changes,
  };
}

export function disclosureApproval(changes: Partial<ApprovalItem> = {}): ApprovalItem {
  return approval({
    id: "e9".padEnd(32, "0"),
    kind: "disclosure",
    title: "May private values of this material be shown to the client's model?",
    detail: disclosureDetail(),
    consequence: "Credentials stay here in any case. Without an answer everything is hidden in this result.",
    is_serious: false,
    offers: ["allow_session"],
    variants: [
      { id: "no", title: "Hide them in this result", answer: "deny" },
      { id: "switch", title: "Private mode: hide everything personal from now on", answer: "deny" },
      { id: "continue", title: "Show names, addresses and mail; numbers stay hidden", answer: "allow_session" },
      { id: "everything", title: "Show names and numbers", answer: "allow_session" },
    ],
    ...changes,
  });
}
