import { buildXml, xmlAttributeText, xmlSeconds } from "./xmlReport.ts"
import { expectedFailureText, failureKind, failureTexts } from "./failureText.ts"
import { failureTitle } from "../scenario/stories/failureTitle.ts"
import { repeatCommand } from "./storyReport.ts"
import { escapeControls, escapeLines } from "../kubernetes/meta/text/escapeControls.ts"
import { xmlText } from "../drawing/xmlText.ts"
import type { SeedSummary, StoryReport } from "./storyReport.ts"

/**
 * Times are virtual: the same seeds give the same bytes. Source: `xunit-plugin/src/main/resources/.../junit-10.xsd`.
 */
export const storyJunit = (report: StoryReport): string => {
  const { story, file, version, runs } = report
  const count = (outcome: SeedSummary["outcome"]): number =>
    runs.filter((run) => run.outcome === outcome).length
  const totals = {
    "@tests": runs.length,
    "@failures": count("failed"),
    "@errors": count("unsettled"),
    "@time": xmlSeconds(runs.reduce((sum, { endMillis }) => sum + endMillis, 0))
  }
  const suite = {
    "@name": xmlAttributeText(story),
    ...totals,
    "@skipped": 0,
    properties: {
      property: [
        { "@name": "charthouse", "@value": version },
        { "@name": "file", "@value": xmlAttributeText(file) }
      ]
    },
    testcase: runs.map((run) => caseOf(report, run))
  }
  return buildXml({ testsuites: { "@name": "charthouse", ...totals, testsuite: suite } })
}

const caseOf = ({ story, file, shrunk }: StoryReport, run: SeedSummary) => {
  const { seed, outcome, failures, endMillis } = run
  const attributes = {
    "@name": `seed ${seed}`,
    "@classname": xmlAttributeText(story),
    "@time": xmlSeconds(endMillis)
  }
  const [first] = failures
  const expectedFailure = expectedFailureText(run)
  if (expectedFailure !== undefined) {
    const output = [escapeControls(`failed as expected: ${expectedFailure}`), ...failureTexts(run)].join("\n")
    return { ...attributes, "system-out": xmlText(output) }
  }
  if (outcome === "passed") return attributes
  const lines = [
    ...failureTexts(run),
    escapeControls(`repeat it with: ${repeatCommand(file, seed)}`),
    ...(shrunk?.seed === seed
      ? ["", "The smallest story that fails in the same way:", "", escapeLines(shrunk.yaml)]
      : [])
  ]
  const problem = {
    "@message": xmlAttributeText(
      (first === undefined ? outcome : failureTitle(first)).replaceAll(/\s+/g, " ")
    ),
    "@type": first === undefined ? outcome : failureKind(first),
    "#text": xmlText(lines.join("\n"))
  }
  return { ...attributes, [outcome === "failed" ? "failure" : "error"]: problem }
}
