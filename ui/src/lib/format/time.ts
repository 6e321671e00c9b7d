const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const dayOfMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** `3 minutes ago`, `in 2 hours`; within ten seconds `now`. */
export function ago(time: string | number, now: number): string {
  const difference = new Date(time).getTime() - now;
  for (const [unit, size] of STEPS) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
  }
  const seconds = Math.trunc(difference / 1000);
  return Math.abs(seconds) < 10 ? relative.format(0, "second") : relative.format(seconds, "second");
}

/** The local moment, with the same one in UTC for comparing with logs. */
export function absolute(time: string | number): string {
  const date = new Date(time);
  return `${moment.format(date)} (${date.toISOString()})`;
}

/** The local time of day, to the second. */
export function timeOfDay(time: string | number): string {
  return clock.format(new Date(time));
}

/** `9 Mar` for a UTC day `YYYY-MM-DD`. */
export function utcDay(day: string): string {
  return dayOfMonth.format(new Date(`${day}T00:00:00Z`));
}

/** What is left, as `9:40` or `1:02:03`; never below zero. */
export function countdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const tail = `${String(seconds).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}
