import type { FakeBackend } from "./fake-backend";
import { headlined } from "./savings";
import type { World } from "./world";

/** The configuration over a world: a value that is set is in force and told. */
export function configHandlers(world: World, backend: FakeBackend): FakeBackend["handlers"] {
  let values = [
    { key: "router.consent_mode", value: "paid_only" as unknown, source: "default" },
    { key: "router.allow_paid", value: true, source: "file" },
    { key: "router.allow_user_pays", value: false, source: "default" },
    { key: "router.allow_training", value: false, source: "default" },
    { key: "router.confirmation_ttl_seconds", value: 600, source: "default" },
    { key: "worker.run_policy", value: "ask", source: "default" },
    { key: "worker.caller_model", value: null, source: "default" },
    { key: "secrets.backend", value: "keychain", source: "default" },
    { key: "clients.codex.worker.allow", value: ["git status*", "cargo test*"], source: "file" },
    { key: "projects./srv/shop.worker.allow", value: ["make test"], source: "file" },
  ];
  const shown = () => ({
    path: "~/.config/lwa/config.toml",
    values,
    pending: world.approvals.flatMap(({ detail, outcome }) =>
      detail.type === "policy_change" && outcome === null ? detail.changes : [],
    ),
    error: null,
  });
  return {
    "config/show": shown,
    "config/set": ({ key, value }) => {
      const source = value === null ? "default" : "file";
      values = values.map((each) => (each.key === key ? { key, value, source } : each));
      if (key === "worker.caller_model") world.savings = headlined(world.savings, value as string | null);
      backend.emit({ type: "config_changed", error: null });
      return shown();
    },
  };
}
