import type { LedgerRow } from "$lib/ipc/generated/protocol";
import { t } from "$lib/i18n/text";

type Tone = "neutral" | "good" | "attention" | "danger";

/** How a call stands, as a word and a meaning. */
export function callStatus(row: LedgerRow): { text: string; tone: Tone; title?: string } {
  switch (row.status) {
    case "ok":
      return { text: t("call.ok"), tone: "good" };
    case "reserved":
      return { text: t("call.reserved"), tone: "neutral" };
    case "error":
      return row.error_code
        ? { text: t("call.error"), tone: "danger", title: t(`error.${row.error_code}`) }
        : { text: t("call.error"), tone: "danger" };
    default:
      // A newer host may know a word that this window does not.
      return { text: row.status, tone: "neutral" };
  }
}
