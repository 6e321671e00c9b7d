import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { FakeBackend } from "$lib/ipc/fake/fake-backend";
import {
  approval,
  consentApproval,
  policyApproval,
  scriptApproval,
  scriptDetail,
  sessionConsentDetail,
  spendDetail,
} from "$lib/ipc/fake/samples";
import { commandApproval, commandDetail, disclosureApproval, turnOnApproval } from "$lib/ipc/fake/worker-questions";
import { backendOver, emptyWorld } from "$lib/ipc/fake/world";
import { PLAIN_NO } from "$features/approval/variants";
import ApprovalView from "$views/ApprovalView.svelte";

const GRACE_MS = 700;
let backend: FakeBackend;
const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

async function show(...approvals: ReturnType<typeof approval>[]): Promise<void> {
  backend = backendOver({ ...emptyWorld(), approvals });
  render(ApprovalView, { backend });
  await vi.advanceTimersByTimeAsync(0);
}
const pass = () => vi.advanceTimersByTimeAsync(GRACE_MS);
const answers = () => backend.callsOf("approval/decide").map((call) => call.answer);
const button = (name: string) => screen.getByTestId(name);
const what = () => screen.getByRole("region", { name: "What would happen" }).textContent?.replace(/\s+/g, " ") ?? "";

beforeEach(() => {
  vi.useFakeTimers();
});

const KINDS = [
  ["spend", approval],
  ["policy_change", policyApproval],
  ["session_consent", consentApproval],
  ["script", scriptApproval],
  ["turn_on", turnOnApproval],
  ["command", commandApproval],
  ["disclosure", disclosureApproval],
] as const;

describe.each(KINDS)("a question of the kind %s", (_kind, question) => {
  const asked = (changes: Parameters<typeof approval>[0] = {}) => question({ id: "1", ...changes });

  test("is shown with focus on Deny and answers that wait for the grace period", async () => {
    await show(asked());
    expect(screen.getByRole("alertdialog").textContent).toContain(asked().title);
    expect(document.activeElement).toBe(button("deny"));
    expect(button("deny").getAttribute("aria-disabled")).toBe("true");
    await user.keyboard("{Enter}{Control>}{Enter}{/Control}");
    expect(answers()).toEqual([]);
  });

  test("can be allowed, with an answer that is on offer", async () => {
    const [offer] = asked().offers;
    const variant = asked().variants.find((each) => each.answer === offer);
    await show(asked());
    await pass();
    if (variant) await user.click(button(`variant-${variant.id}`));
    else if (offer === "allow_once") await user.click(button("allow-once"));
    else {
      await user.click(button("allow-for"));
      await user.click(button("allow-always"));
    }
    expect(answers()).toEqual([offer]);
  });

  test("can be denied", async () => {
    await show(asked());
    await pass();
    await user.keyboard("{Enter}");
    expect(answers()).toEqual(["deny"]);
  });

  test("ends as no when its time runs out, and cannot be answered afterwards", async () => {
    await show(asked());
    await pass();
    backend.emit({ type: "approval_closed", id: "1", outcome: "timed_out", reason: "nobody answered in time" });
    await vi.advanceTimersByTimeAsync(0);
    expect(button("approval-closed-reason").textContent).toContain("Timed out");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await user.click(button("deny"));
    expect(answers()).toEqual([]);
  });

  test("stays with its reason when the asker vanishes, and answers nothing", async () => {
    await show(asked());
    await pass();
    backend.emit({ type: "approval_closed", id: "1", outcome: "withdrawn", reason: "the client left" });
    await vi.advanceTimersByTimeAsync(0);
    expect(button("approval-closed-reason").textContent).toContain("the client left");
    await user.click(button("approval-dismiss"));
    expect(answers()).toEqual([]);
  });

  test("answers nothing while the host is gone", async () => {
    await show(asked());
    await pass();
    backend.setConnection({ state: "lost", detail: "the socket was closed" });
    await vi.advanceTimersByTimeAsync(0);
    await user.keyboard("{Enter}{Control>}{Enter}{/Control}");
    expect(answers()).toEqual([]);
  });
});

test("less asking is said as now and then, with money, caps and its end", async () => {
  await show(consentApproval());
  for (const part of [
    "Ask before money",
    "Do not ask",
    "not even one that costs money",
    "so this can cost money",
    "Caps hold",
    "This session ends",
  ])
    expect(what()).toContain(part);
});

test("where paid routes are off, less asking says that it cannot spend on them", async () => {
  await show(
    consentApproval({ detail: sessionConsentDetail({ from: "always_ask", to: "paid_only", is_paid_allowed: false }) }),
  );
  expect(what()).toContain("cannot spend on them");
  expect(what()).toContain("Always ask");
});

test("less asking comes from a client and is not taken for an edit of the file", async () => {
  const nobody = { client_version: null, client_path: null, client_pid: null, cwd: null, process_chain: [] };
  await show(consentApproval({ asker: nobody }));
  const who = screen.getByRole("region", { name: "Who asks" }).textContent;
  expect(who).toContain("codex-mcp-client");
  expect(who).not.toContain("found in the file");
});

test("an answer that outlasts one run is not called once", async () => {
  await show(consentApproval({ id: "1" }), scriptApproval({ id: "2" }), approval({ id: "3" }));
  expect(button("allow-once").textContent).toContain("Allow for this session");
  await user.click(button("approval-next"));
  expect(screen.queryByTestId("allow-once")).toBeNull();
  await user.click(button("approval-next"));
  expect(button("allow-once").textContent).toContain("Allow once");
});

test("a script is shown with its file, its size, its hash and its source", async () => {
  await show(scriptApproval());
  const detail = scriptDetail();
  for (const part of [detail.name, detail.slug, detail.path, "54 bytes", detail.sha256.slice(0, 12)])
    expect(what()).toContain(part);
  expect(button("script-source").textContent).toBe(detail.source);
  expect(button("script-source").tabIndex).toBe(0);
  expect(screen.queryByTestId("script-cut")).toBeNull();
});

test("the whole hash can be copied, and copying answers nothing", async () => {
  await show(scriptApproval());
  await pass();
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await user.click(button("script-copy-sha256"));
  expect(write).toHaveBeenCalledWith(scriptDetail().sha256);
  expect(answers()).toEqual([]);
});

test("a source that is cut says so before it and where it ends", async () => {
  await show(
    scriptApproval({ detail: scriptDetail({ source: "x".repeat(4000), bytes: 81_200, is_source_whole: false }) }),
  );
  expect(button("script-cut").textContent).toContain("4,000 characters of 81,200 bytes");
  expect(button("script-source").textContent?.endsWith("… cut here")).toBe(true);
});

test("marks that hide or reorder code are written out, lines stay lines", async () => {
  await show(scriptApproval({ detail: scriptDetail({ source: "echo a\n\u202Erm\u001B[8m\u2066 b\n" }) }));
  expect(button("script-source").textContent).toBe("echo a\n⟨U+202E⟩rm⟨U+001B⟩[8m⟨U+2066⟩ b\n");
});

test.each([
  [true, "no network", false],
  [false, "It can do whatever you can do", true],
])("a script with a sandbox (%s) says what that means", async (is_sandboxed, text, isMarked) => {
  await show(scriptApproval({ detail: scriptDetail({ is_sandboxed }) }));
  expect(button("script-sandbox").textContent).toContain(text);
  expect(button("script-sandbox").textContent?.includes("No sandbox")).toBe(isMarked);
});

test("a recipe is called one, shows its text and says that nothing of it runs here", async () => {
  const source = "Apply the workflow.\n\nINPUT\n{input}\n";
  await show(scriptApproval({ detail: scriptDetail({ tool_kind: "prompt_recipe", source, is_sandboxed: false }) }));
  expect(screen.getByRole("region", { name: "Text of the recipe" }).textContent).toBe(source);
  expect(button("script-sandbox").textContent).toContain("Nothing on this machine");
  expect(what()).not.toContain("No sandbox");
});

test("a lasting yes to a script says that it covers this content only", async () => {
  await show(scriptApproval());
  await pass();
  await user.click(button("allow-for"));
  expect(screen.getByText(/Covers exactly this content/)).toBeTruthy();
});

test("spending shows what the provider does with the text and where that is known from", async () => {
  await show(approval());
  expect(button("data-use").textContent).toContain("Provider keeps it for a time");
  expect(button("data-use").textContent).toContain("read 2026-11-20");
});

test("a data use without a source says so", async () => {
  await show(approval({ detail: spendDetail({ data_use: "unknown", data_use_source: "" }) }));
  expect(button("data-use").textContent).toContain("No source is known");
});

test("values that look like secrets are counted, and none is not mentioned", async () => {
  await show(
    approval({ id: "1" }),
    approval({ id: "2", detail: spendDetail({ masked_secrets: 1 }) }),
    approval({ id: "3", detail: spendDetail({ masked_secrets: 0 }) }),
  );
  expect(button("spend-masked").textContent).toBe("3 values that look like secrets are replaced before it leaves");
  await user.click(button("approval-next"));
  expect(button("spend-masked").textContent).toBe("1 value that looks like a secret is replaced before it leaves");
  await user.click(button("approval-next"));
  expect(screen.queryByTestId("spend-masked")).toBeNull();
});

test("the free voters of a consensus are counted beside the route that costs", async () => {
  await show(approval({ id: "1", detail: spendDetail({ other_routes: 3 }) }), approval({ id: "2" }));
  expect(button("spend-others").textContent).toBe("and 3 free voters");
  await user.click(button("approval-next"));
  expect(screen.queryByTestId("spend-others")).toBeNull();
});

test("what stays on this machine has no use by a provider and nothing that is masked", async () => {
  await show(approval({ detail: spendDetail({ is_local: true }) }));
  expect(what()).toContain("Stays on this machine");
  expect(screen.queryByTestId("data-use")).toBeNull();
  expect(screen.queryByTestId("spend-masked")).toBeNull();
});

test("the source of a script is reached by Tab and comes before the answers", async () => {
  await show(scriptApproval());
  await pass();
  button("script-source").focus();
  await user.tab();
  expect(document.activeElement).toBe(button("approval-details"));
  await user.tab();
  expect(document.activeElement).toBe(within(screen.getByRole("group", { name: "Your answer" })).getByTestId("deny"));
});

describe("a question of the worker", () => {
  const segments = () =>
    within(button("command-segments"))
      .getAllByRole("listitem")
      .map((each) => `${(each as HTMLLIElement).value} ${each.textContent?.replace(/\s+/g, " ").trim()}`);

  test("about a command shows the whole of it, what it gets, and what would be remembered", async () => {
    const detail = commandDetail({
      command: "git push --force\u202e origin",
      secret_variables: ["TOKEN=[SECRET-1]"],
      shapes: ["git push --force origin"],
    });
    await show(commandApproval({ detail }));
    expect(button("command-line").textContent).not.toContain("\u202e");
    for (const part of ["/home/ada/harbour", "TOKEN=[SECRET-1]", "git push --force origin", "it replaces"])
      expect(what()).toContain(part);
    await pass();
    await user.click(button("allow-once"));
    expect(answers()).toEqual(["allow_once"]);
  });

  test("about several commands shows each of them at once, those that made it ask first", async () => {
    await show(commandApproval());
    expect(button("command-segments").closest("details")).toBeNull();
    expect(segments()).toEqual([
      "2 git push --force origin main uses the network Made it ask",
      "3 tee push.log writes /home/ada/harbour/push.log Made it ask",
      "1 cargo test --workspace runs code of the project",
    ]);
    expect(screen.getByRole("region", { name: "As the policy reads it" }).tabIndex).toBe(0);
  });

  test("about one command keeps how it is read closed, since the command stands above", async () => {
    const detail = commandDetail({ segments: ["Why.", "  make\u202e   [runs code]"], reason: "Why.", shapes: [] });
    await show(commandApproval({ detail }));
    expect(button("command-segments").closest("details")?.open).toBe(false);
    expect(segments()).toEqual(["1 make⟨U+202E⟩ runs code"]);
  });

  test("about a command says where a lasting yes is kept, and how far a shorter one reaches", async () => {
    await show(commandApproval());
    await pass();
    await user.click(button("allow-for"));
    expect(screen.getByText(/take them out of run-allow.txt/)).toBeTruthy();
    expect(screen.getByText(/until the client’s conversation ends/)).toBeTruthy();
  });

  test("with finer answers has a button for each, after the plain no", async () => {
    await show(disclosureApproval());
    expect(document.activeElement).toBe(button("deny"));
    expect(button("disclosure-kinds").textContent).toBe("3 PERSON, 2 EMAIL");
    expect(screen.queryByTestId(`variant-${PLAIN_NO}`)).toBeNull();
    expect(disclosureApproval().variants.map((each) => each.id)).toContain(PLAIN_NO);
    expect(screen.queryByTestId("allow-for")).toBeNull();
    await pass();
    await user.click(button("variant-switch"));
    expect(backend.callsOf("approval/decide").map((call) => [call.answer, call.variant])).toEqual([["deny", "switch"]]);
  });

  test("about turning it on names the tool, the reader and the mode", async () => {
    await show(turnOnApproval());
    for (const part of ["local_llm_run", "no model is configured", "Assist mode"]) expect(what()).toContain(part);
    await pass();
    await user.click(button("variant-on_pii"));
    expect(backend.callsOf("approval/decide").map((call) => [call.answer, call.variant])).toEqual([
      ["allow_session", "on_pii"],
    ]);
  });
});
