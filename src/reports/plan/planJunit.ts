import { adviceOutcomeText } from "../adviceTexts.ts"
import { buildXml, xmlAttributeText, xmlSeconds } from "../xmlReport.ts"
import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { failsPlan, noFieldPath, workloadTitle } from "./planReport.ts"
import { planFigures } from "../planFigures.ts"
import { violationText } from "../../scenario/ledger/violations.ts"
import { xmlText } from "../../drawing/xmlText.ts"
import type { PlannedEnvironment, PlanReport } from "./planReport.ts"
import type { RolloutVerdict } from "../../plan/verdicts/judgePlan.ts"

/** A workload that makes the exit code 1 is a failure. A violation is an error. Times are virtual. */
export const planJunit = (report: PlanReport): string => {
  const suites = [
    ...(report.refused.length === 0 ? [] : [suiteOfRefused(report)]),
    ...report.environments.map((environment) => suiteOf(environment, report))
  ]
  const sumOf = (name: "@tests" | "@failures" | "@errors"): number =>
    suites.reduce((sum, suite) => sum + suite[name], 0)
  return buildXml({
    testsuites: {
      "@name": "charthouse plan",
      "@tests": sumOf("@tests"),
      "@failures": sumOf("@failures"),
      "@errors": sumOf("@errors"),
      testsuite: suites
    }
  })
}

const suiteOfRefused = ({ refused }: PlanReport) => ({
  "@name": "kubectl apply",
  "@tests": refused.length,
  "@failures": refused.length,
  "@errors": 0,
  "@skipped": 0,
  "@time": xmlSeconds(0),
  testcase: refused.map(({ verdict, title, place, message }) => ({
    "@name": xmlAttributeText(title),
    "@classname": "charthouse.plan",
    "@time": xmlSeconds(0),
    ...(place === undefined ? {} : { "@file": xmlAttributeText(place.file), "@line": place.line }),
    failure: { "@message": xmlAttributeText(message), "@type": verdict }
  }))
})

const suiteOf = (environment: PlannedEnvironment, report: PlanReport) => {
  const { name, plan, judgement } = environment
  const { rollouts } = judgement
  const isFailure = (judged: RolloutVerdict): boolean => failsPlan(judged, environment, report.isStrict)
  const violations = plan.violations.length === 0 ? [] : [violationsCase(environment)]
  return {
    "@name": xmlAttributeText(name === undefined ? "plan" : `plan in ${name}`),
    "@tests": rollouts.length + violations.length,
    "@failures": rollouts.filter(isFailure).length,
    "@errors": violations.length,
    "@skipped": 0,
    "@time": xmlSeconds(Math.max(0, ...rollouts.map(slowestMillis))),
    properties: {
      property: [
        { "@name": "charthouse", "@value": report.version },
        { "@name": "seeds", "@value": `${report.seeds.first}..${report.seeds.last}` }
      ]
    },
    testcase: [
      ...rollouts.map((judged) => caseOf(judged, environment, { report, isFailure: isFailure(judged) })),
      ...violations
    ]
  }
}

/** A seed that never completes counts until it was given up. */
const slowestMillis = ({ rollout: { duration, givenUpMillis = 0 } }: RolloutVerdict): number => {
  const { worst = 0 } = duration ?? {}
  return worst === Infinity ? givenUpMillis : Math.max(worst, givenUpMillis)
}

const caseOf = (
  judged: RolloutVerdict,
  { plan, failedPredicates }: PlannedEnvironment,
  { report, isFailure }: { readonly report: PlanReport; readonly isFailure: boolean }
) => {
  const { rollout, verdict, reasons } = judged
  const place = report.placeOf(rollout, noFieldPath)
  const lines = [
    ...reasons.map(({ text }) => text),
    ...failedPredicates
      .filter((condition) => condition.rollout === rollout)
      .map(({ predicate, actual }) => `${predicate}: it comes to ${actual}`),
    ...planFigures(plan, rollout).map(({ title, text }) => `${title}: ${text}`),
    ...rollout.advice.map((piece) => `advice: ${piece.text}; ${adviceOutcomeText(piece)}`),
    ...rollout.remarks.map((remark) => `remark: ${remark}`)
  ]
  const text = xmlText(lines.map(escapeControls).join("\n"))
  const [mainReason] = reasons
  return {
    "@name": xmlAttributeText(workloadTitle(rollout)),
    "@classname": "charthouse.plan",
    "@time": xmlSeconds(slowestMillis(judged)),
    ...(place === undefined ? {} : { "@file": xmlAttributeText(place.file), "@line": place.line }),
    ...(isFailure
      ? {
          failure: {
            "@message": xmlAttributeText(`${verdict}: ${mainReason?.text ?? ""}`),
            "@type": mainReason?.rule ?? verdict,
            "#text": text
          }
        }
      : { "system-out": xmlText([verdict, text].join("\n")) })
  }
}

const violationsCase = ({ plan }: PlannedEnvironment) => ({
  "@name": "the rules of rollouts",
  "@classname": "charthouse.plan",
  "@time": xmlSeconds(0),
  error: {
    "@message": "rules were broken",
    "@type": "violation",
    "#text": xmlText(
      plan.violations.map((violation, index) => violationText(violation, index + 1)).join("\n")
    )
  }
})
