import { adviceOutcomeText, allAdviceOutcomeText, changeOfAllAdvice } from "../adviceTexts.ts"
import { planHeadline } from "./planHeadline.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { planAssumptions } from "../../plan/verdicts/planAssumptions.ts"
import { overviewTexts, overviewTitles, planFigures, roundedDuration } from "../planFigures.ts"
import { changeText, noChangeText, verdictMarks, workloadTitle } from "./planReport.ts"
import { byVerdict, verdictsWorstFirst, worstVerdict } from "../../plan/verdicts/verdict.ts"
import { workloadIdOf } from "../../plan/workloads.ts"
import type { PlannedEnvironment, PlanReport } from "./planReport.ts"
import type { RolloutChange } from "../../plan/base/rolloutChange.ts"
import type { RolloutPlan } from "../../plan/summarizePlan.ts"
import type { RolloutVerdict } from "../../plan/verdicts/judgePlan.ts"

/** CI finds the comment to update by this line. */
export const commentMarker = "<!-- charthouse plan -->"

/** Source: https://docs.github.com/rest/issues/comments (GitHub refuses a longer body). */
const commentLengthMax = 65_536

export const planMarkdown = (report: PlanReport): string => {
  const head = [
    commentMarker,
    ...headingLines(report),
    "",
    ...tableLines(report),
    ...refusedLines(report),
    ...failedLines(report),
    ...suppressedLines(report)
  ]
  const foot = ["", `<sub>${footText(report)}</sub>`, ""]
  const details = detailBlocks(report)
  let length = [...head, ...foot].join("\n").length
  const shownDetails = details.filter((block) => {
    length += block.length + 2
    return length <= commentLengthMax - omittedLengthMax
  })
  const omitted = details.length - shownDetails.length
  return [
    ...head,
    ...shownDetails.flatMap((block) => ["", block]),
    ...(omitted === 0 ? [] : ["", `Details of ${countText(omitted, "more workload")} are left out.`]),
    ...foot
  ].join("\n")
}

/** Room for the line that counts the omitted details. */
const omittedLengthMax = 100

const headingLines = (report: PlanReport): ReadonlyArray<string> => {
  const { environments, base, refused } = report
  const verdict = worstVerdict(environments.map(({ judgement }) => judgement.verdict))
  if (refused.length === 0 && environments.every(({ plan }) => plan.rollouts.length === 0))
    return [
      "### ✓ Rollout plan: no rollout",
      "",
      base === undefined ? "No workload changes." : markdownText(noChangeText(base.ref))
    ]
  return [
    refused.length > 0
      ? "### ✗ Rollout plan: refused"
      : `### ${verdictMarks[verdict]} Rollout plan: ${verdict}`,
    "",
    ...environments.map((environment) => {
      const { name, judgement } = environment
      // The table has the cause.
      const { decision = "", change } = planHeadline(environment, report) ?? {}
      const headline = markdownText([decision, change ?? ""].join(" ").trim())
      const counts = judgement.rollouts.length > 1 ? ` ${countsText(judgement.rollouts)}.` : ""
      return `${name === undefined ? "" : `- **${markdownText(name)}**: `}${headline}${counts}`
    })
  ]
}

const countsText = (rollouts: ReadonlyArray<RolloutVerdict>): string =>
  verdictsWorstFirst
    .flatMap((name) => {
      const count = rollouts.filter(({ verdict }) => verdict === name).length
      return count === 0 ? [] : [`${count} ${name === "ships" && count > 1 ? "ship" : name}`]
    })
    .join(", ")

const tableLines = ({ environments, base }: PlanReport): ReadonlyArray<string> => {
  const [firstEnvironment, ...otherEnvironments] = environments
  if (firstEnvironment === undefined || environments.every(({ plan }) => plan.rollouts.length === 0))
    return []
  return otherEnvironments.length === 0
    ? oneEnvironmentTable(firstEnvironment, base)
    : environmentsTable(environments)
}

const oneEnvironmentTable = (
  { plan, judgement, changes }: PlannedEnvironment,
  base: PlanReport["base"]
): ReadonlyArray<string> => [
  rowOf([
    "",
    "workload",
    ...(base === undefined ? [] : [`since ${markdownText(base.ref)}`]),
    "why",
    ...overviewTitles
  ]),
  rowOf(["---", "---", ...(base === undefined ? [] : ["---"]), "---", "---", "---", "---"]),
  ...judgement.rollouts.map((judged) => {
    const { rollout } = judged
    return rowOf([
      verdictCell(judged),
      `**${markdownText(workloadTitle(rollout))}**`,
      ...(base === undefined ? [] : [changeCell(changes?.get(workloadIdOf(rollout)))]),
      markdownText(judged.reasons[0]?.text ?? ""),
      ...overviewTexts(rollout, plan.traffic)
    ])
  })
]

const changeCell = (change: RolloutChange | undefined): string =>
  change === undefined ? "" : change.change === "worse" ? "**worse**" : change.change

const environmentsTable = (environments: ReadonlyArray<PlannedEnvironment>): ReadonlyArray<string> => {
  const rollouts = environments.flatMap(({ judgement }) => judgement.rollouts)
  const titles = new Set(rollouts.toSorted(byVerdict).map(({ rollout }) => workloadTitle(rollout)))
  return [
    rowOf(["workload", ...environments.map(({ name = "" }) => markdownText(name))]),
    rowOf(["---", ...environments.map(() => "---")]),
    ...[...titles].map((title) =>
      rowOf([
        `**${markdownText(title)}**`,
        ...environments.map(({ judgement }) => {
          const judged = judgement.rollouts.find((candidate) => workloadTitle(candidate.rollout) === title)
          if (judged === undefined) return ""
          const [reason] = judged.reasons
          return reason === undefined
            ? verdictCell(judged)
            : `${verdictCell(judged)}: ${markdownText(reason.text)}`
        })
      ])
    )
  ]
}

const verdictCell = ({ verdict }: RolloutVerdict): string => `${verdictMarks[verdict]} ${verdict}`

const rowOf = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const refusedLines = ({ refused }: PlanReport): ReadonlyArray<string> => [
  ...(refused.length === 0 ? [] : [""]),
  ...refused.map((it) => `- ✗ ${it.verdict}: **${markdownText(it.title)}**: ${markdownText(it.message)}`)
]

const failedLines = ({ environments }: PlanReport): ReadonlyArray<string> => {
  const lines = environments.flatMap(({ name, failedPredicates }) =>
    failedPredicates.map(({ predicate, rollout, actual }) => {
      const environmentText = name === undefined ? "" : ` in ${markdownText(name)}`
      return `- ✗ ${codeText(predicate)}: ${markdownText(workloadTitle(rollout))}${environmentText} comes to ${markdownText(actual)}`
    })
  )
  return lines.length === 0 ? [] : ["", ...lines]
}

/** Suppressed reasons stay visible. */
const suppressedLines = ({ environments }: PlanReport): ReadonlyArray<string> => {
  const lines = environments.flatMap(({ judgement }) =>
    judgement.suppressedReasons.map(
      ({ rollout, reason, because }) =>
        `- does not count: ${markdownText(workloadTitle(rollout))} ${markdownText(reason.text)} ` +
        `(${codeText(reason.rule)}: ${markdownText(because)})`
    )
  )
  return lines.length === 0 ? [] : ["", ...new Set(lines)]
}

/** The worst workloads come first: the last blocks are left out of a comment that is too long. */
const detailBlocks = ({ environments, base }: PlanReport): ReadonlyArray<string> =>
  environments.flatMap(({ name, plan, judgement, changes }) =>
    judgement.rollouts.map((judged) => {
      const { rollout, verdict, reasons } = judged
      const { typical } = rollout
      const advice = adviceLines(rollout)
      const environmentText = name === undefined ? "" : ` in ${htmlText(name)}`
      const change = changes?.get(workloadIdOf(rollout))
      const changeLines =
        change === undefined || base === undefined ? [] : [`- ${markdownText(changeText(change, base.ref))}`]
      const summary = `${verdictMarks[verdict]} ${htmlText(workloadTitle(rollout))}${environmentText}: how it goes`
      return [
        `<details><summary>${summary}</summary>`,
        "",
        ...changeLines,
        ...reasons.map(({ text, rule }) => `- ${markdownText(text)} (${codeText(rule)})`),
        ...advice,
        ...(changeLines.length + reasons.length + advice.length === 0 ? [] : [""]),
        rowOf([`seed ${typical.seed}`, "", "new", "available", "Pods", "stopping"]),
        rowOf(["---:", "---", "---:", "---:", "---:", "---:"]),
        ...typical.phases.map(({ atMillis, what, updated, available, pods, terminating }) =>
          rowOf([
            `+${roundedDuration(atMillis)}`,
            markdownText(what),
            ...[updated, available, pods, terminating].map(String)
          ])
        ),
        "",
        ...planFigures(plan, rollout).map(({ title, text }) => `- ${title}: ${markdownText(text)}`),
        "",
        "</details>"
      ].join("\n")
    })
  )

const adviceLines = (rollout: RolloutPlan): ReadonlyArray<string> => {
  const { advice, remarks } = rollout
  const change = changeOfAllAdvice(rollout)
  const allText = allAdviceOutcomeText(rollout)
  return [
    ...advice.flatMap((piece) => [
      `- → ${markdownText(piece.text)}`,
      `  - ${markdownText(adviceOutcomeText(piece))}`
    ]),
    ...(allText === undefined ? [] : [`- ✓ ${markdownText(allText)}`]),
    ...remarks.map((remark) => `- ${markdownText(remark)}`),
    ...(change === undefined ? [] : ["", ...codeBlock("diff", change.diff)])
  ]
}

/** The fence is longer than any in the text. */
const codeBlock = (language: string, text: string): ReadonlyArray<string> => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  return [`${fence}${language}`, ...text.trimEnd().split("\n").map(escapeControls), fence]
}

const footText = ({ environments, seeds, version, isStopped = false }: PlanReport): string => {
  const acceptedTexts = environments.flatMap(({ judgement }) =>
    judgement.acceptedUnknowns.map(({ text }) => text)
  )
  const rollouts = environments.flatMap(({ plan }) => plan.rollouts)
  if (rollouts.length === 0) return `charthouse ${version}`
  const assumptions = [...planAssumptions({ rollouts }), ...new Set(acceptedTexts)]
    .map(markdownText)
    .join("; ")
  const seedsText =
    seeds.count === 1
      ? `seed ${seeds.first}`
      : `${countText(seeds.count, "seed")}, ${seeds.first}..${seeds.last}`
  const nodeTexts = environments.map(({ name, plan }) => {
    const text = countText(plan.room.nodes, "node")
    return name === undefined ? text : `${text} in ${displayName({ name: markdownText(name) })}`
  })
  const stoppedText = isStopped
    ? `Stopped after ${environments.map(({ plan }) => plan.seeds).join(", ")} of them. `
    : ""
  return `${stoppedText}Played with ${seedsText} on ${nodeTexts.join(", ")}. Taken for granted: ${assumptions}. charthouse ${version}`
}

/** Also escapes mentions (`@name`) and issue numbers (`#1`). */
const markdownText = (text: string): string =>
  htmlText(text)
    .replaceAll(/[\\`*_{}[\]|~]/g, (character) => `\\${character}`)
    .replaceAll(/[@#](?=[\w/-])/g, "$&<!-- -->")

const htmlText = (text: string): string =>
  escapeControls(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const codeText = (text: string): string => `<code>${markdownText(text)}</code>`
