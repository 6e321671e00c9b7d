import type { PurgeWhat } from "../generated/protocol";
import type { ResponseOf } from "../backend";
import { failed, type FakeBackend } from "./fake-backend";
import { inMinutes } from "./samples";
import type { World } from "./world";

type Detail = ResponseOf<"worker/session">;
type Session = Detail["session"];
type Turn = Detail["turns"][number];
type Totals = Session["tokens_saved"];

export function savedTotals(changes: Partial<Totals> = {}): Totals {
  return {
    turns: 34,
    measured_turns: 21,
    gathered_tokens: 412_300,
    returned_tokens: 18_240,
    avoided_input: 394_060,
    avoided_output: 6120,
    carried: 3_152_480,
    usd: "2.0871",
    ...changes,
  };
}

/** The sums of no turn. */
export function noTotals(): Totals {
  const none = { gathered_tokens: 0, returned_tokens: 0, avoided_input: 0, avoided_output: 0, carried: 0 };
  return { ...none, turns: 0, measured_turns: 0, usd: "0.0000" };
}

/** The sums of the conversation about a letter. */
export function letterTotals(): Totals {
  return savedTotals({
    turns: 5,
    measured_turns: 0,
    gathered_tokens: 13_000,
    returned_tokens: 2400,
    avoided_input: 11_200,
    avoided_output: 1980,
    carried: 89_600,
    usd: "0.0712",
  });
}

export function session(changes: Partial<Session> = {}): Session {
  return {
    key: "0199c2f4-thread",
    client: "codex-mcp-client",
    mode: "pii",
    armed: { state: "on", source: "dialog", at: inMinutes(-90), asked: 1 },
    disclosure: {
      identity: "undecided",
      numbers: "masked",
      source: null,
      asked: 0,
      escalation: "ask",
      open_kinds: [],
    },
    run_policy: {
      policy: "ask",
      allowed: 21,
      asked_once: 3,
      asked_always: 1,
      refused: 1,
      denied: 2,
      unasked: 0,
      last_refusal: null,
      allow_file: "~/.config/lwa/run-allow.txt",
      allow_entries: 0,
      note: null,
    },
    leak_check: { ran: 12, failed: 0, last_failure: null },
    placeholders: { EMAIL: 3, PERSON: 5, SECRET: 2 },
    artifacts: 8,
    artifact_bytes: 2_140_000,
    turns: 64,
    is_live: true,
    created: inMinutes(-180),
    last_seen: inMinutes(-3),
    tokens_saved: savedTotals(),
    ...changes,
  };
}

export function turn(changes: Partial<Turn> = {}): Turn {
  return {
    id: "t_9f2c41",
    at: inMinutes(-3),
    kind: "run",
    task: "which tests fail and why",
    source: "cargo test --workspace",
    result: "2 of 214 tests fail.\n[PERSON-1] is named in both.",
    reference: "a_1b2c3d4e",
    raw_chars: 184_220,
    out_chars: 2140,
    model: "builtin",
    policy: "allow-list (cargo test*)",
    is_error: false,
    ...changes,
  };
}

export function sampleSessions(): Session[] {
  return [
    session(),
    session({
      key: "7a5e-letter",
      client: "claude-code",
      mode: "assist",
      armed: { state: "off", source: "admin", at: inMinutes(-2000), asked: 0 },
      disclosure: {
        identity: "open",
        numbers: "masked",
        source: "dialog",
        asked: 1,
        escalation: "ask",
        open_kinds: ["PERSON", "EMAIL"],
      },
      leak_check: { ran: 9, failed: 2, last_failure: "the model did not answer in time" },
      placeholders: { ACCOUNT: 1 },
      artifacts: 1,
      artifact_bytes: 48_200,
      turns: 5,
      is_live: false,
      created: inMinutes(-60_000),
      last_seen: inMinutes(-2100),
      tokens_saved: letterTotals(),
    }),
    session({
      key: "pid-5102",
      client: "gemini-cli",
      mode: "assist",
      armed: { state: "undecided", source: null, at: null, asked: 2 },
      placeholders: {},
      artifacts: 0,
      artifact_bytes: 0,
      turns: 0,
      is_live: false,
      last_seen: inMinutes(-90_000),
      tokens_saved: noTotals(),
    }),
  ];
}

/** What a host shows of a conversation: its last turns, its materials, its placeholders with all but their ends hidden. */
export function detailOf(of: Session): Detail {
  const kinds = Object.entries(of.placeholders);
  return {
    session: of,
    summary: of.turns > 0 ? "Goal: get the tests green.\nOpen: the two that name [PERSON-1]." : "",
    turns:
      of.turns > 0
        ? [
            turn(),
            turn({
              id: "t_77aa01",
              at: inMinutes(-9),
              kind: "delegate",
              task: "what does the letter ask for",
              source: "letter.txt",
              result: "[PERSON-1] asks for the invoice of May.",
              reference: null,
              raw_chars: 9200,
              out_chars: 310,
              model: "qwen3-4b",
              policy: null,
            }),
            turn({ id: "t_55bb02", at: inMinutes(-14), is_error: true, result: "", out_chars: 0, reference: null }),
            turn({ id: "t_44cc03", at: inMinutes(-30), kind: "mode", task: "", source: "", result: "", policy: null }),
          ]
        : [],
    artifacts: Array.from({ length: Math.min(3, of.artifacts) }, (_, index) => ({
      reference: `a_${String(index).padStart(8, "0")}`,
      source: "cargo test --workspace",
      chars: 184_220 - index,
      at: inMinutes(-3 - index * 20),
    })),
    placeholders: kinds.flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, index) => ({
        placeholder: `[${kind}-${index + 1}]`,
        kind,
        masked: "q…z (14 characters)",
      })),
    ),
  };
}

const hidden = (of: Session) => Object.values(of.placeholders).reduce((sum, count) => sum + count, 0);

/** The worker's answers over a world: a switch and a removal are kept and told, a count changes nothing. */
export function workerHandlers(world: World, backend: FakeBackend): FakeBackend["handlers"] {
  const named = (key: string) => {
    const found = world.sessions.find((each) => each.key === key);
    if (!found)
      throw failed("not_found", `there is no session \`${key}\` of the worker`, "`lwa worker sessions` lists them");
    return found;
  };
  const put = (changed: Session) => {
    world.sessions = world.sessions.map((each) => (each.key === changed.key ? changed : each));
    backend.emit({ type: "worker_changed", session: changed.key });
    return changed;
  };
  const left: Record<PurgeWhat, (of: Session) => void> = {
    session: (of) => {
      world.sessions = world.sessions.filter((each) => each.key !== of.key);
      backend.emit({ type: "worker_changed", session: of.key });
    },
    placeholders: (of) => void put({ ...of, placeholders: {} }),
    artifacts: (of) => void put({ ...of, artifacts: 0, artifact_bytes: 0 }),
  };
  return {
    "policy/check": ({ command }) => {
      if (/^(sudo|rm -rf)\b/.test(command))
        return { decision: "deny", reason: "it would gain privileges", rule: "privileges", shapes: [] };
      if (command.startsWith("git status"))
        return { decision: "allow", reason: "the list covers every part", rule: "allow-list", shapes: [] };
      const shapes = command.includes("$(") ? [] : [`${command.split(" ").slice(0, 2).join(" ")}*`];
      return { decision: "ask", reason: "the list does not cover it", rule: "not on the list", shapes };
    },
    "worker/sessions": () => ({ sessions: world.sessions }),
    "worker/session": ({ key }) => detailOf(named(key)),
    "worker/arm": ({ key, is_on }) =>
      put({ ...named(key), armed: { state: is_on ? "on" : "off", source: "admin", at: inMinutes(0), asked: 0 } }),
    "worker/purge": ({ key, what, before, dry_run }) => {
      const purged = { sessions: 0, placeholders: 0, artifacts: 0, bytes: 0, live: 0 };
      for (const each of key === null ? world.sessions : [named(key)]) {
        if (before !== null && each.last_seen >= before) continue;
        if (key === null && each.is_live) {
          purged.live += 1;
          continue;
        }
        if (what === "session") purged.sessions += 1;
        if (what !== "artifacts") purged.placeholders += hidden(each);
        if (what !== "placeholders") {
          purged.artifacts += each.artifacts;
          purged.bytes += each.artifact_bytes;
        }
        if (!dry_run) left[what](each);
      }
      return purged;
    },
  };
}
