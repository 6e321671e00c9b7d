import { afterEach, expect, test } from "vitest";
import { Route, link } from "./route.svelte";

let route: Route;
afterEach(() => route.stop());

function at(hash: string): Route {
  history.replaceState(null, "", hash);
  return (route = new Route());
}

test("the hash names view and query", () => {
  at("#/ledger?provider=groq&status=error");
  expect([route.view, route.get("provider"), route.get("status"), route.get("client")]).toEqual([
    "ledger",
    "groq",
    "error",
    "",
  ]);
});

test("an empty or unknown hash is the overview, and only an empty one is a first look", () => {
  expect([at("#").view, route.isFirst]).toEqual(["overview", true]);
  route.stop();
  expect([at("#/nowhere").view, route.isFirst]).toEqual(["overview", false]);
});

test("filters stand in the hash, so that a reload keeps them", () => {
  at("#/ledger");
  route.set({ provider: "groq", text: "a b" });
  expect(location.hash).toBe("#/ledger?provider=groq&text=a+b");
  route.stop();
  const again = (route = new Route());
  expect(again.get("text")).toBe("a b");
  again.set({ provider: "", text: "" });
  expect(location.hash).toBe("#/ledger");
});

test("links carry their query", () => {
  at("#");
  expect(link("ledger", { range: "1" })).toBe("#/ledger?range=1");
  expect(link("plans")).toBe("#/plans");
});
