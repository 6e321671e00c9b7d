import "../../styles/base.css";
import { showTheme, storedTheme } from "$lib/a11y/theme";
import { connect } from "$lib/ipc/connect";
import { t } from "$lib/i18n/text";
import ApprovalView from "$views/ApprovalView.svelte";
import { mount } from "svelte";

document.title = t("approval.window_title");
showTheme(storedTheme());
const target = document.getElementById("app");
if (target) mount(ApprovalView, { target, props: { backend: await connect() } });
