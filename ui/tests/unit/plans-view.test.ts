import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { resultOf, runAnswer } from "$lib/ipc/fake/results";
import { plan, route } from "$lib/ipc/fake/samples";
import { backendOver, busyWorld, emptyWorld, type World } from "$lib/ipc/fake/world";
import ObservatoryView from "$views/ObservatoryView.svelte";

let backend: FakeBackend;
let user: ReturnType<typeof userEvent.setup>;

const CONSENSUS = "aacc".padEnd(24, "0");
const PICTURES = "aabb".padEnd(24, "0");
const SINGLE = "88bb".padEnd(24, "0");

async function show(world: World = busyWorld(), hash = "#/plans"): Promise<void> {
  history.replaceState(null, "", hash);
  backend = backendOver(world);
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.queryByTestId("face-loading")).toBeNull());
}

const card = (id: string) => within(screen.getByTestId(`plan-row-${id}`));
const text = (id: string) => screen.getByTestId(`plan-row-${id}`).textContent?.replace(/\s+/g, " ") ?? "";
async function showResult(id: string): Promise<ReturnType<typeof card>> {
  await user.click(card(id).getByRole("button", { name: "Show result" }));
  return within(await card(id).findByTestId(`plan-result-${id}`));
}

beforeEach(() => {
  user = userEvent.setup();
});

test("each kind of work says what it is", async () => {
  await show();
  const modes = [SINGLE, CONSENSUS, PICTURES].map((id) => card(id).getByTestId("plan-mode").textContent);
  expect(modes).toEqual([
    "One model does the work",
    "Several models vote, one writes the synthesis",
    "Pictures, kept as files on this machine",
  ]);
});

test("every route of a consensus is there with its part, what it does with the text and its cost", async () => {
  await show();
  expect(card(CONSENSUS).getByText("3 voters")).toBeTruthy();
  for (const part of [
    "writes the synthesis",
    "groq · example/fast-9b Free within a quota, leaves this machine, at most $0.00",
    "ollama · example-7b Free, stays here",
    "Provider trains on it",
    "Old price",
  ])
    expect(text(CONSENSUS)).toContain(part);
  expect(card(CONSENSUS).getAllByText("votes")).toHaveLength(3);
});

test("what leaves, what is masked, what is locked and what was left out are said where the host keeps them", async () => {
  await show();
  expect(card(CONSENSUS).getByTestId("plan-egress").textContent).toBe("Leaves this machine");
  expect(card(CONSENSUS).getByTestId("plan-masked").textContent?.trim()).toBe(
    "2 values that look like secrets are replaced before it leaves: github-token, openai-api-key",
  );
  expect(card(CONSENSUS).getByTestId("plan-omitted").textContent?.trim()).toContain("1,200 characters of the draft");
  const locks = within(card(CONSENSUS).getByTestId("plan-locks"));
  expect(locks.getAllByRole("listitem").map((each) => each.textContent)).toEqual([
    "The prompt as a template that takes the reviews in",
    "The token budget",
    "The voters and the synthesis",
    "The routes",
    "No other model is called while the plan works",
  ]);
});

test("a plan of local routes stays on this machine", async () => {
  const local = [route({ is_local: true }), route({ is_local: true, role: "consensus_voter" })];
  await show({ ...emptyWorld(), plans: [plan({ plan_id: SINGLE, routes: local })] });
  expect(card(SINGLE).getByTestId("plan-egress").textContent).toBe("Stays on this machine");
  expect(text(SINGLE)).not.toContain("Leaves this machine");
});

test("a result shows the answer, what was masked and the counts", async () => {
  await show();
  const result = await showResult(SINGLE);
  expect(result.getByRole("region", { name: "Answer" }).textContent).toContain("Two claims have no test");
  const masked = within(result.getByTestId("plan-masked-values")).getAllByRole("listitem");
  expect(masked.map((each) => each.textContent?.trim())).toEqual([
    "[SECRET-1] openai-api-key",
    "[SECRET-2] github-token",
  ]);
  expect(text(SINGLE)).toContain("18,190 tokens in, 2,210 out (reported), 8.2 s");
  await user.click(card(SINGLE).getByRole("button", { name: "Hide result" }));
  expect(card(SINGLE).queryByTestId(`plan-result-${SINGLE}`)).toBeNull();
});

test("counts that nobody reported are a dash and called estimated", async () => {
  await show();
  const usage = { input_tokens: null, output_tokens: null, cached_tokens: null, reported: false };
  backend.handlers["plan/result"] = () => runAnswer({ plan_id: SINGLE, usage });
  await showResult(SINGLE);
  expect(text(SINGLE)).toContain("— tokens in, — out (estimated)");
});

test("a consensus shows its synthesis, each review closed, the voters that failed and its warnings", async () => {
  await show();
  const result = await showResult(CONSENSUS);
  expect(result.getByText("2 of 3 reviews")).toBeTruthy();
  expect(result.getByText("Synthesis by openrouter · example/large-reasoner-2")).toBeTruthy();
  const reviews = result.getAllByTestId("consensus-review") as HTMLDetailsElement[];
  expect(reviews.map((each) => each.open)).toEqual([false, false]);
  await user.click(within(reviews[0] as HTMLElement).getByText(/groq/));
  expect(reviews.map((each) => each.open)).toEqual([true, false]);
  expect(result.getByTestId("consensus-voter-failures").textContent).toContain("The provider asks to slow down.");
  expect(result.queryByTestId("consensus-synthesis-failures")).toBeNull();
  expect(result.getByTestId("plan-warnings").textContent).toContain("the folder is read-only");
});

test("a consensus without a synthesis says that the reviews stand alone and why", async () => {
  await show();
  const answer = resultOf(plan({ plan_id: CONSENSUS, mode: "consensus" }));
  const error = { code: "provider_failed", message: "the provider failed", hint: "prepare again" } as const;
  const tried = [{ provider: "openrouter", model: "example/large-reasoner-2", error }];
  backend.handlers["plan/result"] = () => ({
    ...answer,
    consensus: answer.consensus && { ...answer.consensus, synthesized_by: null, synthesis_failures: tried },
  });
  const result = await showResult(CONSENSUS);
  expect(result.getByTestId("consensus-no-synthesis").textContent).toContain("reviews stand on their own");
  expect(result.getByTestId("consensus-synthesis-failures").textContent).toContain("Prepare again.");
});

test("a picture is drawn with a text for those who do not see it, a large one is named only", async () => {
  await show();
  const result = await showResult(PICTURES);
  const pictures = await result.findAllByTestId("media-picture");
  expect(pictures.map((each) => each.getAttribute("alt"))).toEqual(["Picture 1 of 2 that this plan made"]);
  expect((pictures[0] as HTMLImageElement).src).toMatch(/^data:image\/png;base64,/);
  expect(backend.callsOf("plan/media")).toEqual([{ plan_id: PICTURES, index: 0 }]);
  expect(text(PICTURES)).toContain("larger than 1 MB");
  expect(result.getAllByTestId("media-file")).toHaveLength(2);
  expect(text(PICTURES)).toContain("job-7719");
});

test("the path of a file can be copied", async () => {
  await show();
  const result = await showResult(PICTURES);
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await user.click(result.getByTestId("media-copy-1"));
  expect(write).toHaveBeenCalledWith("~/.local/state/lwa/generated/aabb/1.png");
});

test("a picture that cannot be read says why, and its path stays", async () => {
  await show();
  backend.handlers["plan/media"] = () => {
    throw failed("not_found", "the file is gone", "prepare a new plan");
  };
  const result = await showResult(PICTURES);
  expect((await result.findByTestId("failure")).textContent).toContain("The file is gone.");
  expect(result.getByTestId("media-copy-0")).toBeTruthy();
});

test("content that a provider's filter kept back is said", async () => {
  await show();
  backend.handlers["plan/result"] = () =>
    runAnswer({ plan_id: PICTURES, text: null, media: { files: [], job_id: null, is_filtered: true } });
  expect((await showResult(PICTURES)).getByTestId("media-filtered")).toBeTruthy();
});

test("a result that is gone is a failure of its own plan", async () => {
  await show();
  backend.handlers["plan/result"] = () => {
    throw failed("not_found", "the result is gone");
  };
  await user.click(card(SINGLE).getByRole("button", { name: "Show result" }));
  expect((await card(SINGLE).findByTestId("failure")).textContent).toContain("The result is gone.");
  expect(card(CONSENSUS).queryByTestId("failure")).toBeNull();
});
