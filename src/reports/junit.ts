import XMLBuilder from "fast-xml-builder"
import { expectedText, failureKind, failureTexts } from "./failureText.ts"
import { failureTitle } from "../scenario/stories/failureTitle.ts"
import { repeatCommand } from "./storyReport.ts"
import { escapeControls, escapeLines } from "../domain/escapeControls.ts"
import { xmlText } from "../drawing/xmlText.ts"
import type { SeedLine, StoryReport } from "./storyReport.ts"

/**
 * A report for CI: the story is a suite and every seed a case of it. Times are virtual, so that the same seeds give the
 * same bytes.
 *
 * Source: the schema that Jenkins and the Ant task share, `xunit-plugin/src/main/resources/.../junit-10.xsd`.
 */
export const junit = (report: StoryReport): string => {
  const { story, file, version, runs } = report
  const count = (outcome: SeedLine["outcome"]): number => runs.filter((run) => run.outcome === outcome).length
  const totals = {
    "@tests": runs.length,
    "@failures": count("failed"),
    "@errors": count("unsettled"),
    "@time": seconds(runs.reduce((sum, { endMillis }) => sum + endMillis, 0))
  }
  const suite = {
    "@name": nameText(story),
    ...totals,
    "@skipped": 0,
    properties: {
      property: [
        { "@name": "charthouse", "@value": version },
        { "@name": "file", "@value": nameText(file) }
      ]
    },
    testcase: runs.map((run) => caseOf(report, run))
  }
  const document = {
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: { "@name": "charthouse", ...totals, testsuite: suite }
  }
  return builder.build(document)
}

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  format: true
})

const caseOf = ({ story, file, shrunk }: StoryReport, run: SeedLine) => {
  const { seed, outcome, failures, endMillis } = run
  const about = { "@name": `seed ${seed}`, "@classname": nameText(story), "@time": seconds(endMillis) }
  const [first] = failures
  const expected = expectedText(run)
  if (expected !== undefined) {
    const told = [escapeControls(`failed as expected: ${expected}`), ...failureTexts(run)].join("\n")
    return { ...about, "system-out": xmlText(told) }
  }
  if (outcome === "passed") return about
  const lines = [
    ...failureTexts(run),
    escapeControls(`repeat it with: ${repeatCommand(file, seed)}`),
    ...(shrunk?.seed === seed
      ? ["", "The least that fails in the same way:", "", escapeLines(shrunk.yaml)]
      : [])
  ]
  const trouble = {
    "@message": nameText((first === undefined ? outcome : failureTitle(first)).replaceAll(/\s+/g, " ")),
    "@type": first === undefined ? outcome : failureKind(first),
    "#text": xmlText(lines.join("\n"))
  }
  return { ...about, [outcome === "failed" ? "failure" : "error"]: trouble }
}

/**
 * A text as an attribute. XML can carry few control characters, and none as a reference; what shows a report may be a
 * terminal. Texts of several lines are escaped where their lines are joined.
 */
const nameText = (text: string): string => xmlText(escapeControls(text))

const seconds = (millis: number): string => (millis / 1000).toFixed(3)
