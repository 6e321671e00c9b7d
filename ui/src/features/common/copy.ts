import { announce } from "$lib/a11y/announce";
import { t } from "$lib/i18n/text";

/** Puts text on the clipboard and says whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    announce(t("copy.done"));
    return true;
  } catch {
    announce(t("copy.failed"), "assertive");
    return false;
  }
}
