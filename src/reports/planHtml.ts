import {
  adviceOutcomeText,
  comparedFigures,
  seedsPlayedText,
  changeOfAllAdvice,
  changeDelayText
} from "./adviceTexts.ts"
import { planHeadline } from "./plan/planHeadline.ts"
import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import type { PlannedEnvironment, PlanReport } from "./plan/planReport.ts"
import { andMoreLine } from "../scenario/stories/failureTitle.ts"
import { countText } from "../kubernetes/meta/text/countText.ts"
import { desiredText, overviewTexts, overviewTitles, planFigures, quantilesText } from "./planFigures.ts"
import { markup } from "./markup.ts"
import { recordingsNote, reportPage } from "./reportPage.ts"
import { legend, podAreas, podAreaTexts } from "./legend.ts"
import { htmlTable } from "./htmlTable.ts"
import { drawingWidth, plotMarkup, ticksMarkup, timeAxisRange } from "./plot.ts"
import { timeScale } from "../drawing/timeScale.ts"
import { violationText } from "../scenario/ledger/violations.ts"
import { displayName } from "../kubernetes/meta/text/displayName.ts"
import { verdictMarks, workloadTitle } from "./plan/planReport.ts"
import { isUnchangedRollout } from "../plan/seeds/phases.ts"
import { roundToTenth } from "../drawing/roundToTenth.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { PageAssets } from "./pageAssets.ts"
import type { RolloutVerdict } from "../plan/verdicts/judgePlan.ts"
import type { Plan, RolloutPlan } from "../plan/summarizePlan.ts"
import type { ReportRecordings } from "./reportPage.ts"

export interface PlanPageOptions {
  readonly version: string
  readonly seeds: { readonly first: number; readonly last: number; readonly count: number }
  readonly environment: Pick<PlannedEnvironment, "plan" | "judgement" | "failedPredicates">
  /** Whether a risky rollout fails the plan. */
  readonly isStrict: boolean
  readonly refused: PlanReport["refused"]
  readonly reportRecordings: ReportRecordings
  readonly pageAssets: PageAssets
}

export const planHtml = (options: PlanPageOptions): string => {
  const { version, seeds, environment, refused, reportRecordings, pageAssets } = options
  const { plan, judgement, failedPredicates } = environment
  const headline = planHeadline(environment, options)
  const names = plan.rollouts.map(displayName).join(", ")
  return reportPage({
    title: names === "" ? "Plan" : `Plan of ${names}`,
    version,
    reportRecordings,
    pageAssets,
    body: [
      ...(names === "" ? [] : [markup`<p class="lead">What the rollout of ${names} will do</p>`]),
      markup`<h1 class="verdict ${refused.length > 0 ? "stuck" : judgement.verdict}">${headline?.decision ?? "No workload is rolled out."}</h1>`,
      ...(headline?.cause === undefined ? [] : [markup`<p class="remedy">${headline.cause}</p>`]),
      ...(headline?.change === undefined ? [] : [markup`<p class="remedy">${headline.change}</p>`]),
      ...refused.map((it) => markup`<p class="outcome bad">✗ ${it.verdict}: ${it.title}: ${it.message}</p>`),
      ...(judgement.rollouts.length > 1 ? [overviewTable(judgement.rollouts, plan)] : []),
      ...judgement.rollouts.map(({ rollout }) => changeSection(rollout, plan.rollouts)),
      ...judgement.rollouts.map(({ rollout }) => drawingSection(rollout)),
      recordingsNote(reportRecordings),
      ...(names === "" ? [] : [playedText(plan, seeds)]),
      ...failedPredicates.map(
        ({ predicate, rollout, actual }) =>
          markup`<p class="outcome bad">✗ <code>${predicate}</code>: ${workloadTitle(rollout)} comes to ${actual}</p>`
      ),
      ...plan.warnings.map((text) => markup`<p><b>Warning:</b> ${text}.</p>`),
      ...judgement.rollouts.map(({ rollout }) => figuresSection(plan, rollout)),
      violationsSection(plan)
    ]
  })
}

const playedText = ({ room }: Plan, seeds: PlanPageOptions["seeds"]): HtmlMarkup =>
  markup`<p class="lead">Played to its end with ${
    seeds.count === 1 ? `seed ${seeds.first}` : `${seeds.count} seeds, ${seeds.first}..${seeds.last}`
  }, from each of which come other random times, in a simulated cluster of ${countText(room.nodes, "node")}
that have cpu ${room.cpu} and memory ${room.memory} together.</p>`

/** The worst workload comes first. */
const overviewTable = (rollouts: ReadonlyArray<RolloutVerdict>, plan: Plan): HtmlMarkup =>
  htmlTable(
    [
      { title: "" },
      { title: "workload" },
      { title: "why", kind: "what" },
      ...overviewTitles.map((title) => ({ title, kind: "number" as const }))
    ],
    rollouts.map(({ verdict, reasons: [mainReason], rollout }) => ({
      cells: [
        `${verdictMarks[verdict]} ${verdict}`,
        workloadTitle(rollout),
        mainReason?.text ?? (isUnchangedRollout(rollout.typical.phases) ? "does not change" : ""),
        ...overviewTexts(rollout, plan.traffic)
      ]
    }))
  )

const changeSection = (rollout: RolloutPlan, rollouts: Plan["rollouts"]): HtmlMarkup => {
  const change = changeOfAllAdvice(rollout)
  if (change === undefined) return markup``
  const title = rollouts.length > 1 ? `What to change in ${workloadTitle(rollout)}` : "What to change"
  const delayText = changeDelayText(rollout)
  return markup`<section class="change">
<h2>${title}</h2>
<div class="beside"><pre class="diff">${diffMarkup(change.diff)}</pre>
<div>${htmlTable(
    [{ title: "" }, { title: "as it is", kind: "number" }, { title: "with it", kind: "number" }],
    comparedFigures(change).map(({ title: name, before, after, total, totalBefore }) => ({
      cells: [name, valueText(before, totalBefore ?? total), valueText(after, total)]
    }))
  )}
<p class="lead">${delayText === undefined ? "" : `It helps ${delayText}. `}It was ${seedsPlayedText(change, rollouts)}.</p>
${rollout.advice.map(({ text }) => markup`<p>${capitalized(text)}.</p>`)}</div></div>
<details><summary>As a file for kubectl patch --patch-file</summary><pre class="whole">${change.patch}</pre></details>
</section>`
}

/** The name of a field, such as `livenessProbe`, stays as it is. */
const capitalized = (text: string): string =>
  text.replace(/^[a-z](?=[a-z]* )/u, (letter) => letter.toUpperCase())

const valueText = (value: string, total: string | undefined): string =>
  total === undefined ? value : `${value} of ${total}`

const diffMarkup = (diff: string): ReadonlyArray<HtmlMarkup> =>
  diff
    .trimEnd()
    .split("\n")
    .map(
      (line) => markup`<span class="${diffClasses[line[0] ?? ""] ?? "same"}">${line}
</span>`
    )

const diffClasses: Readonly<Record<string, string>> = { "+": "added", "-": "removed" }

const rolloutTitle = (rollout: RolloutPlan): string =>
  `${rollout.kind} ${displayName(rollout)}: ${desiredText(rollout)}${rollout.isNew ? ", new" : ""}`

const drawingSection = (rollout: RolloutPlan): HtmlMarkup => markup`<section>
<h2>${rolloutTitle(rollout)}: how it goes, with seed ${rollout.typical.seed}</h2>
${countsDrawing(rollout)}
${phasesTable(rollout)}
</section>`

const figuresSection = (plan: Plan, rollout: RolloutPlan): HtmlMarkup => markup`<section>
<h2>${rolloutTitle(rollout)}: all figures</h2>
<dl>${planFigures(plan, rollout).map(
  ({ title, text, className = "" }) => markup`<dt>${title}</dt><dd class="${className}">${text}</dd>`
)}</dl>
${rollout.reasons.length === 0 ? undefined : reasonsTable(rollout)}
${adviceList(rollout)}
${durationSection(rollout)}
</section>`

const durationSection = (rollout: RolloutPlan): HtmlMarkup | undefined => {
  const drawing = spreadDrawing(rollout)
  return drawing === undefined ? undefined : markup`<h2>How long it takes</h2>${drawing}`
}

const adviceList = ({ advice, remarks }: RolloutPlan): HtmlMarkup | undefined =>
  advice.length + remarks.length === 0
    ? undefined
    : markup`<h2>Advice, piece by piece</h2><ul class="advice">${advice.map(
        (piece) => markup`<li>${piece.text}<br><b>${adviceOutcomeText(piece)}</b></li>`
      )}${remarks.map((remark) => markup`<li>${remark}</li>`)}</ul>`

const reasonsTable = ({ reasons }: RolloutPlan): HtmlMarkup =>
  markup`<h2>Why it is late or stuck</h2>${htmlTable(
    [
      { title: "seeds", kind: "number" },
      { title: "reason", kind: "what" }
    ],
    reasons.map(({ reason, seeds }) => ({ cells: [seeds, reason] }))
  )}`

const phasesTable = ({ typical }: RolloutPlan): HtmlMarkup =>
  htmlTable(
    [
      { title: "at", kind: "number" },
      { title: "what" },
      { title: "new", kind: "number" },
      { title: "available", kind: "number" },
      { title: "Pods", kind: "number" },
      { title: "stopping", kind: "number" }
    ],
    typical.phases.map(({ atMillis, what, updated, available, pods, terminating }) => ({
      cells: [formatDuration(atMillis), what, updated, available, pods, terminating]
    }))
  )

// In units of the drawing's view box.
const plotTop = 8
const plotHeight = 160
const axisHeight = 26

const countsDrawing = ({ typical, desired, available, pods }: RolloutPlan): HtmlMarkup => {
  const { counts, phases } = typical
  // A rollout without a change of its Pods has its end among the phases alone.
  const endMillis = Math.max(0, ...[...counts, ...phases].map(({ atMillis }) => atMillis))
  const last = counts.at(-1)
  if (endMillis === 0 || last === undefined) return markup``
  const moments = phases.map(({ atMillis }) => atMillis)
  const scale = timeScale({ endMillis, moments, range: timeAxisRange })
  const label = "Pods over time"
  const points = [...counts, { ...last, atMillis: endMillis }]
  return markup`<figure><div class="wide"><svg viewBox="0 0 ${drawingWidth} ${plotTop + plotHeight + axisHeight}" role="img" aria-label="${label}"><title>${label}</title>
${plotMarkup({
  scale,
  top: plotTop,
  height: plotHeight,
  points: points.map((point) => ({ ...point, old: point.pods - point.updated })),
  areas: podAreas,
  lines: [{ className: "available", valueOf: ({ available: count = 0 }) => count }],
  levels: [
    { className: "desired", title: "desired", value: desired },
    { className: "ceiling", title: "most with any seed", value: pods.most },
    ...(available === undefined
      ? []
      : [{ className: "floor", title: "fewest available with any seed", value: available.fewest }])
  ]
})}
</svg></div>
${legend({
  ...podAreaTexts,
  desired: "desired",
  ceiling: "most Pods with any seed, without those stopping",
  floor: available === undefined ? undefined : "fewest available with any seed"
})}</figure>`
}

/** Undefined if all durations are 0. */
const spreadDrawing = ({ duration, undo }: RolloutPlan): HtmlMarkup | undefined => {
  const rows = [
    ...(duration === undefined || duration.p50 === Infinity ? [] : [{ title: "the rollout", ...duration }]),
    ...(undo?.p50 === undefined || undo.p95 === undefined || undo.worst === undefined
      ? []
      : [{ title: "going back", p50: undo.p50, p95: undo.p95, worst: undo.worst }])
  ]
  const neverText = duration === undefined ? "It never completes." : "With most seeds it never completes."
  if (rows.length === 0) return markup`<p class="bad">${neverText}</p>`
  const quantiles = rows.map(({ p50, p95, worst }) => [p50, p95, worst].filter(Number.isFinite))
  const endMillis = Math.max(...quantiles.flat())
  if (endMillis === 0) return undefined
  // Without moments the axis is cut nowhere, so that lengths can be compared.
  const scale = timeScale({ endMillis, moments: [], range: timeAxisRange })
  const x = (millis: number): number => roundToTenth(scale.x(millis))
  const bottom = rows.length * rowHeight
  const label = "How long it takes: half of the seeds, 95 % of them, and the longest"
  return markup`<figure><div class="wide"><svg viewBox="0 0 ${drawingWidth} ${bottom + 24}" role="img" aria-label="${label}"><title>${label}</title>
${rows.map(({ title, p50, p95, worst }, index) => {
  const y = index * rowHeight + 24
  return markup`<text x="${timeAxisRange[0]}" y="${y - 10}">${title}: ${quantilesText({ p50, p95, worst })}</text>
<line class="spread" x1="${x(0)}" x2="${x(Math.min(worst, endMillis))}" y1="${y}" y2="${y}"/><line class="span" x1="${x(0)}" x2="${x(p50)}" y1="${y}" y2="${y}"/>
${(quantiles[index] ?? []).map((millis) => markup`<line class="spread" x1="${x(millis)}" x2="${x(millis)}" y1="${y - 6}" y2="${y + 6}"/>`)}`
})}
<g class="axis"><line x1="${timeAxisRange[0]}" x2="${timeAxisRange[1]}" y1="${bottom}" y2="${bottom}"/>${ticksMarkup(scale, bottom)}</g>
</svg></div>
<figcaption>The thick part is half of the seeds; the strokes are p50, p95 and the longest.</figcaption></figure>`
}

const rowHeight = 44

const violationsMax = 10

const violationsSection = ({ violations }: Plan): HtmlMarkup =>
  violations.length === 0
    ? markup``
    : markup`<h2 class="bad">Rules that were broken</h2>${violations
        .slice(0, violationsMax)
        .map(
          (violation, index) =>
            markup`<pre>${`seed ${violation.seed}\n${violationText(violation, index + 1)}`}</pre>`
        )}${andMoreLine(violations.length - violationsMax).map((text) => markup`<p>${text}</p>`)}`
