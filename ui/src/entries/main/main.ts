import "../../styles/base.css";
import { showTheme, storedTheme } from "$lib/a11y/theme";
import { connect } from "$lib/ipc/connect";
import texts from "$lib/i18n/en.main.json";
import { addTexts, t } from "$lib/i18n/text";
import ObservatoryView from "$views/ObservatoryView.svelte";
import { mount } from "svelte";

addTexts(texts);
document.title = t("app.name");
showTheme(storedTheme());
const target = document.getElementById("app");
if (target) mount(ObservatoryView, { target, props: { backend: await connect() } });
