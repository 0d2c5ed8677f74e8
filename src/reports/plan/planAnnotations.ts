import { countText } from "../../kubernetes/meta/text/countText.ts"
import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { findingSubject, planFindings } from "./planFindings.ts"
import { ruleTexts } from "./ruleTexts.ts"
import type { PlanFinding } from "./planFindings.ts"
import type { FieldPlace, PlanReport } from "./planReport.ts"

/**
 * Annotations for GitHub Actions.
 * Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions (error, warning, notice).
 */
export const planAnnotations = (report: PlanReport): string => {
  const findings = planFindings(report).filter(({ suppressedBecause }) => suppressedBecause === undefined)
  const warnings = report.environments.flatMap(({ plan }) => plan.warnings)
  const lines = [
    ...report.refused.map((it) =>
      annotationLine(
        "error",
        { ...placeProperties(it.place), title: `${it.title}: ${it.verdict}` },
        it.message
      )
    ),
    ...findings.map(annotationOf),
    ...[...new Set(warnings)].map((text) => annotationLine("notice", { title: "charthouse plan" }, text)),
    ...(findings.length + report.refused.length === 0
      ? [annotationLine("notice", { title: "charthouse plan" }, shipsText(report))]
      : [])
  ]
  return lines.map((line) => `${line}\n`).join("")
}

const shipsText = ({ environments, seeds }: PlanReport): string => {
  const counts = environments.map(({ plan }) => plan.rollouts.length)
  const rollouts = Math.max(0, ...counts)
  return rollouts === 0
    ? "no rollout to plan"
    : `${countText(rollouts, "rollout")} ${rollouts === 1 ? "ships" : "ship"}, played with ${countText(seeds.count, "seed")}`
}

const placeProperties = (place: FieldPlace | undefined): Readonly<Record<string, string>> =>
  place === undefined ? {} : { file: place.file, line: String(place.line), col: String(place.column) }

const annotationOf = (finding: PlanFinding): string => {
  const { rule, level, text, place } = finding
  const subject = findingSubject(finding)
  const properties = {
    ...placeProperties(place),
    title: `${subject}: ${ruleTexts[rule].title}`
  }
  return annotationLine(level, properties, text)
}

const annotationLine = (
  command: "error" | "warning" | "notice",
  properties: Readonly<Record<string, string>>,
  message: string
): string => {
  const pairs = Object.entries(properties).map(([name, value]) => `${name}=${propertyText(value)}`)
  return `::${command} ${pairs.join(",")}::${dataText(message)}`
}

/** Source: actions/toolkit, packages/core/src/command.ts (escapeData). */
const dataText = (text: string): string => escapeControls(text).replaceAll("%", "%25")

/** Source: actions/toolkit, packages/core/src/command.ts (escapeProperty). */
const propertyText = (text: string): string => dataText(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
