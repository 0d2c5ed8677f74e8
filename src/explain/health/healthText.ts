import type { HealthLead, WorkloadHealth } from "./healthLeads.ts"

export const healthText = ({ lead, health, progress }: WorkloadHealth): string => {
  const showsProgress = lead === health && progress !== "complete" && progress !== "idle"
  const showsHealth = lead !== health && health !== "ok"
  return `${leadSigns[lead]} ${lead}${showsProgress ? `, ${progress}` : showsHealth ? `, ${health}` : ""}`
}

const leadSigns: Readonly<Record<HealthLead, string>> = {
  down: "▼",
  failed: "✗",
  blocked: "!",
  degraded: "▽",
  limited: "▵",
  "rolling out": "…",
  running: "…",
  paused: "‖",
  suspended: "‖",
  complete: "✓",
  steady: "✓",
  idle: "–"
}
